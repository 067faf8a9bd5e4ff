// SPDX-License-Identifier: Apache-2.0

package svg_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture/svg"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

// slowOn are the slow links of a machine on a topology.
func slowOn(t *testing.T, spec, links string) (*topology.Topology, []svg.Slow) {
	top, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	require.NoError(t, m.Set("links", links))
	list, err := svg.SlowLinks(top, &m)
	require.NoError(t, err)
	return top, list
}

// bands are the titles of the bands of a picture, with the class of each.
func bands(picture, of string) (list []string) {
	for _, m := range regexp.MustCompile(`<g><title>([^<]*)</title>\s*<(?:path|rect) class="(`+of+`[0-9])"`).FindAllStringSubmatch(picture, -1) {
		list = append(list, strings.NewReplacer("&gt;", ">").Replace(m[1])+" "+m[2])
	}
	return list
}

func TestSlowLinksOfANetwork(t *testing.T) {
	for _, row := range []struct {
		name, topology, links string
		bands, legend         []string
	}{
		{"links alike", "path:3", "even", nil, nil},
		{"as fast as the keys", "path:3", "all,hop=1", nil, nil},
		{"both directions", "path:3", "0-1,hop=3", []string{"0 – 1: hop 3, flit 1 sl0"}, []string{"hop 3, flit 1 (2 links)"}},
		{"one direction", "path:3", "1>0,flit=2", []string{"1 > 0: hop 1, flit 2 sl0"}, []string{"hop 1, flit 2 (1 link)"}},
		{"two directions", "path:3", "1>0,flit=2 0>1,hop=2", []string{"0 > 1: hop 2, flit 1 sl0", "1 > 0: hop 1, flit 2 sl1"}, []string{"hop 2, flit 1 (1 link)", "hop 1, flit 2 (1 link)"}},
		{"round the rim", "torus:3x3", "2-0,hop=2", []string{"0 – 2: hop 2, flit 1 sl0", "2 – 0: hop 2, flit 1 sl0"}, []string{"hop 2, flit 1 (2 links)"}},
		{"more times than colours", "path:9", "0>1,hop=2 1>2,hop=3 2>3,hop=4 3>4,hop=5 4>5,hop=6 5>6,hop=7 6>7,hop=8", []string{
			"0 > 1: hop 2, flit 1 sl0", "1 > 2: hop 3, flit 1 sl1", "2 > 3: hop 4, flit 1 sl2", "3 > 4: hop 5, flit 1 sl3", "4 > 5: hop 6, flit 1 sl4", "5 > 6: hop 7, flit 1 sl5", "6 > 7: hop 8, flit 1 sl5",
		}, []string{"hop 2, flit 1 (1 link)", "slower still (2 links)"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			top, slow := slowOn(t, row.topology, row.links)
			var b strings.Builder
			require.NoError(t, (&svg.Network{Topology: top, Slow: slow}).Write(&b))
			require.Equal(t, row.bands, bands(b.String(), "sl"))
			for _, words := range row.legend {
				require.Contains(t, b.String(), words)
			}
		})
	}
}

func TestSlowLinksOfALoad(t *testing.T) {
	top, slow := slowOn(t, "path:3", "0-1,hop=3")
	var b strings.Builder
	require.NoError(t, (&svg.Load{Topology: top, Slow: slow, Use: make([]svg.Use, len(top.Links()))}).Write(&b))
	require.Equal(t, []string{"0 > 1: hop 3, flit 1 sl0", "1 > 0: hop 3, flit 1 sl0"}, bands(b.String(), "sl"))
	require.Contains(t, b.String(), "hop 3, flit 1 (2 links)")
	require.Contains(t, b.String(), "blocked 0, hop 3, flit 1</title>")
	top, slow = slowOn(t, "mesh:100x100", "0-1,hop=3")
	b.Reset()
	require.NoError(t, (&svg.Load{Topology: top, Slow: slow, Use: make([]svg.Use, len(top.Links()))}).Write(&b))
	require.NotContains(t, b.String(), "hop 3")
	require.Contains(t, b.String(), "Slower links are not marked")
}

func TestSlowLinksOfADiagram(t *testing.T) {
	for _, row := range []struct {
		topology, links string
		bands           []string
		elsewhere       string
	}{
		{"path:4", "0-1,hop=3 1>2,flit=2", []string{"0 > 1: hop 3, flit 1; 1 > 0: hop 3, flit 1 strip sf0", "1 > 2: hop 1, flit 2 strip sf1"}, ""},
		{"path:4", "0>1,hop=3 1>0,flit=2", []string{"1 > 0: hop 1, flit 2; 0 > 1: hop 3, flit 1 strip sf1"}, ""},
		{"mesh:2x2", "0-2,hop=3 0-1,hop=3", []string{"0 > 1: hop 3, flit 1; 1 > 0: hop 3, flit 1 strip sf0"}, "2 slow links not marked"},
	} {
		top, slow := slowOn(t, row.topology, row.links)
		d := svg.SpaceTime{Slow: slow, High: 3, Text: func(svg.Flit) string { return "" }, Name: func(svg.Flit) string { return "" }}
		d.Cross(svg.Flit{Length: 1}, 0, 1, 0, 3)
		var b strings.Builder
		require.NoError(t, d.Write(&b))
		require.Equal(t, row.bands, bands(b.String(), "strip sf"), fmt.Sprint(top))
		require.Equal(t, row.elsewhere != "", strings.Contains(b.String(), "not marked"))
		require.Contains(t, b.String(), row.elsewhere)
	}
}

// SPDX-License-Identifier: Apache-2.0

package machine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// slow is a machine with links of their own, on a topology.
func slow(t *testing.T, spec, links string, settings ...string) (*topology.Topology, machine.Machine) {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	require.NoError(t, m.Set("links", links))
	return topo, m
}

func TestLinkTimes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "links.csv")
	require.NoError(t, os.WriteFile(file, []byte("# off the board\nhop,link,flit\n5,1-2,\n,2>3,4\n"), 0o600))
	type times map[[2]router.NodeID]machine.LinkTime // all others are 2, 1
	for _, row := range []struct {
		name, topology, links string
		want                  times
	}{
		{"both directions", "path:4", "1-2,hop=8,flit=3", times{{1, 2}: {8, 3}, {2, 1}: {8, 3}}},
		{"one direction", "path:4", "2>1,flit=3", times{{2, 1}: {2, 3}}},
		{"the last one counts", "path:3", "all,hop=4 1>2,hop=3", times{{0, 1}: {4, 1}, {1, 0}: {4, 1}, {2, 1}: {4, 1}, {1, 2}: {3, 1}}},
		{"a dimension", "mesh:2x2", "dim:1,hop=5", times{{0, 2}: {5, 1}, {2, 0}: {5, 1}, {1, 3}: {5, 1}, {3, 1}: {5, 1}}},
		{"blocks", "mesh:4x1", "blocks:2x1,hop=5", times{{1, 2}: {5, 1}, {2, 1}: {5, 1}}},
		{"blocks of a ring", "ring:4", "blocks:2,hop=5", times{{1, 2}: {5, 1}, {2, 1}: {5, 1}, {3, 0}: {5, 1}, {0, 3}: {5, 1}}},
		{"a block that is the whole side of a torus", "torus:2x3", "blocks:2x2,hop=5", times{{0, 4}: {5, 1}, {4, 0}: {5, 1}, {1, 5}: {5, 1}, {5, 1}: {5, 1}, {2, 4}: {5, 1}, {4, 2}: {5, 1}, {3, 5}: {5, 1}, {5, 3}: {5, 1}}},
		{"the last block is smaller", "path:5", "blocks:2,hop=5", times{{1, 2}: {5, 1}, {2, 1}: {5, 1}, {3, 4}: {5, 1}, {4, 3}: {5, 1}}},
		{"no links at all", "mesh:1", "all,hop=5", times{}},
		{"a file, and what replaces it", "path:4", file + " 2-1,hop=6", times{{1, 2}: {6, 1}, {2, 1}: {6, 1}, {2, 3}: {2, 4}}},
		{"no links", "path:4", "even", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			topo, m := slow(t, row.topology, row.links, "hop", "2")
			m, err := m.Resolve(topo)
			require.NoError(t, err)
			times, err := m.LinkTimes(topo)
			require.NoError(t, err)
			if row.want == nil {
				require.Nil(t, times)
				return
			}
			slowest := machine.LinkTime{Hop: 2, Flit: 1}
			for link := range topo.EachLink() {
				want, known := row.want[[2]router.NodeID{link.From, link.To}]
				if !known {
					want = machine.LinkTime{Hop: 2, Flit: 1}
				}
				require.Equal(t, want, times.Of(link.From, link.FromPort), "%d>%d", link.From, link.To)
				slowest = machine.LinkTime{Hop: max(slowest.Hop, want.Hop), Flit: max(slowest.Flit, want.Flit)}
			}
			require.Equal(t, slowest, times.Slowest)
		})
	}
}

// The links that faults leave keep their times, by the new numbers of their nodes.
func TestLinkTimesOfSurvivors(t *testing.T) {
	topo, m := slow(t, "mesh:3x2", "dim:1,hop=5 3>4,flit=2 4-5,hop=7 0-1,hop=3")
	left, err := topo.Without(func(n router.NodeID) bool { return n == 0 }, func(from, to router.NodeID) bool { return min(from, to) == 1 && max(from, to) == 4 })
	require.NoError(t, err)
	times, err := m.LinkTimes(left.Topology)
	require.NoError(t, err)
	require.Equal(t, machine.LinkTime{Hop: 7, Flit: 2}, times.Slowest)
	whole, err := m.LinkTimes(topo)
	require.NoError(t, err)
	require.Len(t, left.Topology.Links(), 2*4)
	for link := range left.Topology.EachLink() {
		from, to := left.Node[link.From], left.Node[link.To]
		port, ok := topo.PortTo(from, to)
		require.True(t, ok)
		require.Equal(t, whole.Of(from, port), times.Of(link.From, link.FromPort), "%d>%d", from, to)
	}
}

func TestBelowFullRate(t *testing.T) {
	for _, row := range []struct {
		links, hop, buffer, want string
	}{
		{"even", "3", "4", ""},
		{"even", "20", "4", "buffer 4 is below the full rate of hop 20 (21 flits)"},
		{"1-2,hop=20,flit=4", "3", "6", ""},
		{"1-2,hop=20,flit=4", "3", "5", "buffer 5 is below the full rate of links with hop 20 and flit 4 (6 flits)"},
		{"1-2,hop=20,flit=4 2-3,hop=9", "3", "5", "buffer 5 is below the full rate of links with hop 9 and flit 1 (10 flits)"},
		{"1-2,hop=20,flit=4", "3", "3", "buffer 3 is below the full rate of hop 3 (4 flits), and of links with hop 20 and flit 4 (6 flits)"},
		{"1-2,flit=4", "3", "3", "buffer 3 is below the full rate of hop 3 (4 flits)"},
	} {
		topo, m := slow(t, "path:4", row.links, "hop", row.hop, "buffer", row.buffer)
		require.Equal(t, row.want, m.BelowFullRate(topo))
	}
}

func TestWrongLinks(t *testing.T) {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for _, row := range []struct{ links, want string }{
		{"fast", `links: "fast" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`},
		{"3+4,hop=2", `links: "3+4" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`},
		{"3-,hop=2", `links: "3-" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`},
		{"dim:x,hop=2", `links: "dim:x" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`},
		{"blocks:0x4,hop=2", `links: "blocks:0x4" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`},
		{"3-4", `links: "3-4" (expected hop=CYCLES, flit=CYCLES, or both, such as 3-4,hop=8,flit=2)`},
		{"3-4,hop=2,hop=3", `links: "3-4,hop=2,hop=3" (expected hop=CYCLES, flit=CYCLES, or both, such as 3-4,hop=8,flit=2)`},
		{"3-4,width=2", `links: "3-4,width=2" (expected hop=CYCLES, flit=CYCLES, or both, such as 3-4,hop=8,flit=2)`},
		{"3-4,hop=0", `links: hop "0" (expected a whole number from 1 to 64)`},
		{"3-4,flit=65", `links: flit "65" (expected a whole number from 1 to 64)`},
		{"3-4,hop=+2", `links: hop "+2" (expected a whole number from 1 to 64)`},
		{"3-4,flit=-2", `links: flit "-2" (expected a whole number from 1 to 64)`},
		{"", `links: "" (expected even, or links such as 3-4,hop=8,flit=2)`},
		{" ", `links: " " (expected even, or links such as 3-4,hop=8,flit=2)`},
		{"[]", `links: "[]" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`},
		{"even 3-4,hop=2", `links: "even" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`},
	} {
		require.EqualError(t, m.Set("links", row.links), row.want)
	}
	file := filepath.Join(t.TempDir(), "l.csv")
	for _, row := range []struct{ text, want string }{
		{"", ": no links (expected rows of link,hop,flit)"},
		{"link,hop,flit\n3-4,8\n", ":2: 2 columns (expected link,hop,flit)"},
		{"3-4,8,2\n4,8,2\n", `:2: "4" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`},
		{"3-4,x,2\n", `:1: hop "x" (expected a whole number from 1 to 64)`},
		{"3-4,,\n", ":1: 3-4 without times (expected a hop, a flit, or both)"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(row.text), 0o600))
		require.EqualError(t, m.Set("links", file), file+row.want)
	}
	require.EqualError(t, m.Set("links", "./none.csv"), "./none.csv: no such file or directory (expected a file that can be read)")
	require.NoError(t, os.WriteFile(file, []byte("link,hop,flit\n0-1,8,2\n3-7,8,2\n"), 0o600))
	for _, row := range []struct{ topology, links, key, value, want string }{
		{"path:4", "2-4,hop=2", "hop", "1", "links 2-4: 2>4 is not a link of path:4 (expected two neighbours)"},
		{"path:4", file, "hop", "1", file + ":3: 3>7 is not a link of path:4 (expected two neighbours)"},
		{"path:4", "dim:1,hop=2", "hop", "1", "links dim:1: dimension 1 of path:4 (expected dimensions 0 to 0)"},
		{"star:3", "dim:1,hop=2", "hop", "1", "links dim:1: dimension 1 of star:3 (expected a grid)"},
		{"ring:4", "blocks:4,hop=5", "hop", "1", "links blocks:4: no link of ring:4 joins two blocks (expected a side below that of the network, or links even)"},
		{"mesh:4x1", "dim:1,hop=5", "hop", "1", "links dim:1: mesh:4x1 has no links of dimension 1 (expected a dimension with two nodes or more, or links even)"},
		{"mesh:4x4", "blocks:2,hop=2", "hop", "1", "links blocks:2: blocks with 1 side on mesh:4x4 (expected dimensions 0 to 1, and a side of the blocks for each)"},
		{"path:4", "1-2,hop=2", "hop", "3", "links 1-2: hop 2 (expected at least 3: the machine's hop is that of its fastest links)"},
		{"path:4", file, "flit", "3", file + ":2: flit 2 (expected at least 3: the machine's flit is that of its fastest links)"},
		{"path:4", "1-2,hop=2", "switching", "cut-through", "links 1-2,hop=2: not on a machine of switching cut-through (expected switching wormhole, or all links alike)"},
		{"path:4", "1-2,hop=2", "switching", "bufferless", "links 1-2,hop=2: not on a machine of switching bufferless (expected switching wormhole, or all links alike)"},
	} {
		topo, m := slow(t, row.topology, row.links, row.key, row.value)
		_, err := m.Resolve(topo)
		require.EqualError(t, err, row.want)
	}
}

func TestLinksInAFile(t *testing.T) {
	for _, text := range []string{
		"links: [\"0-1,hop=3\", \"1>2,flit=2\"]\n",
		"links: 0-1,hop=3 1>2,flit=2\n",
		"preset: wormhole\nlinks:\n  - 0-1,hop=3\n  - 1>2,flit=2\n",
	} {
		f, err := machine.Parse("m.yaml", []byte(text))
		require.NoError(t, err)
		require.Equal(t, "0-1,hop=3 1>2,flit=2", f.Machine.Links.String())
		require.Equal(t, "wormhole links=0-1,hop=3 1>2,flit=2", f.Machine.Describe())
	}
	for _, text := range []string{"links: []\n", "links: even\n", "links: [even]\n"} {
		f, err := machine.Parse("m.yaml", []byte(text))
		require.NoError(t, err)
		require.Nil(t, f.Machine.Links)
	}
	_, err := machine.Parse("m.yaml", []byte("buffer: 4\nlinks:\n"))
	require.EqualError(t, err, `m.yaml:2: links: "" (expected even, or links such as 3-4,hop=8,flit=2)`)
	_, err = machine.Parse("m.yaml", []byte("buffer: 4\nlinks: slow\n"))
	require.EqualError(t, err, `m.yaml:2: links: "slow" (expected links such as 3-4, 3>4, dim:1, blocks:4x4 or all)`)
}

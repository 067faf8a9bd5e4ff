// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/internal/rational"
	"meshwright/router"
)

// What links do in windows that follow each other adds up to what they do in
// the whole run; no window is busy for longer than it lasts.
func TestWindowsAddUp(t *testing.T) {
	setup, err := rational.New(7, 3)
	require.NoError(t, err)
	for name, sc := range map[string]scenario{
		"wormhole":      {"", "mesh:4x4", "wormhole", nil, randomScript(16, 120, 9, 100, 5)},
		"slow links":    {"", "torus:4x3", "wormhole", func(m *machine.Machine) { m.Hop, m.Flit, m.VCs = 2, 3, 2 }, randomScript(12, 60, 6, 30, 2)},
		"bufferless":    {"", "mesh:4x4", "bufferless", nil, randomScript(16, 60, 6, 60, 3)},
		"store-forward": {"", "mesh:3x3", "store-forward", func(m *machine.Machine) { m.Setup, m.Packet = setup, 6 }, randomScript(9, 40, 6, 200, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			net := network(t, sc.topology, sc.preset, sc.change)
			opts := []capture.Options{{}, {Until: 1 << 40}, {From: 0, Until: 7}, {From: 7, Until: 8}, {From: 8, Until: 50}, {From: 50}}
			uses := capturedUses(t, net, sc.lines, opts)
			for link, use := range uses[0] {
				require.Equal(t, use, uses[1][link], link)
				var busy, blocked big.Rat
				for i := range uses[2:] {
					part := uses[2+i][link]
					busy.Add(&busy, part.busy)
					blocked.Add(&blocked, part.blocked)
					require.LessOrEqual(t, part.busy.Cmp(part.of), 0, link)
				}
				require.Zero(t, busy.Cmp(use.busy), link)
				require.Zero(t, blocked.Cmp(use.blocked), link)
			}
		})
	}
}

// linkUse has the counts that a picture gives for a link, in cycles.
type linkUse struct{ busy, of, blocked *big.Rat }

var useTitle = regexp.MustCompile(`<title>(\d+) &gt; (\d+): busy ([\d./]+) of ([\d./]+) cycles \([^)]*\), blocked ([\d./]+)</title>`)

// capturedUses runs a script and returns what pictures of several windows say of every link.
func capturedUses(t *testing.T, net *fabric.Network, lines []send, windows []capture.Options) []map[string]linkUse {
	t.Helper()
	var open []capture.Capture
	var paths []string
	for i := range windows {
		paths = append(paths, filepath.Join(t.TempDir(), "run.svg"))
		c, err := capture.Open(paths[i], net, windows[i])
		require.NoError(t, err)
		net.Attach(c)
		open = append(open, c)
	}
	run(t, net, lines)
	uses := make([]map[string]linkUse, len(windows))
	for i, c := range open {
		require.NoError(t, c.Close())
		text, err := os.ReadFile(paths[i])
		require.NoError(t, err)
		uses[i] = map[string]linkUse{}
		for _, m := range useTitle.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\u2009", ""), -1) {
			uses[i][m[1]+">"+m[2]] = linkUse{number(t, m[3]), number(t, m[4]), number(t, m[5])}
		}
		require.Len(t, uses[i], len(net.Topology.Links()))
	}
	return uses
}

func number(t *testing.T, text string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return x
}

// A picture of some nodes has these and their neighbours, and their links.
func TestLoadOfSomeNodes(t *testing.T) {
	for _, test := range []struct {
		spec         string
		nodes        []router.NodeID
		drawn, links int
	}{
		{"mesh:8x8", []router.NodeID{0, 1, 8, 9}, 8, 16},
		{"torus:8x8", []router.NodeID{0}, 3, 8},
		{"binary:6", []router.NodeID{0, 1, 2}, 7, 12},
		{"debruijn:8", []router.NodeID{3}, 5, 8},
		{"random-tree:5000", []router.NodeID{4000}, 3, 4},
		{"mesh:200x200", []router.NodeID{20100}, 5, 8},
		{"mesh:3x4x5", []router.NodeID{13}, 4, 10},
	} {
		topo := network(t, test.spec, "wormhole", nil).Topology
		d := readDrawing(t, picture(t, scenario{"", test.spec, "wormhole", nil, randomScript(topo.Nodes(), 30, 5, 10, 3)},
			capture.Options{Nodes: test.nodes}))
		require.Len(t, d.nodes, test.drawn, test.spec)
		require.Len(t, d.links, test.links, test.spec)
		words := map[string]bool{}
		for _, text := range d.texts {
			require.True(t, text.within(d.page), text.words)
			words[text.words] = true
		}
		require.Equal(t, test.spec == "mesh:3x4x5", words["z = 1"], "layers are named")
	}
}

// Diagrams wider than a screen show a part, say so, and show all when asked to.
func TestWideDiagramsAreCut(t *testing.T) {
	sc := scenario{"", "path:120", "wormhole", nil, []send{data(0, 100, 119, 7, 20), data(3, 60, 58, 8, 3)}}
	d := readDrawing(t, picture(t, sc, capture.Options{}))
	require.LessOrEqual(t, d.page.right, 1500.0)
	words := ""
	for _, text := range d.texts {
		words += text.words + "\n"
	}
	require.Regexp(t, `Wide diagram: nodes 95 to 119 of 0 to 119 are shown; the option --nodes shows others, and --nodes 0-119 all\.`, words)
	require.Contains(t, words, "m1.1")
	require.Contains(t, words, "m1: ")
	require.NotContains(t, words, "m2: ", "the legend has only what is shown")

	all := make([]router.NodeID, 120)
	for n := range all {
		all[n] = router.NodeID(n)
	}
	d = readDrawing(t, picture(t, sc, capture.Options{Nodes: all}))
	require.Greater(t, d.page.right, 4000.0)
	for _, topology := range []string{"path:1000", "path:5000", "ring:700"} {
		var lines []send
		for i := range uint32(500) {
			lines = append(lines, data(router.Cycle(i), router.NodeID(i), router.NodeID(i+1), i, 3))
		}
		d := readDrawing(t, picture(t, scenario{"", topology, "wormhole", nil, lines}, capture.Options{}))
		require.LessOrEqual(t, d.page.right, 1500.0)
		d.requireLegible(t)
		require.Contains(t, d.texts[2].words, "Wide diagram", "above the diagram")
	}
}

// Words of diagrams of columns and rows lie on no other words.
func TestSpaceTimesAreLegible(t *testing.T) {
	for _, sc := range []scenario{
		scenarios()[0], scenarios()[1],
		{"", "ring:12", "wormhole", nil, randomScript(12, 14, 6, 14, 5)},
		{"", "path:10", "bufferless", nil, randomScript(10, 14, 6, 30, 5)},
		{"", "ring:60", "wormhole", func(m *machine.Machine) { m.Channels = 1 }, randomScript(60, 60, 40, 600, 5)},
		{"", "path:30000", "wormhole", nil, randomScript(100, 60, 40, 60, 5)},
	} {
		readDrawing(t, picture(t, sc, capture.Options{})).requireLegible(t)
	}
}

// Long and strange names of files stay on the page, and are no markup.
func TestLongTitles(t *testing.T) {
	for _, picked := range []capture.Picture{capture.SpaceTime, capture.LinkLoad} {
		sc := scenarios()[0]
		d := readDrawing(t, picture(t, sc, capture.Options{Picture: picked, Title: strings.Repeat("<b>\n\x01&\"", 10000) + "end"}))
		d.requireLegible(t)
		require.True(t, strings.HasPrefix(d.texts[0].words, "<b>\\n\\x01&\""), d.texts[0].words)
		require.True(t, strings.HasSuffix(d.texts[0].words, "end"))
		require.Less(t, d.page.right, 1500.0)
	}
}

// A window has all of its cycles, as far as the run goes; one after the run
// shows nothing and says why.
func TestRowsOfAWindow(t *testing.T) {
	for _, test := range []struct {
		opts            capture.Options
		first, last, no string
	}{
		{capture.Options{From: 3, Until: 6}, ">3<", ">5<", ">6<"},
		{capture.Options{From: 7, Until: 20}, ">7<", ">10<", ">11<"},
		{capture.Options{Until: 4}, ">0<", ">3<", ">4<"},
	} {
		got := string(picture(t, scenarios()[0], test.opts))
		require.Contains(t, got, test.first)
		require.Contains(t, got, test.last)
		require.NotContains(t, got, test.no)
	}
	for _, picked := range []capture.Picture{capture.SpaceTime, capture.LinkLoad} {
		got := string(picture(t, scenarios()[0], capture.Options{From: 500, Picture: picked}))
		require.Contains(t, got, "Nothing is to be seen: the run ends before the window begins.")
	}
}

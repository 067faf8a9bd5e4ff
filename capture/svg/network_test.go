// SPDX-License-Identifier: Apache-2.0

package svg_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture/svg"
	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// elements counts the elements of a picture by name and class.
func elements(t *testing.T, picture []byte) map[string]int {
	counts := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return counts
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok {
			class := ""
			for _, a := range start.Attr {
				if a.Name.Local == "class" {
					class = a.Value
				}
			}
			counts[strings.TrimSpace(start.Name.Local+" "+class)]++
		}
	}
}

// A picture of a network has a square for each node, a line for each link and an arrow for each edge of a tree; a link that does not
// end beside its node is two strokes.
func TestPictureOfANetwork(t *testing.T) {
	for _, c := range []struct {
		spec                 string
		squares, lines, tree int
	}{
		{"mesh:3x3", 9, 12, 8},
		{"ring:6", 6, 6, 5},
		{"path:4", 4, 3, 3},
		{"torus:3x3", 9, 12 + 6*4, 4 + 4*2},
		{"hypercube:3", 8, 8 + 4*4, 3 + 3 + 2},
		{"binary:2", 7, 6, 6},
		{"complete:5", 5, 10, 4},
		{"star:3", 6, 6, 5},
	} {
		topo, err := topology.Parse(c.spec)
		require.NoError(t, err)
		var out bytes.Buffer
		n := svg.Network{Title: c.spec, Topology: topo, Root: topo.Root, Trees: []*topology.SpanningTree{topology.BreadthFirst(topo, topo.Root)}}
		require.NoError(t, n.Write(&out))
		got := elements(t, out.Bytes())
		require.Equal(t, []int{c.squares, c.lines}, []int{got["rect n"], got["path w"]}, c.spec)
		require.GreaterOrEqual(t, got["path f0"], c.tree, c.spec)
		require.Equal(t, 1, got["rect r"], c.spec)
	}
}

// Arrows lie on the lines of their links, and beside them where two go opposite ways. A group has a square for each of its nodes and one in the legend.
func TestPictureOfArrowsAndGroups(t *testing.T) {
	topo, err := topology.Parse("mesh:3x2")
	require.NoError(t, err)
	var out bytes.Buffer
	ring := []router.NodeID{0, 1, 2, 5, 4, 3}
	n := svg.Network{
		Topology: topo,
		Groups:   []svg.Group{{Name: "corners", Nodes: []router.NodeID{0, 2, 3, 5}}, {Name: "others", Nodes: []router.NodeID{1}}},
	}
	for i, node := range ring {
		n.Arrows = append(n.Arrows, svg.Arrow{From: node, To: ring[(i+1)%6], Words: fmt.Sprintf("step %d", i+1)})
	}
	require.NoError(t, n.Write(&out))
	got := elements(t, out.Bytes())
	require.Equal(t, []int{1, 4 + 1, 1 + 1, 6, 0}, []int{got["rect n"], got["rect g0"], got["rect g1"], got["path f0"], got["rect r"]})
	require.Contains(t, out.String(), "step 6: 3 &gt; 0")
	single := out.String()
	n.Arrows = append(n.Arrows, svg.Arrow{From: 1, To: 0, Words: "back"})
	out.Reset()
	require.NoError(t, n.Write(&out))
	require.Equal(t, 7, elements(t, out.Bytes())["path f0"])
	first := regexp.MustCompile(`step 1: .*`)
	require.NotEqual(t, first.FindString(single), first.FindString(out.String()))
}

// A dead node has a square of its own, and a link that is dead in both directions one line, or two strokes at the rim. A link
// that is dead in one direction is an arrow. What is dead in some cycles is dotted, and the legend has the cycles.
func TestPictureOfFaults(t *testing.T) {
	for _, c := range []struct {
		spec                 string
		faults               []svg.Fault
		nodes, lines, dotted int
		arrows               int
		title                string
	}{
		{"mesh:3x3", []svg.Fault{{From: 4, To: 4, When: "dead"}}, 1, 4, 0, 0, "1 &gt; 4: dead"},
		{"mesh:3x3", []svg.Fault{{From: 0, To: 1, When: "dead"}, {From: 1, To: 0, When: "dead"}}, 0, 1, 0, 0, "0 &gt; 1: dead"},
		{"mesh:3x3", []svg.Fault{{From: 1, To: 0, When: "dead from cycle 9 on"}}, 0, 0, 1, 1, "1 &gt; 0: dead from cycle 9 on"},
		{"mesh:3x3", []svg.Fault{{From: 0, To: 1, When: "dead"}, {From: 1, To: 0, When: "dead from cycle 9 on"}}, 0, 1, 1, 2, "1 &gt; 0: dead from cycle 9 on"},
		{"ring:5", []svg.Fault{{From: 0, To: 4, When: "dead"}, {From: 4, To: 0, When: "dead"}, {From: 2, To: 2, When: "dead"}}, 1, 3, 0, 0, "0 &gt; 4: dead"},
		{"torus:4x4", []svg.Fault{{From: 0, To: 3, When: "dead"}, {From: 3, To: 0, When: "dead"}}, 0, 4, 0, 0, "3 &gt; 0: dead"},
		{"mesh:3x3", []svg.Fault{{From: 4, To: 4, When: "dead in cycles 3 to 8"}}, 0, 0, 4, 0, "1 &gt; 4: dead in cycles 3 to 8"},
	} {
		topo, err := topology.Parse(c.spec)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, (&svg.Network{Topology: topo, Faults: c.faults, Notes: []string{"A note."}}).Write(&out))
		got := elements(t, out.Bytes())
		if c.lines > 0 {
			c.lines++ // the legend
		}
		if c.dotted > 0 {
			c.dotted++
		}
		require.Equal(t, []int{2 * c.nodes, c.lines, c.dotted, c.arrows}, []int{got["rect dn"], got["path dl"], got["path dlt"], got["path da"]}, "%s, %v", c.spec, c.faults)
		require.Contains(t, out.String(), "<title>"+c.title+"</title>")
		require.Contains(t, out.String(), "A note.")
	}
}

// A picture of load draws dead links over the arrows of their load, marks them in the list, and says what they lost.
func TestLoadShowsWhatIsDead(t *testing.T) {
	topo, err := topology.Parse("mesh:3x2")
	require.NoError(t, err)
	l := svg.Load{Topology: topo, Ticks: 10, PerCycle: 1, Use: make([]svg.Use, len(topo.Links())), Notes: []string{"A note."}}
	for i, link := range topo.Links() {
		if link.From == 0 && link.To == 1 {
			l.Use[i] = svg.Use{Busy: 4, Lost: 2}
		}
	}
	write := func() string {
		var out bytes.Buffer
		require.NoError(t, l.Write(&out))
		return out.String()
	}
	sound := write()
	require.Contains(t, sound, "0 &gt; 1: busy 4 of 10 cycles (40 %), blocked 0, 2 messages lost<")
	require.NotContains(t, sound, "dead")
	l.Faults = svg.FaultsOf([]fault.Broken{
		{Kind: fault.Node, From: 5, To: 5, End: fault.Never},
		{Kind: fault.Link, From: 0, To: 1, BothWays: true, Start: 7, End: fault.Never},
	})
	dead := write()
	got := elements(t, []byte(dead))
	require.Equal(t, []int{2, 4 + 1, 2 + 1, 6}, []int{got["rect dn"], got["path dl"], got["path dlt"], got["path da"]}, "2-5 and 4-5 in both directions, 0-1 from cycle 7 on, and the legend")
	for _, part := range []string{
		"<title>0 &gt; 1: dead from cycle 7 on, busy 4 of 10 cycles (40 %), blocked 0, 2 messages lost</title>",
		"<title>5 &gt; 4: dead, busy 0 of 10 cycles (0 %), blocked 0</title>", ">0 → 1, dead from cycle 7 on</text>", ">dead from cycle 7 on</text>", "A note.",
	} {
		require.Contains(t, dead, part)
	}
	l.Faults = append(l.Faults, svg.Fault{From: 0, To: 1, When: "dead in cycle 2"})
	for _, part := range []string{">0 → 1, dead in some cycles</text>", "0 &gt; 1: dead from cycle 7 on, dead in cycle 2, busy"} {
		require.Contains(t, write(), part)
	}
}

// Trees that stand apart show dead nodes and links in each tree, and leave out nodes that are in no tree.
func TestTreesApartShowWhatIsDead(t *testing.T) {
	topo, err := topology.Parse("star:3")
	require.NoError(t, err)
	tree := topology.BreadthFirst(topo, 0)
	p := svg.Trees{
		Topology: topo, Trees: []*topology.SpanningTree{tree, tree}, Notes: []string{"A note."},
		Faults: svg.FaultsOf([]fault.Broken{{Kind: fault.Node, From: 3, To: 3, End: fault.Never}, {Kind: fault.Link, From: 0, To: tree.Order[1], End: fault.Never}}),
	}
	var out bytes.Buffer
	require.NoError(t, p.Write(&out))
	got := elements(t, out.Bytes())
	links := 1 // to the first child, and those of node 3 that are in the tree
	for n, parent := range tree.Parent {
		if n == 3 || parent == 3 {
			links++
		}
	}
	require.Equal(t, []int{2 + 1, 2*links + 1}, []int{got["rect dn"], got["path dl"]})
	require.Contains(t, out.String(), "A note.")
}

// Names stand for numbers in squares and in what is under the mouse; where squares have no room for them they stand outside, apart from one another.
func TestNamesOfNodes(t *testing.T) {
	box := regexp.MustCompile(`<text class="m k" x="([\d.]+)" y="([\d.]+)">(\d{5})</text>`)
	topo, err := topology.Parse("star:5")
	require.NoError(t, err)
	var out bytes.Buffer
	n := svg.Network{Topology: topo, Names: topo.Star().Name, Trees: []*topology.SpanningTree{topology.BreadthFirst(topo, 0)}}
	require.NoError(t, n.Write(&out))
	found := box.FindAllStringSubmatch(out.String(), -1)
	require.Equal(t, topo.Nodes(), len(found))
	for i, a := range found {
		for _, b := range found[:i] {
			require.False(t, math.Abs(number(t, a[1])-number(t, b[1])) < 28 && math.Abs(number(t, a[2])-number(t, b[2])) < 9, "%s and %s", a[3], b[3])
		}
	}
	require.Contains(t, out.String(), "<title>tree 1: 0 &gt; 24 (12345 &gt; 21345)</title>")
}

func number(t *testing.T, text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return x
}

func TestPicturesThatCannotBe(t *testing.T) {
	large, err := topology.Parse("mesh:150x2")
	require.NoError(t, err)
	small, err := topology.Parse("mesh:2x2")
	require.NoError(t, err)
	require.EqualError(t, (&svg.Network{Topology: large}).Write(io.Discard), "mesh:150x2 has no room in a picture (expected at most 100 nodes beside each other)")
	wrong := &svg.Network{Topology: small, Trees: []*topology.SpanningTree{topology.BreadthFirst(large, 0)}}
	require.EqualError(t, wrong.Write(io.Discard), "a tree of another network (expected a tree of mesh:2x2)")
	require.Error(t, (&svg.Network{Topology: &topology.Topology{}}).Write(io.Discard))
}

// A layout has a place for each node, apart from all others, and all links that do not end beside their nodes.
func TestLayoutOfEveryShape(t *testing.T) {
	for _, c := range []struct {
		spec  string
		stubs int
	}{
		{"path:5", 0}, {"ring:6", 0}, {"mesh:3x2", 0}, {"torus:4x4", 16}, {"mesh:2x2x2", 8}, {"hypercube:4", 32}, {"star:4", 0}, {"binary:3", 0}, {"hub:7", 0}, {"complete:6", 0}, {"debruijn:4", 0}, {"twisted-torus:4x8", 24}, {"twisted-torus:5x2,3", 14},
	} {
		topo, err := topology.Parse(c.spec)
		require.NoError(t, err)
		l := svg.LayOut(topo)
		require.Len(t, l.Nodes, topo.Nodes(), c.spec)
		require.Len(t, l.Stubs, c.stubs, c.spec)
		seen := map[svg.Place]bool{}
		for _, at := range l.Nodes {
			require.False(t, seen[at], "%s: two nodes at %v", c.spec, at)
			seen[at] = true
			require.True(t, at.X >= 0 && at.Y >= 0 && at.X <= l.Width && at.Y <= l.Height, c.spec)
		}
	}
}

// The note under a picture says lines where the picture has no arrows.
func TestNotesNameLinesOrArrows(t *testing.T) {
	for _, spec := range []string{"torus:4x4", "mesh:3x3x3", "twisted-torus:4x4,2"} {
		net, err := topology.Parse(spec)
		require.NoError(t, err)
		tree := topology.BreadthFirst(net, 0)
		for _, n := range []svg.Network{{Topology: net}, {Topology: net, Trees: []*topology.SpanningTree{tree}}} {
			var page strings.Builder
			require.NoError(t, n.Write(&page))
			require.Equal(t, len(n.Trees) > 0, regexp.MustCompile("[Aa]rrows").MatchString(page.String()), spec)
			require.Equal(t, len(n.Trees) == 0, regexp.MustCompile("[Ll]ines (at the rim )?lead").MatchString(page.String()), spec)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"encoding/xml"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
)

// area is a rectangle of a drawn picture.
type area struct{ left, top, right, bottom float64 }

func (a area) meets(b area) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

func (a area) within(b area) bool {
	return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom
}

func (a area) holdsAny(points [][2]float64) bool {
	for _, p := range points {
		if a.left < p[0] && p[0] < a.right && a.top < p[1] && p[1] < a.bottom {
			return true
		}
	}
	return false
}

func (a area) shrunk(by float64) area {
	return area{a.left + by, a.top + by, a.right - by, a.bottom - by}
}

// drawnText is words on a picture.
type drawnText struct {
	words, class string
	area
}

// drawnLink is the paths that a picture has for a link.
type drawnLink struct {
	from, to int
	points   [][2]float64 // along all of its outlines, close together
}

// drawing has the visible parts of a picture of the load of links, as read from the file.
type drawing struct {
	page  area
	texts []drawnText
	nodes map[int]area // by number
	links []drawnLink

	unnamed []area // squares whose numbers stand in them
}

// element is any element of an SVG.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func (e *element) attr(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e *element) number(name string) float64 {
	v, _ := strconv.ParseFloat(e.attr(name), 64)
	return v
}

func (e *element) has(class string) bool {
	for _, c := range strings.Fields(e.attr("class")) {
		if c == class {
			return true
		}
	}
	return false
}

// readDrawing reads a picture back.
func readDrawing(t *testing.T, text []byte) *drawing {
	t.Helper()
	var root element
	require.NoError(t, xml.Unmarshal(text, &root))
	d := &drawing{page: area{0, 0, root.number("width"), root.number("height")}, nodes: map[int]area{}}
	d.read(t, &root, false)
	for _, square := range d.unnamed {
		number, ok := 0, false
		for _, text := range d.texts {
			if n, err := strconv.Atoi(text.words); err == nil && text.within(square) {
				require.False(t, ok, "two names in a node")
				number, ok = n, true
			}
		}
		require.True(t, ok, "a node without a name")
		d.name(t, number, square)
	}
	return d
}

func (d *drawing) name(t *testing.T, number int, square area) {
	t.Helper()
	require.NotContains(t, d.nodes, number)
	d.nodes[number] = square
}

func squareOf(e *element) area {
	x, y := e.number("x"), e.number("y")
	return area{x, y, x + e.number("width"), y + e.number("height")}
}

var linkTitle = regexp.MustCompile(`^(\d+) > (\d+): `)

func (d *drawing) read(t *testing.T, e *element, centred bool) {
	switch e.XMLName.Local {
	case "text":
		if e.attr("transform") == "" {
			d.texts = append(d.texts, readText(e, centred))
		}
	case "rect":
		if e.has("n") {
			d.unnamed = append(d.unnamed, squareOf(e))
		}
	case "g":
		if len(e.Children) > 0 && e.Children[0].XMLName.Local == "title" {
			if number, err := strconv.Atoi(e.Children[0].Text); err == nil {
				d.name(t, number, squareOf(&e.Children[1]))
				return
			}
			d.readLink(t, e)
		}
		centred = centred || e.has("c")
	}
	for i := range e.Children {
		d.read(t, &e.Children[i], centred)
	}
}

// readText returns the room that words take, by the width that letters of the
// usual fonts have.
func readText(e *element, centred bool) drawnText {
	size := 11.0
	for class, of := range map[string]float64{"t": 18, "s": 12, "k": 10} {
		if e.has(class) {
			size = of
		}
	}
	x, y, width := e.number("x"), e.number("y"), 0.0
	for _, letter := range e.Text {
		switch {
		case strings.ContainsRune(" .,:;·…\u2009il1", letter):
			width += 0.35
		case letter == '%':
			width += 0.85
		default:
			width += 0.56
		}
	}
	width *= size
	left := x
	switch {
	case e.has("e"):
		left = x - width
	case e.has("m") || centred:
		left = x - width/2
	}
	return drawnText{e.Text, e.attr("class"), area{left, y - 0.72*size, left + width, y + 0.02*size}}
}

func (d *drawing) readLink(t *testing.T, e *element) {
	m := linkTitle.FindStringSubmatch(e.Children[0].Text)
	require.NotNil(t, m, e.Children[0].Text)
	link := drawnLink{}
	link.from, _ = strconv.Atoi(m[1])
	link.to, _ = strconv.Atoi(m[2])
	for i := range e.Children {
		if e.Children[i].XMLName.Local == "path" {
			link.points = append(link.points, pathPoints(t, e.Children[i].attr("d"))...)
		}
	}
	require.NotEmpty(t, link.points, m[0])
	d.links = append(d.links, link)
}

var pathPart = regexp.MustCompile(`([MLQZ])([^MLQZ]*)`)

// pathPoints returns points along a path, at most about a pixel apart.
func pathPoints(t *testing.T, d string) [][2]float64 {
	var points [][2]float64
	var at, start [2]float64
	to := func(control, end [2]float64) {
		long := math.Hypot(control[0]-at[0], control[1]-at[1]) + math.Hypot(end[0]-control[0], end[1]-control[1])
		steps := int(long) + 1
		for i := range steps + 1 {
			s := float64(i) / float64(steps)
			u := 1 - s
			points = append(points, [2]float64{
				u*u*at[0] + 2*u*s*control[0] + s*s*end[0], u*u*at[1] + 2*u*s*control[1] + s*s*end[1],
			})
		}
		at = end
	}
	straight := func(end [2]float64) { to([2]float64{(at[0] + end[0]) / 2, (at[1] + end[1]) / 2}, end) }
	for _, part := range pathPart.FindAllStringSubmatch(d, -1) {
		var v []float64
		for _, field := range strings.Fields(part[2]) {
			x, err := strconv.ParseFloat(field, 64)
			require.NoError(t, err)
			v = append(v, x)
		}
		switch part[1] {
		case "M":
			at, start = [2]float64{v[0], v[1]}, [2]float64{v[0], v[1]}
		case "L":
			straight([2]float64{v[0], v[1]})
		case "Q":
			to([2]float64{v[0], v[1]}, [2]float64{v[2], v[3]})
		case "Z":
			straight(start)
		}
	}
	return points
}

// requireLegible demands that no words lie on other words, on a node that is
// not theirs or beyond the page.
func (d *drawing) requireLegible(t *testing.T) {
	t.Helper()
	for i, a := range d.texts {
		if !a.within(d.page) {
			t.Errorf("%q is cut off", a.words)
		}
		for _, b := range d.texts[:i] {
			if a.meets(b.area) {
				t.Errorf("%q lies on %q", a.words, b.words)
			}
		}
		for n, node := range d.nodes {
			named := a.words == strconv.Itoa(n) && a.within(node)
			if a.meets(node.shrunk(0.5)) && !named {
				t.Errorf("%q lies on node %d", a.words, n)
			}
		}
	}
	for n, node := range d.nodes {
		if !node.within(d.page) {
			t.Errorf("node %d is cut off", n)
		}
		for m, other := range d.nodes {
			if n < m && node.meets(other) {
				t.Errorf("node %d lies on node %d", n, m)
			}
		}
	}
}

// requireClear demands that no link passes behind a node that it does not join.
func (d *drawing) requireClear(t *testing.T) {
	t.Helper()
	for _, link := range d.links {
		all := extent(link.points)
		for n, node := range d.nodes {
			if n != link.from && n != link.to && node.meets(all) && node.holdsAny(link.points) {
				t.Errorf("link %d>%d passes behind node %d", link.from, link.to, n)
			}
		}
	}
}

// extent is the smallest area with all points.
func extent(points [][2]float64) area {
	all := area{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		all = area{min(all.left, p[0]), min(all.top, p[1]), max(all.right, p[0]), max(all.bottom, p[1])}
	}
	return all
}

// Every kind of network, small and large: words are legible, links are seen
// from end to end, and every link and node is there.
func TestLoadsAreLegible(t *testing.T) {
	for _, spec := range []string{
		"mesh:2x2", "mesh:4x4", "mesh:16x16", "mesh:24x24", "mesh:40x3", "mesh:3x4x5", "mesh:8x8x4", "mesh:3x3x3x2", "mesh:2x2x2x2x3",
		"torus:3x3", "torus:8x8", "torus:4x4x4", "torus:3x3x3x3", "hypercube:1", "hypercube:3", "hypercube:4", "hypercube:6",
		"binary:1", "binary:2", "binary:4", "binary:5", "comb:5x4", "random-tree:30", "random-tree:30,7", "random-tree:60,2", "recursive-tree:50",
		"hub:3", "hub:8", "hub:40", "debruijn:3", "debruijn:5", "complete:3", "complete:6", "complete:12", "random:12,3", "random:20,3", "random:40,4,9",
		"twisted-torus:4x8", "twisted-torus:6x4,1", "path:2", "path:12", "path:90", "ring:3", "ring:12", "ring:60", "ring:200",
	} {
		t.Run(spec, func(t *testing.T) {
			topo := network(t, spec, "wormhole", nil).Topology
			got := picture(t, scenario{"", spec, "wormhole", nil, randomScript(topo.Nodes(), 100, 9, 60, 5)},
				capture.Options{Picture: capture.LinkLoad, Title: "Random traffic"})
			d := readDrawing(t, got)
			require.Len(t, d.nodes, topo.Nodes())
			require.Len(t, d.links, len(topo.Links()))
			require.LessOrEqual(t, d.page.right, 1500.0, "wider than a screen")
			d.requireLegible(t)
			d.requireClear(t)
		})
	}
}

// Of networks too large for a screen the part around the root is drawn as well,
// and said to be a part.
func TestPartsOfLargeNetworks(t *testing.T) {
	for spec, part := range map[string]int{
		"random-tree:1000": 100, "recursive-tree:3000": 100, "binary:9": 200, "hub:500": 100, "comb:100x100": 800, "random:900,3": 200, "debruijn:9": 200, "complete:150": 150,
	} {
		topo := network(t, spec, "wormhole", nil).Topology
		got := picture(t, scenario{"", spec, "wormhole", nil, randomScript(topo.Nodes(), 100, 9, 60, 5)}, capture.Options{})
		d := readDrawing(t, got)
		require.LessOrEqual(t, d.page.right, 1500.0)
		require.Contains(t, d.nodes, 0)
		require.Len(t, d.nodes, part, spec)
		if part < topo.Nodes() {
			require.Contains(t, string(got), "nodes nearest to node 0, of ")
		}
		d.requireLegible(t)
		d.requireClear(t)
	}
}

// All nodes are named: in their squares, or by rows, columns and layers.
func TestNodesAreNamed(t *testing.T) {
	for _, test := range []struct {
		spec  string
		named []string
	}{
		{"mesh:16x16", []string{"0", "17", "255"}},
		{"mesh:32x32", []string{"0", "32", "992", "+0", "+1", "+31", "A node's number is the sum of its row's and its column's."}},
		{"mesh:12x12x6", []string{"z = 0: from 0", "z = 5: from 720", "0", "12", "132", "+0", "+10"}},
		{"path:400", []string{"0 … 25", "51 … 26", "52 … 77"}},
		{"mesh:200x200", []string{"0", "+0", "+100", "10000"}},
	} {
		topo := network(t, test.spec, "wormhole", nil).Topology
		d := readDrawing(t, picture(t, scenario{"", test.spec, "wormhole", nil, randomScript(topo.Nodes(), 20, 5, 10, 3)},
			capture.Options{Picture: capture.LinkLoad}))
		d.requireLegible(t)
		words := map[string]bool{}
		for _, text := range d.texts {
			words[text.words] = true
		}
		for _, want := range test.named {
			require.True(t, words[want], "%s: %q", test.spec, want)
		}
	}
}

// Colours mean the same in every picture: tenths of the time, whatever the
// busiest link does.
func TestColoursAreAbsolute(t *testing.T) {
	title := regexp.MustCompile(`<title>\d+ &gt; \d+: busy (\d+) of (\d+) cycles [^<]*</title>(?:<path class="c\d[^>]*>)?<path class="(l\d|idle)"`)
	seen := map[string]bool{}
	for _, messages := range []int{3, 100, 2000} {
		got := picture(t, scenario{"", "mesh:4x4", "wormhole", nil, randomScript(16, messages, 9, 300, 5)}, capture.Options{})
		matches := title.FindAllStringSubmatch(string(got), -1)
		require.Len(t, matches, 48)
		for _, m := range matches {
			busy, _ := strconv.Atoi(m[1])
			of, _ := strconv.Atoi(m[2])
			want := fmt.Sprintf("l%d", min(9, 10*busy/of))
			if busy == 0 {
				want = "idle"
			}
			require.Equal(t, want, m[3], m[0])
			seen[want] = true
		}
		for _, label := range []string{">0 %<", ">20 %<", ">40 %<", ">60 %<", ">80 %<", ">100 %<"} {
			require.Contains(t, string(got), label)
		}
	}
	require.Greater(t, len(seen), 5)
}

// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"fmt"
	"math"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// spot is a place in the plane: of a plan in steps between neighbours, of a
// page in pixels.
type spot struct{ x, y float64 }

// heading names a row or a column of nodes whose squares have no room for names.
type heading struct {
	at    float64
	index int // of the row or column in its layer
	words string
}

// caption names a layer; it stands above the layer's corner.
type caption struct {
	at    spot
	name  string
	first router.NodeID
}

// plan says where the nodes of a network are drawn, and how the links that are
// no straight lines.
type plan struct {
	at       []spot // by node
	shown    []bool // by node: it is in the picture
	context  []bool // by node: shown as the neighbour of one that was asked for; nil: none
	grid     bool   // nodes lie on the points of a grid
	right    float64
	bottom   float64
	rows     []heading
	columns  []heading
	layers   []caption
	across   float64                               // from layer to layer, in steps
	caption  string                                // what rows, columns and layers add up to
	stub     func(link topology.Link) (spot, bool) // direction in which a link that does not end beside its node leaves it
	stubs    func(strokes string) string           // what such links are, drawn as "arrows" or "lines"; nil: there are none
	bows     map[[2]router.NodeID]float64          // of links that would pass behind a node, lower number first: how far their middle is off the straight line, to the right
	names    func(router.NodeID) string            // nil: numbers
	text     func(router.NodeID) string            // all names of a node
	wheel    bool                                  // nodes stand on a circle
	squeezed float64                               // arrows are that much thinner than on a plane grid, to find room beside each other
}

// maxAbreast bounds the nodes beside each other, across and down: more have no
// room on a screen.
const maxAbreast = 100

// newPlan lays out the nodes of a network that are of interest, and their
// neighbours; nil: all of them, or of a tree or graph too large for a screen
// those nearest to the root.
func newPlan(t *topology.Topology, interest []router.NodeID) *plan {
	if !t.IsGrid() && interest == nil {
		return planOfNearest(t)
	}
	p := planOf(t, interest)
	p.settle()
	return p
}

// planOfNearest is the plan of as many nodes around the root as a screen has
// room for.
func planOfNearest(t *topology.Topology) *plan {
	order := topology.BreadthFirst(t, t.Root).Order
	var p *plan
	for _, count := range []int{len(order), 800, 400, 200, 100, 50, 25} {
		if count > 2000 || count > len(order) {
			continue
		}
		p = planFor(t, order[:count], nil)
		p.settle()
		if p.right <= maxAbreast && p.bottom <= maxAbreast {
			break
		}
	}
	return p
}

func planOf(t *topology.Topology, interest []router.NodeID) *plan {
	if interest == nil {
		all := make([]router.NodeID, t.Nodes())
		for n := range all {
			all[n] = router.NodeID(n)
		}
		return planFor(t, all, nil)
	}
	probe := planFor(t, interest, nil) // tells which links are stubs
	context := make([]bool, t.Nodes())
	shown := slices.Clone(interest)
	for _, n := range interest {
		for port := range router.Port(t.Ports(n)) {
			m := t.Neighbor(n, port)
			if m == router.None || probe.shown[m] || context[m] {
				continue
			}
			if _, stub := probe.stub(topology.Link{From: n, FromPort: port, To: m}); !stub {
				context[m] = true
				shown = append(shown, m)
			}
		}
	}
	return planFor(t, shown, context)
}

// planFor lays out some nodes: paths and long rings in rows, grids by their
// coordinates, rings and graphs on a circle, trees level by level.
func planFor(t *topology.Topology, nodes []router.NodeID, context []bool) *plan {
	p := &plan{
		text: t.NodeText,
		at:   make([]spot, t.Nodes()), shown: make([]bool, t.Nodes()), context: context, squeezed: 1,
		stub: func(topology.Link) (spot, bool) { return spot{}, false },
	}
	for _, n := range nodes {
		p.shown[n] = true
	}
	switch {
	case t.Kind == topology.Path, t.Kind == topology.Ring && t.Nodes() > maxAbreast:
		p.snake(t)
	case t.Kind == topology.Ring:
		p.circle()
	case t.IsGrid():
		p.panels(t)
	case t.Twisted() != nil:
		p.sheet(t.Twisted())
	case t.Kind == topology.Tree:
		p.levels(topology.BreadthFirst(t, t.Root))
	default:
		p.circle()
		p.bend(t)
	}
	return p
}

// settle moves the nodes that are shown into the corner of the page.
func (p *plan) settle() {
	low, high := spot{math.Inf(1), math.Inf(1)}, spot{}
	for n, at := range p.at {
		if p.shown[n] {
			low = spot{min(low.x, at.x), min(low.y, at.y)}
			high = spot{max(high.x, at.x), max(high.y, at.y)}
		}
	}
	move := func(at spot) spot { return spot{at.x - low.x, at.y - low.y} }
	for n := range p.at {
		p.at[n] = move(p.at[n])
	}
	for i := range p.layers {
		p.layers[i].at = move(p.layers[i].at)
	}
	for i := range p.rows {
		p.rows[i].at -= low.y
	}
	for i := range p.columns {
		p.columns[i].at -= low.x
	}
	p.right, p.bottom = high.x-low.x, high.y-low.y
	within := func(end float64) func(heading) bool {
		return func(h heading) bool { return h.at < 0 || h.at > end }
	}
	p.rows = slices.DeleteFunc(p.rows, within(p.bottom))
	p.columns = slices.DeleteFunc(p.columns, within(p.right))
}

// count returns how many nodes are in the picture.
func (p *plan) count() int {
	count := 0
	for _, shown := range p.shown {
		if shown {
			count++
		}
	}
	return count
}

// name returns what a node is called.
func (p *plan) name(n router.NodeID) string {
	if p.names == nil {
		return fmt.Sprint(n)
	}
	return p.names(n)
}

// asked reports whether the picture is of a node, and not only of a neighbour of it.
func (p *plan) asked(n router.NodeID) bool {
	return p.shown[n] && (p.context == nil || !p.context[n])
}

// snake lays a line of nodes in rows that run right and left in turn. What
// closes a ring is drawn as stubs.
func (p *plan) snake(t *topology.Topology) {
	p.grid = true
	columns := len(p.at)
	if columns > 16 {
		columns = int(math.Ceil(math.Sqrt(float64(columns) * 1.6)))
	}
	for n := range p.at {
		x, y := n%columns, n/columns
		if y%2 == 1 {
			x = columns - 1 - x
		}
		p.at[n] = spot{float64(x), float64(y)}
	}
	for first := 0; first < len(p.at); first += columns {
		last, y := min(len(p.at), first+columns)-1, first/columns
		left, right := first, last
		if y%2 == 1 {
			left, right = last, first
		}
		p.rows = append(p.rows, heading{float64(y), y, fmt.Sprintf("%d … %d", left, right)})
	}
	if t.Kind != topology.Ring {
		return
	}
	last := router.NodeID(len(p.at) - 1)
	p.stubs = func(strokes string) string {
		return fmt.Sprintf("The %s that end beside nodes %d and %d close the ring.", strokes, 0, last)
	}
	p.stub = func(link topology.Link) (spot, bool) {
		switch {
		case link.From == 0 && link.To == last:
			return spot{0, -1}, true
		case link.From == last && link.To == 0:
			return spot{0, 1}, true
		}
		return spot{}, false
	}
}

// circle puts the nodes on a circle in the order of their numbers.
func (p *plan) circle() {
	p.wheel = true
	count := float64(p.count())
	radius := max(1.6, 1.25*count/(2*math.Pi))
	k := 0.0
	for n := range p.at {
		if !p.shown[n] {
			continue
		}
		angle := 2*math.Pi*k/count - math.Pi/2
		p.at[n] = spot{radius + radius*math.Cos(angle), radius + radius*math.Sin(angle)}
		k++
	}
}

// levels draws a tree from its root down. Of a part of a tree every piece is drawn beside the one before.
func (p *plan) levels(s *topology.SpanningTree) {
	across := columns(s, s.Children(), p.shown)
	for n := range p.at {
		p.at[n].x = across[n]
	}
	p.setLevels(s)
}

// columns returns where the nodes of a tree that are shown stand across: leaves in a row of steps, parents above the
// middle of their children.
func columns(s *topology.SpanningTree, children [][]router.NodeID, shown []bool) []float64 {
	at := make([]float64, len(s.Parent))
	leaf := 0.0
	// Leaves are numbered by a walk from the roots of the pieces down.
	var stack []router.NodeID
	for _, n := range slices.Backward(s.Order) {
		if shown[n] && (n == s.Root || !shown[s.Parent[n]]) {
			stack = append(stack, n)
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		before := len(stack)
		for _, child := range slices.Backward(children[n]) {
			if shown[child] {
				stack = append(stack, child)
			}
		}
		if len(stack) == before {
			at[n] = leaf
			leaf++
		}
	}
	// The order has parents before children: from its end every node finds its children in place.
	for _, n := range slices.Backward(s.Order) {
		first, last := router.None, router.None
		for _, child := range children[n] {
			if shown[child] && first == router.None {
				first = child
			}
			if shown[child] {
				last = child
			}
		}
		if shown[n] && first != router.None {
			at[n] = (at[first] + at[last]) / 2
		}
	}
	return at
}

// setLevels puts the levels so far apart that no line to a child passes behind
// a neighbour of either end: a flat line would.
func (p *plan) setLevels(s *topology.SpanningTree) {
	heights := make([]float64, slices.Max(s.Depth)+1) // above each level
	for _, n := range s.Order {
		if n == s.Root || !p.shown[n] || !p.shown[s.Parent[n]] {
			continue
		}
		d := s.Depth[n]
		heights[d] = max(heights[d], 1.3, 0.45*math.Abs(p.at[n].x-p.at[s.Parent[n]].x))
	}
	depth := make([]float64, len(heights))
	for d := 1; d < len(depth); d++ {
		depth[d] = depth[d-1] + max(heights[d], 1)
	}
	for _, n := range s.Order {
		p.at[n].y = depth[s.Depth[n]]
	}
}

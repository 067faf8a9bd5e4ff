// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective/sendtree"
	"meshwright/router"
)

// phases is an all-to-all in phases: in each of them a node puts all words that go the same way into one message. The nodes stand in a line. A phase has a
// radix r, and a node sends at most r-1 messages in it. By sections the line is cut into r sections, then each
// section into as many as the next radix says:
//
//	radices 2, 3     0 1 2 | 3 4 5     phase 1: a block goes to the section of its destination,
//	                 0|1|2 | 3|4|5     phase 2: to its part of it
//
// In a circle the route of a block, the places to its destination in the line, is a number with digits of these radices. In each
// phase the block moves on by one digit: the lowest first, or the highest first. With balanced digits, which are negative or positive, blocks take the shorter of
// the two ways around the circle:
//
//	radices 3, 3     places 4 = 1 + 3, 2 = -1 + 3, -4 = -1 - 3
//
// On a grid each row along an axis is a line, and the phases of one axis follow those of another. With several colours blocks begin with different axes.
type phases struct {
	lines []line
	turns [][]turn // by colour: its phases
	order []router.NodeID
	rank  []int // by node: its place in the order
}

// line is the nodes of a network in an order, or those along an axis.
type line struct {
	kind    phaseKind
	radices []int
	size    int
	place   func(v router.NodeID) int                      // of a node in its line
	node    func(v router.NodeID, place int) router.NodeID // at another place of the line of a node
}

// turn is a phase of a line.
type turn struct{ line, phase int }

type phaseKind int

const (
	sections phaseKind = iota
	lowestFirst
	highestFirst
	balancedLowest
	balancedHighest
	phaseKinds
)

// inOrder returns the phases of nodes in an order.
func inOrder(kind phaseKind, radices []int, order []router.NodeID) *phases {
	p := &phases{order: order, rank: make([]int, len(order))}
	for i, v := range order {
		p.rank[v] = i
	}
	p.lines = []line{{
		kind, radices, len(order), func(v router.NodeID) int { return p.rank[v] },
		func(_ router.NodeID, place int) router.NodeID { return order[place] },
	}}
	p.take(1)
	return p
}

// alongAxes returns the phases of the axes of a grid, with their radices.
func alongAxes(kind phaseKind, radices [][]int, axes []topology.Axis, nodes, colours int) *phases {
	p := &phases{rank: make([]int, nodes)}
	for v := range p.rank {
		p.rank[v] = v
	}
	for i, a := range axes {
		p.lines = append(p.lines, line{kind, radices[i], a.Size, a.Coordinate, a.Move})
	}
	p.take(colours)
	return p
}

// take takes the phases of the lines in turn, those of colour c from line c on.
func (p *phases) take(colours int) {
	for c := range colours {
		var turns []turn
		for k := range p.lines {
			i := (k + c) % len(p.lines)
			for phase := range p.lines[i].radices {
				turns = append(turns, turn{i, phase})
			}
		}
		p.turns = append(p.turns, turns)
	}
}

// next returns the node to which a block goes in a phase, or the one at which it is.
func (p *phases) next(phase int, from, at, to router.NodeID) router.NodeID {
	t := p.turns[p.colour(from, to)][phase]
	l := &p.lines[t.line]
	return l.node(at, l.next(t.phase, l.place(from), l.place(at), l.place(to)))
}

// colour returns the colour of a block, which depends on its route alone.
func (p *phases) colour(from, to router.NodeID) int {
	sum := 0
	for i := range p.lines {
		l := &p.lines[i]
		sum += (l.place(to) - l.place(from) + l.size) % l.size
	}
	return sum % len(p.turns)
}

// next returns the place to which a block goes.
func (l *line) next(phase, from, at, to int) int {
	switch l.kind {
	case sections:
		return section(l.radices[:phase+1], l.size, at, to)
	case balancedLowest:
		return (at + l.size + l.balanced(phase, from, to)) % l.size
	case balancedHighest:
		return (at + l.size + l.balanced(len(l.radices)-1-phase, from, to)) % l.size
	}
	lower, step := l.radices[:phase], 1
	if l.kind == highestFirst {
		lower = l.radices[phase+1:]
	}
	for _, r := range lower {
		step *= r
	}
	digit := (to - from + l.size) % l.size / step % l.radices[phase]
	return (at + digit*step) % l.size
}

// balanced returns by how many places a block moves for one of its balanced digits. The last digit is what the others leave.
func (l *line) balanced(place, from, to int) int {
	way, step := (to-from+l.size)%l.size, 1
	if 2*way > l.size {
		way -= l.size
	}
	for _, r := range l.radices[:place] {
		way, step = (way-balancedDigit(way, r))/r, step*r
	}
	if place < len(l.radices)-1 {
		way = balancedDigit(way, l.radices[place])
	}
	return way * step % l.size
}

// balancedDigit returns the lowest digit of a number: at most half the radix, and more than minus half of it.
func balancedDigit(number, radix int) int {
	digit := (number%radix + radix) % radix
	if 2*digit > radix {
		digit -= radix
	}
	return digit
}

// section returns the place of a block in the last of some phases, in the part of a section of its destination. Of sections of unequal length the last
// place of a short one stands for those that it lacks.
func section(radices []int, size, at, to int) int {
	low, high := 0, size
	for i, r := range radices {
		r = min(r, high-low)
		start := func(part int) int { return low + (high-low)*part/r }
		a, b := partOf(start, r, at), partOf(start, r, to)
		if i == len(radices)-1 {
			if a == b {
				return at
			}
			return min(start(b)+at-start(a), start(b+1)-1)
		}
		low, high = start(a), start(a+1)
	}
	return at
}

// partOf returns the part in which a place is.
func partOf(start func(part int) int, parts, place int) int {
	part := parts - 1
	for place < start(part) {
		part--
	}
	return part
}

// messages lists the messages of all phases, those to nodes that are less far ahead in the order first. A message's pieces are blocks.
func (n *network) messages(p *phases) (list []message) {
	type block struct{ from, at, to int32 }
	var blocks []block
	for u := range int32(n.nodes) {
		for v := range int32(n.nodes) {
			if u != v && n.Lengths[u] > 0 {
				blocks = append(blocks, block{u, u, v})
			}
		}
	}
	index := make([]int32, n.nodes*n.nodes)
	ahead := func(m *message) int { return (p.rank[m.to] - p.rank[m.from] + n.nodes) % n.nodes }
	for phase := range p.turns[0] {
		clear(index)
		first := len(list)
		for i := range blocks {
			b := &blocks[i]
			to := int32(p.next(phase, router.NodeID(b.from), router.NodeID(b.at), router.NodeID(b.to)))
			if to == b.at {
				continue
			}
			k := &index[int(b.at)*n.nodes+int(to)]
			if *k == 0 {
				list = append(list, message{from: b.at, to: to})
				*k = int32(len(list))
			}
			m := &list[*k-1]
			m.pieces = append(m.pieces, b.from*int32(n.nodes)+b.to)
			b.at = to
		}
		slices.SortStableFunc(list[first:], func(a, b message) int { return cmp.Compare(ahead(&a), ahead(&b)) })
	}
	return list
}

// mostRadix bounds the radices of phases.
const mostRadix = 32

// allRadices lists the radices of all phases that may be of use for so many nodes.
func allRadices(nodes int) (all [][]int) {
	var extend func(radices []int, product int)
	extend = func(radices []int, product int) {
		if product >= nodes {
			all = append(all, slices.Clone(radices))
			return
		}
		for r := 2; r <= mostRadix && product*(r-1) < nodes; r++ {
			extend(append(radices, r), product*r)
		}
	}
	extend(nil, 1)
	return all
}

// likely returns the radices of lines of these sizes that take little time by an estimate: startups, and words times how much longer they take where messages are in each
// other's way.
func (n *network) likely(sizes ...int) (some [][][]int) {
	all := [][][]int{nil}
	for _, size := range sizes {
		var longer [][][]int
		for _, before := range all {
			for _, radices := range allRadices(size) {
				longer = append(longer, append(slices.Clone(before), radices))
			}
		}
		all = longer
	}
	taken, order := make([]bool, len(all)), make([]int, len(all))
	for _, crowd := range []int{1, 3, 8, 20} {
		cost := make([]int, len(all))
		for i, lines := range all {
			order[i] = i
			for _, radices := range lines {
				for _, r := range radices {
					cost[i] += (r-1)*int(n.model.Startup) + crowd*(r-1)*n.total/(r*n.nodes)*int(n.model.Flit)
				}
			}
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(cost[a], cost[b]) })
		for _, i := range order[:min(len(order), likelyRadices)] {
			if !taken[i] {
				taken[i], some = true, append(some, all[i])
			}
		}
	}
	return some
}

// likelyRadices is how many radices are tried for each estimate.
const likelyRadices = 10

// maxAxes bounds the axes of grids along which phases are tried.
const maxAxes = 3

// candidates lists the phases that are tried at first.
func (s *settling) candidates() (list []*phases) {
	kinds := phaseKinds
	if s.Topology.IsGrid() && !slices.Contains(s.Topology.Wrap, true) { // nothing goes around
		kinds = balancedLowest
	}
	for _, radices := range s.likely(s.nodes) {
		for _, order := range s.orders() {
			for kind := range kinds {
				list = append(list, inOrder(kind, radices[0], order))
			}
		}
	}
	if !s.Topology.IsGrid() || len(s.Topology.Dims) < 2 || len(s.Topology.Dims) > maxAxes {
		return list
	}
	var grids []*phases
	for _, radices := range s.likely(s.Topology.Dims...) {
		for kind := range kinds {
			for _, colours := range []int{1, len(s.Topology.Dims)} {
				grids = append(grids, alongAxes(kind, radices, s.Topology.Axes(), s.nodes, colours))
			}
		}
	}
	return append(grids, list...)
}

// tried are phases with the time of their messages.
type tried struct {
	*phases
	cycles router.Cycle
}

// inPhases tries phases, and other orders of the nodes for those that were fastest.
func (s *settling) inPhases() {
	var list []tried
	for _, p := range s.candidates() {
		if s.over(s.budget / 2) {
			break
		}
		list = append(list, tried{p, s.consider(s.messages(p), 0)})
	}
	list = fastest(list, mostTightened)
	for i := range list {
		if s.over(s.budget * 5 / 8) {
			break
		}
		list[i].cycles = s.consider(s.messages(list[i].phases), mostRounds)
	}
	random := rand.New(rand.NewPCG(s.Seed, 0x6f72646572))
	for i, best := range fastest(list, mostReordered) {
		for best.order != nil && best.cycles <= s.best.cycles*9/8 && !s.over(s.budget*(5+i)/8) {
			l := &best.lines[0]
			p := inOrder(l.kind, l.radices, moved(best.order, random))
			if cycles := s.consider(s.messages(p), 1); cycles <= best.cycles {
				best = tried{p, cycles}
			}
		}
	}
}

const (
	// mostTightened bounds the phases whose messages are tightened.
	mostTightened = 12
	// mostReordered bounds those for which other orders are tried.
	mostReordered = 2
)

// fastest returns the fastest of a list.
func fastest(list []tried, most int) []tried {
	slices.SortStableFunc(list, func(a, b tried) int { return cmp.Compare(a.cycles, b.cycles) })
	return list[:min(len(list), most)]
}

// orders are the orders of the nodes that are tried first: their numbers, and walks depth first.
func (n *network) orders() [][]router.NodeID {
	orders := sendtree.Orders(n.Topology)
	walk := sendtree.Walk(topology.BreadthFirst(n.Topology, 0))
	if !slices.ContainsFunc(orders, func(o []router.NodeID) bool { return slices.Equal(o, walk) }) {
		orders = append(orders, walk)
	}
	return orders
}

// moved returns an order in which a node has another place, or two have changed places.
func moved(order []router.NodeID, random *rand.Rand) []router.NodeID {
	order = slices.Clone(order)
	a, b := random.IntN(len(order)), random.IntN(len(order))
	if random.IntN(2) == 0 {
		order[a], order[b] = order[b], order[a]
		return order
	}
	v := order[a]
	return slices.Insert(slices.Delete(order, a, a+1), b, v)
}

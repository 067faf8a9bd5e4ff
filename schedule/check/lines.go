// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// lines lays the directed links of a network out on directed lines. A slot is
// a link's place in that order: a worm that goes straight on moves from a slot
// to the next one.
type lines struct {
	t        *topology.Topology
	base     []int32 // ports of node n start here
	slot     []int32 // by port: the slot of its link, -1 where unconnected
	start    []int32 // first slot of each line, and the number of slots
	rings    []bool  // by line: the last slot leads on to the first
	closed   bool    // there are such lines
	opposite bool    // lines 2i and 2i+1 are the two ways on the same links
	line     []int32 // by slot
	link     []int32 // by slot: index in Topology.Links
	tail     []router.NodeID
	head     []router.NodeID
	tree     *chains     // of trees, else nil
	grid     []gridLines // of grids, else nil: by dimension

	linkOf []int32 // by port, while the lines are made: index in Topology.Links
}

func newLines(t *topology.Topology) *lines {
	l := &lines{t: t, base: make([]int32, t.Nodes()+1)}
	for v := range router.NodeID(t.Nodes()) {
		l.base[v+1] = l.base[v] + int32(t.Ports(v))
	}
	l.slot = make([]int32, l.base[t.Nodes()])
	l.linkOf = make([]int32, len(l.slot))
	links := int32(0)
	for v := range router.NodeID(t.Nodes()) {
		for p := range router.Port(t.Ports(v)) {
			port := l.base[v] + int32(p)
			l.slot[port], l.linkOf[port] = -1, links
			if t.Neighbor(v, p) != router.None {
				links++
			}
		}
	}
	l.line, l.link = make([]int32, 0, links), make([]int32, 0, links)
	l.tail, l.head = make([]router.NodeID, 0, links), make([]router.NodeID, 0, links)
	switch {
	case t.IsGrid():
		l.addGrid()
		l.opposite = len(t.Dims) == 1 && !t.Wrap[0]
	case t.Kind == topology.Tree:
		l.tree = newChains(t)
		l.addChains()
		l.opposite = true
	default:
		l.addSingles()
	}
	l.start = append(l.start, links)
	l.linkOf = nil
	return l
}

// begin opens the next line.
func (l *lines) begin(ring bool) {
	l.start, l.rings = append(l.start, int32(len(l.line))), append(l.rings, ring)
	l.closed = l.closed || ring
}

// add puts a link next on the open line: from v to w, by the port with the given index.
func (l *lines) add(v, w router.NodeID, port int32) {
	l.slot[port] = int32(len(l.line))
	l.line, l.link = append(l.line, int32(len(l.rings)-1)), append(l.link, l.linkOf[port])
	l.tail, l.head = append(l.tail, v), append(l.head, w)
}

// gridLines are the lines along a dimension of a grid. The slots of its links are computed: tables of large networks are
// beyond the caches.
type gridLines struct {
	size, stride uint32
	ring         bool
	length       uint32    // slots of a line
	start        [2]uint32 // by direction: the first slot of the first line
}

// place returns the coordinate of a node, and the number of its line among those of a direction.
func (g *gridLines) place(v router.NodeID) (coordinate, line uint32) {
	above := uint32(v) / g.stride
	high := above / g.size
	return above - high*g.size, high*g.stride + uint32(v) - above*g.stride
}

// coordinate returns the coordinate of a node.
func (g *gridLines) coordinate(v router.NodeID) uint32 { return uint32(v) / g.stride % g.size }

// slot returns the slot of the link at a coordinate of a line in a direction, 0 or 1.
func (g *gridLines) slot(line, coordinate, direction uint32) int32 {
	if direction != 0 {
		coordinate = g.size - 1 - coordinate
	}
	return int32(g.start[direction] + line*g.length + coordinate)
}

// addGrid makes two lines of every row, one for each direction.
func (l *lines) addGrid() {
	for d, axis := range l.t.Axes() {
		g := gridLines{size: uint32(axis.Size), stride: uint32(axis.Stride), ring: axis.Wrap, length: uint32(axis.Size)}
		if !axis.Wrap {
			g.length--
		}
		for direction := range 2 {
			edge := direction * (axis.Size - 1)
			g.start[direction] = uint32(len(l.line))
			for v := range router.NodeID(l.t.Nodes()) {
				if axis.Coordinate(v) == edge && axis.Size > 1 {
					l.addRow(v, router.Port(2*d+direction))
				}
			}
		}
		l.grid = append(l.grid, g)
	}
}

// addRow makes a line of the links straight on from v by port p, to the border
// or round to v.
func (l *lines) addRow(v router.NodeID, p router.Port) {
	l.begin(l.t.Wrap[p/2])
	for at := v; ; {
		to := l.t.Neighbor(at, p)
		if to == router.None {
			return
		}
		l.add(at, to, l.base[at]+int32(p))
		if at = to; at == v {
			return
		}
	}
}

func (l *lines) addSingles() {
	for v := range router.NodeID(l.t.Nodes()) {
		for p := range router.Port(l.t.Ports(v)) {
			if to := l.t.Neighbor(v, p); to != router.None {
				l.begin(false)
				l.add(v, to, l.base[v]+int32(p))
			}
		}
	}
}

// end returns the slot after the last one of slot's line.
func (l *lines) end(slot int32) int32 { return l.start[l.line[slot]+1] }

// follows reports whether a worm goes straight on from slot a to slot b.
func (l *lines) follows(a, b int32) bool {
	if l.line[a] != l.line[b] {
		return false
	}
	return b == a+1 || l.rings[l.line[a]] && b == l.start[l.line[a]] && a+1 == l.end(a)
}

// next returns the slot straight on from a slot that is not the last of its route.
func (l *lines) next(slot int32) int32 {
	if l.closed && slot+1 == l.end(slot) {
		return l.start[l.line[slot]]
	}
	return slot + 1
}

// portSlot returns the slot of the link of node v's port p.
func (l *lines) portSlot(v router.NodeID, p router.Port) int32 { return l.slot[l.base[v]+int32(p)] }

// position returns a number for node v that differs by 1 between the neighbours on
// a chain of a tree, and on a row along the first dimension of a grid.
func (l *lines) position(v router.NodeID) int32 {
	if l.tree == nil {
		return int32(v)
	}
	return l.tree.at[v].down // of the root -1: its chain's links begin with slot 0
}

// SPDX-License-Identifier: Apache-2.0

package router

import "sort"

// Routing chooses the link port by which a head leaves the chip it is at, or
// Here when the chip's own PE is its destination.
type Routing interface {
	Next(at NodeID, w *Worm, hop uint32) Port
}

// liner is a Routing whose routes run in straight lines, on chips whose ports come in pairs: a
// worm that came in by port p goes straight on by port p^1.
type liner interface {
	Routing
	// Line returns the port by which a worm leaves a chip on its way to a destination, and how
	// many links it goes in that direction, or Here.
	Line(at, to NodeID) (Port, int)
}

// Here is the Port that a Routing returns at the destination.
const Here Port = -2

// maxTabulated bounds the chips of a network whose routes are tabulated, and so
// the bytes that a chip spends on them: it is the search for the route that is
// slow, not the flits.
const maxTabulated = 64

// perMessage is a Routing whose route depends on more than the two ends.
type perMessage interface{ dependsOnMessage() }

// tabulate returns the ports of all routes of a small network, or nil when it is
// large or the route depends on more than the two ends.
func tabulate(r Routing, chips int) []int8 {
	if _, ok := r.(perMessage); ok || chips > maxTabulated {
		return nil
	}
	ports := make([]int8, chips*chips)
	for at := range chips {
		for to := range chips {
			ports[at*chips+to] = int8(r.Next(NodeID(at), &Worm{Destination: NodeID(to)}, 0))
		}
	}
	return ports
}

// DimensionOrder routes along the lowest dimension that still differs; in a
// wrapped dimension the shorter way, in + direction when both are equal.
type DimensionOrder struct {
	dims   []int
	wrap   []bool
	coords []int32 // len(dims) per node
}

// NewDimensionOrder prepares the routes of a grid with the given dimensions. Nodes are
// numbered as package topology numbers them, the first dimension fastest; topology uses
// this package, so that a test of topology holds the two equal.
func NewDimensionOrder(dims []int, wrap []bool) *DimensionOrder {
	nodes := 1
	for _, size := range dims {
		nodes *= size
	}
	r := &DimensionOrder{dims: dims, wrap: wrap, coords: make([]int32, nodes*len(dims))}
	for n := range nodes {
		rest := n
		for d, size := range dims {
			r.coords[n*len(dims)+d] = int32(rest % size)
			rest /= size
		}
	}
	return r
}

// Next implements Routing.
func (r *DimensionOrder) Next(at NodeID, w *Worm, _ uint32) Port {
	d := len(r.dims)
	here, there := r.coords[int(at)*d:], r.coords[int(w.Destination)*d:]
	for i := range d {
		if way := there[i] - here[i]; way != 0 {
			return r.towards(i, way)
		}
	}
	return Here
}

// towards returns the port for a difference of coordinates in dimension d.
func (r *DimensionOrder) towards(d int, way int32) Port {
	if r.wrap[d] {
		return Port(2*d) + backward(int(way), r.dims[d])
	}
	return Port(2*d) + Port(uint32(way)>>31) // the sign, without a branch
}

// Line implements liner.
func (r *DimensionOrder) Line(at, to NodeID) (Port, int) {
	d := len(r.dims)
	here, there := r.coords[int(at)*d:], r.coords[int(to)*d:]
	for i := range d {
		way := int(there[i] - here[i])
		if way == 0 {
			continue
		}
		back := Port(uint64(way) >> 63)
		if r.wrap[i] {
			if back = backward(way, r.dims[i]); way < 0 {
				way += r.dims[i]
			}
			if back == 1 {
				return Port(2*i + 1), r.dims[i] - way
			}
			return Port(2 * i), way
		}
		return Port(2*i) + back, max(way, -way)
	}
	return Here, 0
}

// backward is 1 when a difference of positions in a ring is shorter in
// - direction.
func backward(way, size int) Port {
	if way < 0 {
		way += size
	}
	if 2*way <= size {
		return 0
	}
	return 1
}

// Table routes by a next-hop table per chip.
type Table struct {
	nodes int
	next  []int16 // port at [at*nodes+destination]; -2 on the diagonal
}

// NewTable returns an empty table for n nodes; Set fills it.
func NewTable(n int) *Table {
	t := &Table{nodes: n, next: make([]int16, n*n)}
	for i := range n {
		t.next[i*n+i] = int16(Here)
	}
	return t
}

// Set makes p the route from at to destination.
func (t *Table) Set(at, destination NodeID, p Port) {
	t.next[int(at)*t.nodes+int(destination)] = int16(p)
}

// Next implements Routing.
func (t *Table) Next(at NodeID, w *Worm, _ uint32) Port {
	return Port(t.next[int(at)*t.nodes+int(w.Destination)])
}

// Tree routes along a tree in memory proportional to the nodes: down into the
// child whose interval of a depth-first numbering holds the destination, else up.
type Tree struct {
	enter, leave []int32
	up           []Port
	childBase    []int32
	childEnter   []int32 // children of a node in depth-first order
	childPort    []Port
}

// NewTree prepares the routes of a tree: parent[n] (None at the root) and, for
// each node, the port to its parent and its children with their ports.
func NewTree(root NodeID, up []Port, children [][]NodeID, down [][]Port) *Tree {
	n := len(up)
	t := &Tree{
		enter: make([]int32, n), leave: make([]int32, n), up: up,
		childBase: make([]int32, n+1), childEnter: make([]int32, 0, n), childPort: make([]Port, 0, n),
	}
	t.number(root, children)
	for at := range n {
		for i, child := range children[at] {
			t.childEnter = append(t.childEnter, t.enter[child])
			t.childPort = append(t.childPort, down[at][i])
		}
		t.childBase[at+1] = int32(len(t.childEnter))
	}
	return t
}

// number gives every node its depth-first interval, without recursion: a path
// of a million nodes is a tree too.
func (t *Tree) number(root NodeID, children [][]NodeID) {
	type frame struct {
		node NodeID
		next int
	}
	clock := int32(0)
	stack := []frame{{node: root}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == 0 {
			t.enter[top.node] = clock
			clock++
		}
		if top.next == len(children[top.node]) {
			t.leave[top.node] = clock
			stack = stack[:len(stack)-1]
			continue
		}
		child := children[top.node][top.next]
		top.next++
		stack = append(stack, frame{node: child})
	}
}

// Next implements Routing.
func (t *Tree) Next(at NodeID, w *Worm, _ uint32) Port {
	to := t.enter[w.Destination]
	if to == t.enter[at] {
		return Here
	}
	if to < t.enter[at] || to >= t.leave[at] {
		return t.up[at]
	}
	first, last := int(t.childBase[at]), int(t.childBase[at+1])
	i := sort.Search(last-first, func(i int) bool { return t.childEnter[first+i] > to }) - 1
	return t.childPort[first+i]
}

// Source routes by the list of output ports that the worm carries.
type Source struct{}

func (Source) dependsOnMessage() {}

// Next implements Routing.
func (Source) Next(_ NodeID, w *Worm, hop uint32) Port {
	if int(hop) == len(w.Route) {
		return Here
	}
	return w.Route[hop]
}

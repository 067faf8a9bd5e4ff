// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"slices"

	"meshwright/fabric/topology/star"
	"meshwright/fabric/topology/twisted"
	"meshwright/router"
)

// newGrid wires a mesh in which the dimensions marked in wrap close to rings.
// A dimension of fewer than three nodes has no room for a ring and stays open.
func newGrid(kind Kind, dims []int, closed bool) *Topology {
	nodes := 1
	wrap := make([]bool, len(dims))
	for d, size := range dims {
		nodes *= size
		wrap[d] = closed && size > 2
	}
	ports := 2 * len(dims)
	t := &Topology{
		Kind: kind, Dims: dims, Wrap: wrap,
		base: make([]int32, nodes+1),
		next: make([]router.NodeID, nodes*ports),
		back: make([]router.Port, nodes*ports),
	}
	axes := t.Axes()
	for n := range nodes {
		t.base[n+1] = t.base[n] + int32(ports)
		for d, axis := range axes {
			t.next[n*ports+2*d] = axis.step(router.NodeID(n), +1)
			t.next[n*ports+2*d+1] = axis.step(router.NodeID(n), -1)
			t.back[n*ports+2*d] = router.Port(2*d + 1)
			t.back[n*ports+2*d+1] = router.Port(2 * d)
		}
	}
	return t
}

// step returns the neighbour of a node in a direction, +1 or -1, router.None at a border.
func (a Axis) step(n router.NodeID, direction int) router.NodeID {
	to := a.Coordinate(n) + direction
	if to < 0 || to == a.Size {
		if !a.Wrap {
			return router.None
		}
		to = (to + a.Size) % a.Size
	}
	return a.Move(n, to)
}

// newStar wires the star graph of so many symbols.
func newStar(symbols int) (*Topology, error) {
	g, err := star.New(symbols)
	if err != nil {
		return nil, err
	}
	ports := g.Ports()
	t := &Topology{
		Kind: Star, star: g,
		base: make([]int32, g.Nodes()+1),
		next: make([]router.NodeID, g.Nodes()*ports),
		back: make([]router.Port, g.Nodes()*ports),
	}
	for n := range g.Nodes() {
		t.base[n+1] = t.base[n] + int32(ports)
		for p := range router.Port(ports) {
			t.next[n*ports+int(p)] = g.Neighbor(router.NodeID(n), p)
			t.back[n*ports+int(p)] = p
		}
	}
	return t, nil
}

// newTwisted wires a twisted torus.
func newTwisted(g *twisted.Torus) *Topology {
	nodes := g.Nodes()
	t := &Topology{
		Kind: TwistedTorus, twisted: g,
		base: make([]int32, nodes+1),
		next: make([]router.NodeID, nodes*twisted.Ports),
		back: make([]router.Port, nodes*twisted.Ports),
	}
	for n := range nodes {
		t.base[n+1] = t.base[n] + twisted.Ports
		for p := range router.Port(twisted.Ports) {
			t.next[n*twisted.Ports+int(p)] = g.Neighbor(router.NodeID(n), p)
			t.back[n*twisted.Ports+int(p)] = p ^ 1
		}
	}
	return t
}

// edge is an undirected edge.
type edge struct{ a, b router.NodeID }

// newAdjacency wires the nodes by their edges, of which none may be a loop or
// stand twice. Ports rise with the neighbour they lead to.
func newAdjacency(kind Kind, nodes int, edges []edge) *Topology {
	t := &Topology{Kind: kind, base: make([]int32, nodes+1)}
	for _, e := range edges {
		t.base[e.a+1]++
		t.base[e.b+1]++
	}
	for n := range nodes {
		t.base[n+1] += t.base[n]
	}
	unsorted := make([]router.NodeID, 2*len(edges))
	free := slices.Clone(t.base[:nodes])
	for _, e := range edges {
		unsorted[free[e.a]], unsorted[free[e.b]] = e.b, e.a
		free[e.a]++
		free[e.b]++
	}
	t.next, t.back = make([]router.NodeID, len(unsorted)), make([]router.Port, len(unsorted))
	// Handing every node's number to its neighbours, nodes rising, sorts all lists.
	copy(free, t.base)
	for n := range router.NodeID(nodes) {
		for _, m := range unsorted[t.base[n]:t.base[n+1]] {
			t.next[free[m]] = n
			free[m]++
		}
	}
	copy(free, t.base)
	for n := range nodes {
		for g := t.base[n]; g < t.base[n+1]; g++ {
			m := t.next[g]
			t.back[g] = router.Port(free[m] - t.base[m])
			free[m]++
		}
	}
	return t
}

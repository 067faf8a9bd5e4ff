// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"slices"

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
	at := make([]int, len(dims))
	for n := range nodes {
		t.base[n+1] = t.base[n] + int32(ports)
		stride := 1
		for d, size := range dims {
			t.next[n*ports+2*d] = step(n, at[d], +1, size, stride, wrap[d])
			t.next[n*ports+2*d+1] = step(n, at[d], -1, size, stride, wrap[d])
			t.back[n*ports+2*d] = router.Port(2*d + 1)
			t.back[n*ports+2*d+1] = router.Port(2 * d)
			stride *= size
		}
		advance(at, dims)
	}
	return t
}

// step returns the neighbour of node n, at position x of its dimension.
func step(n, x, direction, size, stride int, wrap bool) router.NodeID {
	to := x + direction
	if to < 0 || to == size {
		if !wrap {
			return router.None
		}
		to = (to + size) % size
	}
	return router.NodeID(n + (to-x)*stride)
}

// advance moves coordinates to the next node, first dimension fastest.
func advance(at, dims []int) {
	for d := range at {
		if at[d]++; at[d] < dims[d] {
			return
		}
		at[d] = 0
	}
}

// newAdjacency wires the nodes by their neighbour lists, which it sorts.
func newAdjacency(kind Kind, neighbours [][]router.NodeID) *Topology {
	t := &Topology{Kind: kind, base: make([]int32, len(neighbours)+1)}
	for n, list := range neighbours {
		slices.Sort(list)
		t.base[n+1] = t.base[n] + int32(len(list))
		t.next = append(t.next, list...)
	}
	t.back = make([]router.Port, len(t.next))
	for n, list := range neighbours {
		for p, m := range list {
			back, _ := slices.BinarySearch(neighbours[m], router.NodeID(n))
			t.back[int(t.base[n])+p] = router.Port(back)
		}
	}
	return t
}

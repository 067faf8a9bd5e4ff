// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// forests are edge-disjoint forests. Each edge is in one of them or in none, and finds its place as in
// a matroid partition (Edmonds; Roskind, Tarjan): an edge that would close a circle in every forest
// pushes an edge of a circle into another forest.
type forests struct {
	*graph
	edges [][2]int32
	in    []int     // by edge: its forest, -1: none
	near  [][]int32 // by forest and node: edges; forest f's list of node n is at f*nodes+n
}

// spanning returns up to k edge-disjoint spanning trees, as many as there are, each as lists of
// neighbours by node. The order of the edges decides which ones.
func spanning(g *graph, k int, order [][2]int32) [][][]int32 {
	for ; k > 0; k-- {
		if k*(g.nodes-1) > len(order) {
			continue
		}
		f := &forests{graph: g, edges: order, in: slices.Repeat([]int{-1}, len(order)), near: make([][]int32, k*g.nodes)}
		placed := 0
		for e := range order {
			if f.insert(int32(e), k) {
				placed++
			}
		}
		if placed < k*(g.nodes-1) {
			continue
		}
		trees := make([][][]int32, k)
		for i := range trees {
			trees[i] = make([][]int32, g.nodes)
			for n := range trees[i] {
				for _, e := range f.near[i*g.nodes+n] {
					trees[i][n] = append(trees[i][n], f.other(e, int32(n)))
				}
			}
		}
		return trees
	}
	return nil
}

// other returns the other end of an edge.
func (f *forests) other(e, n int32) int32 { return f.edges[e][0] + f.edges[e][1] - n }

// insert places an edge, and moves others if it has to.
func (f *forests) insert(e int32, k int) bool {
	pushed := make(map[int32]int32) // by edge: the edge that takes its place
	queue := []int32{e}
	pushed[e] = -1
	for i := 0; i < len(queue); i++ {
		x := queue[i]
		for forest := range k {
			if forest == f.in[x] {
				continue
			}
			circle, closed := f.path(forest, f.edges[x][0], f.edges[x][1])
			if !closed {
				f.move(x, forest, pushed)
				return true
			}
			for _, y := range circle {
				if _, ok := pushed[y]; !ok {
					pushed[y] = x
					queue = append(queue, y)
				}
			}
		}
	}
	return false
}

// move puts an edge into a forest, and each edge that pushed another into the place of that.
func (f *forests) move(x int32, forest int, pushed map[int32]int32) {
	for x >= 0 {
		old := f.in[x]
		if old >= 0 {
			for _, n := range f.edges[x] {
				at := old*f.nodes + int(n)
				f.near[at] = slices.Delete(f.near[at], slices.Index(f.near[at], x), slices.Index(f.near[at], x)+1)
			}
		}
		f.in[x] = forest
		for _, n := range f.edges[x] {
			at := forest*f.nodes + int(n)
			f.near[at] = append(f.near[at], x)
		}
		x, forest = pushed[x], old
	}
}

// path returns the edges between two nodes in a forest; false if there is no path.
func (f *forests) path(forest int, from, to int32) ([]int32, bool) {
	by := make([]int32, f.nodes)
	for n := range by {
		by[n] = -2
	}
	by[from] = -1
	queue := []int32{from}
	for i := 0; i < len(queue) && by[to] == -2; i++ {
		for _, e := range f.near[forest*f.nodes+int(queue[i])] {
			if n := f.other(e, queue[i]); by[n] == -2 {
				by[n] = e
				queue = append(queue, n)
			}
		}
	}
	if by[to] == -2 {
		return nil, false
	}
	var path []int32
	for n := to; n != from; n = f.other(by[n], n) {
		path = append(path, by[n])
	}
	return path, true
}

// ordered lists the edges from a node outwards, edges at the same distance in any order.
func ordered(g *graph, centre int32, random *rand.Rand) [][2]int32 {
	type ranked struct {
		edge [2]int32
		rank int32
		draw uint32
	}
	var list []ranked
	for a := range g.from {
		if from, to := g.from[a], g.to[a]; from < to {
			list = append(list, ranked{[2]int32{from, to}, min(g.away[centre][from], g.away[centre][to]), random.Uint32()})
		}
	}
	slices.SortFunc(list, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.draw, b.draw)) })
	edges := make([][2]int32, len(list))
	for i := range list {
		edges[i] = list[i].edge
	}
	return edges
}

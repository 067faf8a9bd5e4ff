// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"math/rand/v2"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/heap"
	"meshwright/router"
)

// maxRooted bounds the parts that have roots of their own.
const maxRooted = 1 << 11

// throughBestRoots takes all nodes as roots or those in the middle, whichever is faster; nil if there
// are too many parts.
func throughBestRoots(t *plan.Task, g *graph, parts int) (best *sums) {
	if parts == 0 || parts > maxRooted {
		return nil
	}
	size := (t.VectorWords() + parts - 1) / parts
	for _, lag := range []int32{1, 2} { // more made every vector slower, and so did none
		for _, central := range []bool{false, true} {
			if s := throughRoots(t, g, rootsOf(g, central), size, lag); best == nil || s.time < best.time {
				best = s
			}
		}
	}
	return best
}

// throughRoots sums up each part of the vector in a root of its own, and spreads it from there. Parts
// are in flight at the same time, up and down, over shortest routes on which the links carry about the same.
func throughRoots(t *plan.Task, g *graph, roots []int32, size int, lag int32) *sums {
	words := t.VectorWords()
	parts := (words + size - 1) / size
	r := newRootSums(g, roots, parts)
	hops := r.furthestFirst(lag)
	length := period(t, size)
	s := &sums{time: router.Cycle(steps(hops)) * length}
	for _, h := range hops {
		part, _, up := r.task(h.unit)
		piece := transfer.Set{{From: part * size, To: min(words, (part+1)*size)}}
		x := transfer.Transfer{
			Step: int(h.step), Start: router.Cycle(h.step) * length, From: router.NodeID(g.from[h.arc]), To: router.NodeID(g.to[h.arc]), Out: piece,
		}
		if up {
			x.Op = transfer.Add
		}
		s.hops = append(s.hops, x)
	}
	return s
}

// rootSums are the trees of all parts. Every node but the root of a part has two tasks: its sum goes up
// to its parent, and the whole sum comes down from its parent in another tree.
type rootSums struct {
	*graph
	root   []int32   // by part
	parent [][]int32 // by part, up and down: by node, the arc to or from its parent; -1 at the root
	load   []int     // by arc
	random *rand.Rand

	rest    []int32 // by task: steps from its beginning to the end of the part
	missing []int32 // by part and node: sums that have to come before its own goes up
}

func newRootSums(g *graph, roots []int32, parts int) *rootSums {
	r := &rootSums{graph: g, load: make([]int, len(g.from)), random: rand.New(rand.NewPCG(7, 0x2007))}
	r.rest, r.missing = make([]int32, 2*parts*g.nodes), make([]int32, parts*g.nodes)
	for p := range parts {
		r.root = append(r.root, roots[p%len(roots)])
		r.grow(p)
	}
	return r
}

// number is the number of a task.
func (r *rootSums) number(part int, node int32, up bool) int32 {
	n := 2 * (int32(part*r.nodes) + node)
	if up {
		return n
	}
	return n + 1
}

// task returns part and node of a task, and whether it goes up.
func (r *rootSums) task(number int32) (part int, node int32, up bool) {
	at := number / 2
	return int(at) / r.nodes, at % int32(r.nodes), number%2 == 0
}

// grow makes the two trees of a part: every node takes the lightest link of a shortest route.
func (r *rootSums) grow(part int) {
	root := r.root[part]
	order := make([]int32, r.nodes)
	for n := range order {
		order[n] = int32(n)
	}
	r.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	slices.SortStableFunc(order, func(a, b int32) int { return int(r.away[root][a] - r.away[root][b]) })
	for _, arcs := range [][][]int32{r.out, r.into} {
		tree := make([]int32, r.nodes)
		for n := range tree {
			tree[n] = -1
		}
		for _, n := range order[1:] {
			tree[n] = r.lightest(root, n, arcs[n])
			r.load[tree[n]]++
		}
		r.parent = append(r.parent, tree)
	}
	up, down := r.parent[2*part], r.parent[2*part+1]
	furthest := int32(0)
	for _, n := range slices.Backward(order) {
		own := r.number(part, n, false)
		r.rest[own]++ // what is behind it is known already
		furthest = max(furthest, r.away[root][n])
		if n == root {
			continue
		}
		before := r.number(part, r.from[down[n]], false)
		r.rest[before] = max(r.rest[before], r.rest[own])
		r.missing[part*r.nodes+int(r.to[up[n]])]++
	}
	for _, n := range order[1:] {
		r.rest[r.number(part, n, true)] = r.away[root][n] + furthest
	}
}

// lightest returns the arc between a node and a neighbour nearer to the root that has the least load.
func (r *rootSums) lightest(root, n int32, arcs []int32) int32 {
	best, ties := int32(-1), 0
	for _, a := range arcs {
		if r.away[root][r.from[a]+r.to[a]-n] != r.away[root][n]-1 {
			continue
		}
		if ties++; best < 0 || r.load[a] < r.load[best] {
			best, ties = a, 1
		} else if r.load[a] == r.load[best] && r.random.IntN(ties) == 0 {
			best = a
		}
	}
	return best
}

// furthestFirst gives tasks their steps: each link carries the message with the most steps behind it. Each
// part counts as so many eighths of a step later than the part before.
func (r *rootSums) furthestFirst(lag int32) []hop {
	queues := make([]heap.Heap[waiting], len(r.from))
	var busy []int32
	enter := func(part int, n int32, up bool) {
		tree, task := r.parent[2*part+1], r.number(part, n, up)
		if up {
			tree = r.parent[2*part]
		}
		a := tree[n]
		if len(queues[a]) == 0 {
			busy = append(busy, a)
		}
		queues[a].Push(waiting{task, 8*r.rest[task] - lag*int32(part), r.random.Uint32()})
	}
	below := make([][]int32, len(r.root)*r.nodes) // by part and node: its children on the way down
	for p, root := range r.root {
		for n := range int32(r.nodes) {
			if n == root {
				continue
			}
			from := p*r.nodes + int(r.from[r.parent[2*p+1][n]])
			below[from] = append(below[from], n)
			if r.missing[p*r.nodes+int(n)] == 0 {
				enter(p, n, true)
			}
		}
	}
	var hops []hop
	for step := int32(0); len(busy) > 0; step++ {
		now := busy
		busy = nil
		slices.Sort(now)
		first := len(hops)
		for _, a := range now {
			hops = append(hops, hop{step, queues[a].Pop().unit, a})
			if len(queues[a]) > 0 {
				busy = append(busy, a)
			}
		}
		for _, h := range hops[first:] {
			p, n, up := r.task(h.unit)
			at := p * r.nodes
			if up {
				to := r.to[h.arc]
				if r.missing[at+int(to)]--; r.missing[at+int(to)] > 0 {
					continue
				}
				if to != r.root[p] {
					enter(p, to, true)
					continue
				}
				n = to
			}
			for _, child := range below[at+int(n)] {
				enter(p, child, false)
			}
		}
	}
	return hops
}

// rootsOf returns all nodes, or those that are nearest to all others, in an order in which neighbours
// in the list are far apart.
func rootsOf(g *graph, central bool) []int32 {
	least := g.furthest(0)
	for n := range int32(g.nodes) {
		least = min(least, g.furthest(n))
	}
	var roots []int32
	for n := range int32(g.nodes) {
		if !central || g.furthest(n) == least {
			roots = append(roots, n)
		}
	}
	random := rand.New(rand.NewPCG(1, 0x2008))
	random.Shuffle(len(roots), func(i, j int) { roots[i], roots[j] = roots[j], roots[i] })
	return roots
}

// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"math/rand/v2"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// rooted is a spanning tree with the root from which it is least deep.
type rooted struct {
	order, parent []int32 // nodes, parents before children; the root's parent is -1
	depth         []int32
	deepest       int32
}

// treesTried is the number of covers of which the one with the shallowest trees is taken.
const treesTried = 24

// shallow returns edge-disjoint spanning trees, as many as there are; none of a single node.
func shallow(g *graph) []*rooted {
	if g.nodes == 1 {
		return nil
	}
	var best []*rooted
	least := int32(0)
	most := len(g.from) / 2 / (g.nodes - 1)
	for seed := range uint64(treesTried) {
		random := rand.New(rand.NewPCG(seed, 0x7ee5))
		var list []*rooted
		deepest := int32(0)
		for _, tree := range spanning(g, most, ordered(g, random.Int32N(int32(g.nodes)), random)) {
			r := central(tree)
			list, deepest = append(list, r), max(deepest, r.deepest)
		}
		most = len(list)
		if best == nil || len(list) == len(best) && deepest < least {
			best, least = list, deepest
		}
	}
	return best
}

// central roots a tree in its centre.
func central(tree [][]int32) *rooted {
	var best *rooted
	for n := range int32(len(tree)) {
		if r := rootedAt(tree, n); best == nil || r.deepest < best.deepest {
			best = r
		}
	}
	return best
}

func rootedAt(tree [][]int32, root int32) *rooted {
	r := &rooted{order: []int32{root}, parent: make([]int32, len(tree)), depth: make([]int32, len(tree))}
	r.parent[root] = -1
	for i := 0; i < len(r.order); i++ {
		n := r.order[i]
		for _, m := range tree[n] {
			if m != r.parent[n] {
				r.order, r.parent[m], r.depth[m] = append(r.order, m), n, r.depth[n]+1
			}
		}
	}
	r.deepest = r.depth[r.order[len(r.order)-1]]
	return r
}

// alongTrees sums up along edge-disjoint trees: every part of the vector goes up one tree, and down
// again as soon as its sum is complete. A tree of depth d passes on k parts in k + 2d - 1 steps.
func alongTrees(t *plan.Task, g *graph) (*sums, error) {
	words := t.VectorWords()
	trees := shallow(g)
	if words == 0 || len(trees) == 0 {
		return nil, nil
	}
	best, least := 0, router.Cycle(0)
	for size := 1 + (words-1)/maxPipelined; ; size = min(words, 2*size) {
		_, count := deal(trees, (words+size-1)/size)
		if time := router.Cycle(count) * period(t, size); best == 0 || time < least {
			best, least = size, time
		}
		if size == words {
			break
		}
	}
	if err := t.NeedParts(2 * ((words + best - 1) / best)); err != nil {
		return nil, err
	}
	s := &sums{time: least}
	shares, _ := deal(trees, (words+best-1)/best)
	length := period(t, best)
	part := 0
	for i, tree := range trees {
		for k := range shares[i] {
			piece := transfer.Set{{From: part * best, To: min(words, (part+1)*best)}}
			part++
			for _, n := range tree.order[1:] {
				up, down := int32(k)+tree.deepest-tree.depth[n], int32(k)+tree.deepest+tree.depth[n]-1
				one, other := router.NodeID(n), router.NodeID(tree.parent[n])
				s.hops = append(s.hops,
					transfer.Transfer{Step: int(up), Start: router.Cycle(up) * length, From: one, To: other, Out: piece, Op: transfer.Add},
					transfer.Transfer{Step: int(down), Start: router.Cycle(down) * length, From: other, To: one, Out: piece})
			}
		}
	}
	return s, nil
}

// maxPipelined bounds the parts that go along trees.
const maxPipelined = 1 << 14

// deal shares parts out over trees so that the last tree ends as early as possible, and returns the
// shares and the number of steps.
func deal(trees []*rooted, parts int) (shares []int, steps int) {
	shares = make([]int, len(trees))
	for range parts {
		first := 0
		for i := range trees {
			if shares[i]+2*int(trees[i].deepest) < shares[first]+2*int(trees[first].deepest) {
				first = i
			}
		}
		shares[first]++
	}
	for i, k := range shares {
		if k > 0 {
			steps = max(steps, k+2*int(trees[i].deepest)-1)
		}
	}
	return shares, steps
}

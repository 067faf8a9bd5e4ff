// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Scatter sends every node's block, of lengths words, down the tree. Each message carries
// the blocks of all nodes of its receiver's subtree. A node's memory holds its own block
// first, then the blocks that it passes on, by node number. The root's memory holds all
// blocks, by node number. It also returns the words that each node needs behind its own
// block.
func (t *Tree) Scatter(lengths []int) (l *transfer.List, extra []int) {
	areas := t.areas(lengths)
	steps := t.steps()
	l = &transfer.List{Nodes: len(t.Parent)}
	extra = make([]int, len(t.Parent))
	for _, n := range t.Order {
		extra[n] = areas[n].words - lengths[n]
		if n == t.Root || areas[n].words == 0 {
			continue
		}
		out := areas[t.Parent[n]].places(areas[n].nodes, lengths)
		in := areas[n].places(areas[n].nodes, lengths)
		l.Transfers = append(l.Transfers, transfer.Transfer{Step: steps[n] - 1, From: t.Parent[n], To: n, Out: out, In: in})
	}
	extra[t.Root] = 0
	return l, extra
}

// Pieces sends every node its piece of the root's words, lengths by node, down
// the tree; a piece has the same place everywhere, and is left where it passed.
func (t *Tree) Pieces(lengths []int) *transfer.List {
	offset := make([]int, len(lengths)+1)
	for n, length := range lengths {
		offset[n+1] = offset[n] + length
	}
	nodes := make([][]router.NodeID, len(lengths)) // of subtrees
	for _, n := range slices.Backward(t.Order) {
		nodes[n] = append(nodes[n], n)
		if p := t.Parent[n]; p != router.None {
			nodes[p] = append(nodes[p], nodes[n]...)
		}
	}
	steps := t.steps()
	l := &transfer.List{Nodes: len(lengths)}
	for _, n := range t.Order[1:] {
		slices.Sort(nodes[n])
		var set transfer.Set
		for _, m := range nodes[n] {
			set = append(set, transfer.Range{From: offset[m], To: offset[m+1]})
		}
		l.Transfers = append(l.Transfers, transfer.Transfer{Step: steps[n] - 1, From: t.Parent[n], To: n, Out: transfer.Join(set)})
	}
	return l
}

// area is where a node keeps the blocks of its subtree.
type area struct {
	nodes []router.NodeID // of the subtree, rising
	from  []int           // by place in nodes
	words int
}

func (t *Tree) areas(lengths []int) []area {
	areas := make([]area, len(t.Parent))
	for _, n := range t.Order {
		areas[n].nodes = []router.NodeID{n}
	}
	for _, n := range slices.Backward(t.Order[1:]) {
		p := &areas[t.Parent[n]]
		p.nodes = append(p.nodes, areas[n].nodes...)
	}
	for n := range areas {
		areas[n].lay(router.NodeID(n), t.Root, lengths)
	}
	return areas
}

// lay gives the blocks their places.
func (a *area) lay(own, root router.NodeID, lengths []int) {
	slices.Sort(a.nodes)
	a.from = make([]int, len(a.nodes))
	if own != root {
		a.words = lengths[own]
	}
	for i, n := range a.nodes {
		if n == own && own != root {
			continue // at 0
		}
		a.from[i] = a.words
		a.words += lengths[n]
	}
}

// places returns where the blocks of some of the area's nodes are, rising.
func (a *area) places(nodes []router.NodeID, lengths []int) transfer.Set {
	var set transfer.Set
	i := 0
	for _, n := range nodes {
		for a.nodes[i] != n {
			i++
		}
		if r := (transfer.Range{From: a.from[i], To: a.from[i] + lengths[n]}); r.From < r.To {
			if k := len(set) - 1; k >= 0 && set[k].To == r.From {
				set[k].To = r.To
			} else {
				set = append(set, r)
			}
		}
	}
	return set
}

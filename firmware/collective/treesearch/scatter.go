// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Scattering is a scatter along one tree of messages, each with the blocks of all nodes below its receiver.
type Scattering struct {
	List     *transfer.List
	Extra    []int // by node: words behind its own block, see sendtree.Tree.Scatter
	Startups int   // in a row
	Cycles   router.Cycle
}

// Scatter finds a tree for a scatter. Errors are *input.Error, or the context's.
func Scatter(t *plan.Task) (*Scattering, error) {
	n, err := newNetwork(t)
	if err != nil {
		return nil, err
	}
	best, err := n.fastest()
	if err != nil {
		return nil, err
	}
	tree := n.tree(best.form.trees[0])
	s := &Scattering{Startups: tree.Startups(n.Machine), Cycles: best.made.cycles}
	s.List, s.Extra = tree.Scatter(t.Lengths)
	s.List.Timed = true
	at := make([]message, n.nodes)
	for _, m := range best.made.messages {
		at[m.to] = m
	}
	for i := range s.List.Transfers {
		x := &s.List.Transfers[i]
		x.Start, x.Due = at[x.To].handed, at[x.To].whole
	}
	return s, nil
}

// tree is a tree of messages as one that sends.
func (n *network) tree(f *tree) *sendtree.Tree {
	t := &sendtree.Tree{
		Root: n.Root, Parent: make([]router.NodeID, n.nodes), Order: []router.NodeID{n.Root},
		Turn: make([]int, n.nodes), Links: make([]int, n.nodes), Port: make([]router.Port, n.nodes),
	}
	t.Parent[n.Root] = router.None
	for i := 0; i < len(t.Order); i++ {
		at := t.Order[i]
		for turn, c := range f.children[at] {
			way := n.Route(int32(at), c)
			t.Parent[c], t.Turn[c], t.Links[c], t.Port[c] = at, turn+1, len(way), way[0]
			t.Order = append(t.Order, router.NodeID(c))
		}
	}
	return t
}

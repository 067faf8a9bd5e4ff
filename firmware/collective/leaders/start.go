// SPDX-License-Identifier: Apache-2.0

package leaders

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective/sendtree"
	"meshwright/router"
)

// mostPieces bounds the pieces.
const mostPieces = 16

// mostMessages bounds the messages of all nodes with which a search begins.
const mostMessages = 48

// nest says how nodes are put into clusters.
type nest struct {
	order  []int32 // neighbours in the order are in the same small clusters
	parts  int     // of each cluster
	levels int
	all    int // levels, from the largest cluster, of which all nodes know the sum that know that of a part
	pieces int
}

// nests lists the nests with which a search begins.
func (n *network) nests() (list []nest) {
	orders := [][]int32{n.counted()}
	if walk := n.walk(); !slices.Equal(walk, orders[0]) {
		orders = append(orders, walk)
	}
	last := 0
	for levels := 1; 1<<(levels-1) < n.nodes; levels++ {
		parts := 2
		for power(parts, levels) < n.nodes {
			parts++
		}
		if parts == last {
			continue
		}
		last = parts
		for all := 0; all <= levels; all++ {
			for pieces := 1; pieces <= min(mostPieces, n.total); pieces *= 2 {
				if pieces > 1 && all == levels || n.nodes*(parts-1)*max(1, all)*pieces > mostMessages*n.nodes {
					break
				}
				for _, order := range orders {
					list = append(list, nest{order, parts, levels, all, pieces})
				}
			}
		}
	}
	return list
}

func power(base, exponent int) int {
	x := 1
	for range exponent {
		x *= base
	}
	return x
}

// counted lists the nodes by number.
func (n *network) counted() []int32 {
	list := make([]int32, n.nodes)
	for v := range list {
		list[v] = int32(v)
	}
	return list
}

// walk lists the nodes in the order of a depth-first search.
func (n *network) walk() []int32 {
	var list []int32
	for _, v := range sendtree.Walk(sendtree.DepthFirst(n.Topology, 0)) {
		list = append(list, int32(v))
	}
	return list
}

// nestForms builds the forms of a nest, one for each piece.
func (n *network) nestForms(x *nest) (list []*form) {
	for p := range x.pieces {
		f := newForm(n.nodes)
		f.root = n.nested(f, x, x.order, x.levels, p)
		list = append(list, f)
	}
	return list
}

// nested puts nodes into a cluster of so many levels.
func (n *network) nested(f *form, x *nest, nodes []int32, level, piece int) int32 {
	if len(nodes) == 1 {
		return nodes[0]
	}
	parts := min(x.parts, len(nodes))
	var children []int32
	for i := range parts {
		children = append(children, n.nested(f, x, nodes[i*len(nodes)/parts:(i+1)*len(nodes)/parts], level-1, piece/x.parts))
	}
	var knowers []int32
	for _, c := range children {
		knowers = append(knowers, f.clusters[c].knowers...)
	}
	if level > x.levels-x.all {
		return n.add(f, children, knowers)
	}
	one := knowers[(len(knowers)/2+piece*max(1, len(knowers)/min(x.pieces, len(knowers))))%len(knowers)]
	for _, v := range knowers {
		if v != one {
			f.down[v] = one
		}
	}
	return n.add(f, children, []int32{one})
}

// treeForms builds forms of a tree along which sums go up and down again.
func (n *network) treeForms(t *sendtree.Tree, pieces int) (list []*form) {
	f := newForm(n.nodes)
	children := make([][]int32, n.nodes)
	top := n.counted()
	for _, v := range slices.Backward(t.Order) {
		if len(children[v]) > 0 {
			top[v] = n.add(f, append([]int32{int32(v)}, children[v]...), []int32{int32(v)})
		}
		if v != t.Root {
			p := t.Parent[v]
			f.down[v] = int32(p)
			children[p] = append(children[p], top[v])
		}
	}
	f.root = top[t.Root]
	return slices.Repeat([]*form{f}, pieces)
}

// trees lists known trees around a node.
func (n *network) trees(root router.NodeID) (list []*sendtree.Tree, err error) {
	words := func(int) int { return n.total }
	own := *n.Task
	own.Root = root
	first, err := own.SpanningTree()
	if err != nil {
		return nil, err
	}
	for _, s := range []*topology.SpanningTree{first, sendtree.DepthFirst(n.Topology, root)} {
		ordered, err := sendtree.Ordered(n.Topology, n.Machine, s, words)
		if err != nil {
			return nil, err
		}
		list = append(list, ordered, sendtree.Spanning(n.Topology, n.Machine, s, n.total))
	}
	if n.Topology.IsGrid() {
		list = append(list, sendtree.Doubling(n.Topology, n.Machine, root, words))
	}
	return list, nil
}

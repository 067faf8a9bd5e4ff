// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"slices"

	"meshwright/firmware/collective/sendtree"
	"meshwright/router"
)

// twoTrees are two binary trees below the root that pieces take in turn (Sanders, Speck and Träff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009). Who has children in
// the one has none in the other, so that a node gets and sends two messages for two pieces, not three for each:
//
//	root            root             nodes 1 to 7 stand in a line
//	  4               5
//	2   6           3   7
//	1 3 5 7         2 4 6 1
func twoTrees(line []router.NodeID) []*tree {
	first := inOrder(line, line[1:])
	rest := slices.Clone(line[1:])
	if len(rest)%2 == 0 {
		slices.Reverse(rest)
	} else {
		rest = append(rest[1:], rest[0])
	}
	return []*tree{first, inOrder(line, rest)}
}

// inOrder is a binary tree of nodes in a line, below a root: place i of the line, from 1 on, is as many levels above the leaves as i can be halved.
func inOrder(all, line []router.NodeID) *tree {
	t := newTree(len(all))
	if len(line) == 0 {
		return t
	}
	var below func(parent int32, from, to int) // places from, …, to-1
	below = func(parent int32, from, to int) {
		if from >= to {
			return
		}
		top := highest(from, to)
		n := int32(line[top-1])
		t.add(n, parent)
		below(n, from, top)
		below(n, top+1, to)
	}
	below(int32(all[0]), 1, len(line)+1)
	return t
}

// highest is the number from one on to below another that can be halved most often.
func highest(from, to int) int {
	n := to - 1
	for n&(n-1) >= from {
		n &= n - 1
	}
	return n
}

// lines are orders of the nodes that begin with the root.
func (n *network) lines() (list [][]router.NodeID) {
	for _, order := range sendtree.Orders(n.Topology) {
		at := slices.Index(order, n.Root)
		list = append(list, slices.Concat(order[at:], order[:at]))
	}
	return list
}

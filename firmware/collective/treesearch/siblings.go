// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// siblings is a spanning tree in which each node serves so many of its children at most, those with the most nodes below them. They serve the others, past it, so that no node has many messages for one piece:
//
//	0 > 1, 0 > 2, 0 > 3		at most one: 0 > 1 > 2 > 3		two: 0 > 1, 0 > 2, 1 > 3
func siblings(s *topology.SpanningTree, most int) *tree {
	t, children := newTree(len(s.Parent)), s.Children()
	sizes := sizesBelow(s)
	for _, parent := range s.Order {
		list := slices.Clone(children[parent])
		slices.SortStableFunc(list, func(a, b router.NodeID) int { return sizes[b] - sizes[a] })
		for i, c := range list {
			from := parent
			if i >= most {
				from = list[i-most]
			}
			t.add(int32(c), int32(from))
		}
	}
	return t
}

// sizesBelow counts the nodes of each subtree.
func sizesBelow(s *topology.SpanningTree) []int {
	sizes := make([]int, len(s.Parent))
	for _, n := range slices.Backward(s.Order) {
		sizes[n]++
		if n != s.Root {
			sizes[s.Parent[n]] += sizes[n]
		}
	}
	return sizes
}

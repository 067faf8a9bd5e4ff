// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"context"
	"math/bits"
	"slices"

	"meshwright/router"
)

// BroadcastTime returns the fewest cycles in which one flit spreads from the root over the
// tree, if every node that has it hands it to one child per cycle. Children whose own
// subtrees take longer go first, by an exchange argument. A tree of one node takes 0
// cycles; so does a value that is not a tree.
func BroadcastTime(s *SpanningTree) int {
	if !s.sound() {
		return 0
	}
	return int(broadcastTimes(s)[s.Root])
}

// broadcastTimes returns the broadcast time of every subtree.
func broadcastTimes(s *SpanningTree) []int32 {
	time := make([]int32, len(s.Parent))
	children := s.Children()
	var below []int32
	for _, n := range slices.Backward(s.Order) {
		below = below[:0]
		for _, child := range children[n] {
			below = append(below, time[child])
		}
		slices.Sort(below)
		for i, b := range below {
			time[n] = max(time[n], b+int32(len(below)-i))
		}
	}
	return time
}

// BroadcastBound returns a lower bound, in cycles, for a broadcast of one flit along any
// tree: the distance of the furthest node, and the logarithm of the number of nodes, since
// the number of nodes that have the flit at most doubles in a cycle. It is 0 if root is
// not a node of t.
func BroadcastBound(t *Topology, root router.NodeID) int {
	if t.ValidNode("root", root) != nil {
		return 0
	}
	s := BreadthFirst(t, root)
	return max(s.MaxDepth(), bits.Len(uint(t.Nodes()-1)))
}

// LeastBroadcast returns a spanning tree whose BroadcastTime is close to the
// least. The least is NP-hard to find in general; this is the best of two
// breadth-first trees and of some broadcasts planned cycle by cycle (see
// spreader), with ties broken differently each time. When ctx ends it is the
// best so far. It is nil if root is no node of t.
func LeastBroadcast(ctx context.Context, t *Topology, root router.NodeID) *SpanningTree {
	if t.ValidNode("root", root) != nil {
		return nil
	}
	best := BreadthFirst(t, root)
	time, bound := BroadcastTime(best), BroadcastBound(t, root)
	tree := len(t.Links()) == 2*(t.Nodes()-1)
	if time == bound || tree {
		return best
	}
	try := func(s *SpanningTree) {
		if at := BroadcastTime(s); at < time {
			best, time = s, at
		}
	}
	try(BalancedBreadthFirst(t, root))
	tries := min(maxTries, 1+maxWork/(len(t.next)*bound))
	for i := 0; i < tries && time > bound; i++ {
		s := newSpreader(t, root, uint64(i)).spread(ctx)
		if s == nil {
			break
		}
		try(s)
	}
	return best
}

// maxTries bounds the broadcasts planned, maxWork the links that they look at.
const (
	maxTries = 50
	maxWork  = 8 << 20
)

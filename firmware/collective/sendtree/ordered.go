// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Ordered is the tree of a recursive broadcast on any network: the nodes stand
// in an order, that of a walk along a spanning tree from the root, and a node
// that stands for a run of them sends to one, which then stands for the end of
// the run. How much goes to it is best for one channel a node when no message
// waits for another: with T(n) the least time for a run of n,
//
//	T(n) = min over q of max(turn(q) + T(n-q), whole(q) + T(q))
//
// where whole is the time until a message is whole one link away (Karp, Sahay, Santos, Schauser). Messages may
// want the same links: their list needs a timetable. words is that of Doubling.
// Errors are *input.Error.
func Ordered(t *topology.Topology, m machine.Machine, s *topology.SpanningTree, words func(nodes int) int) (*Tree, error) {
	return order(t, m, newClock(m), s, words)
}

// OrderedJoining is Ordered for lists that will be reversed in time, see Joining.
func OrderedJoining(t *topology.Topology, m machine.Machine, s *topology.SpanningTree, words func(nodes int) int) (*Tree, error) {
	return order(t, m, newClock(m).backwards(), s, words)
}

func order(t *topology.Topology, m machine.Machine, c *clock, s *topology.SpanningTree, words func(nodes int) int) (*Tree, error) {
	net, err := fabric.NewRoutes(t, m)
	if err != nil {
		return nil, err
	}
	walk := Walk(s)
	given := runs(c, len(walk), words)
	tree := newTree(s.Root, len(s.Parent))
	type run struct{ from, to int } // of the walk; who stands for it is the first
	queue := []run{{0, len(walk)}}
	for i := 0; i < len(queue); i++ {
		r := queue[i]
		for turn := 1; r.to-r.from > 1; turn++ {
			q := given[r.to-r.from]
			r.to -= q
			at, to := walk[r.from], walk[r.to]
			tree.add(to, at, turn, net.Distance(at, to), net.Next(at, to))
			queue = append(queue, run{r.to, r.to + q})
		}
	}
	return tree, nil
}

// runs returns how many nodes of a run are given away first, by its length.
func runs(c *clock, most int, words func(int) int) []int {
	given, time := make([]int, most+1), make([]router.Cycle, most+1)
	for n, q := 2, 1; n <= most; n++ {
		at := func(q int) router.Cycle { return max(c.turn(words(q))+time[n-q], c.UntilWhole(1, words(q))+time[q]) }
		// The best q does not fall when n grows, and past it the time rises.
		for q+1 < n && at(q+1) <= at(q) {
			q++
		}
		given[n], time[n] = q, at(q)
	}
	return given
}

// Walk lists a tree's nodes, each before its children, and the whole
// subtree of a child before the next one.
func Walk(s *topology.SpanningTree) []router.NodeID {
	children := s.Children()
	walk := make([]router.NodeID, 0, len(s.Order))
	for stack := []router.NodeID{s.Root}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		walk = append(walk, at)
		list := children[at]
		for _, child := range slices.Backward(list) {
			stack = append(stack, child)
		}
	}
	return walk
}

// Orders returns the orders of the nodes in which circles are tried: their numbers, and a walk depth first, by which a
// tree's links in each direction lie between two neighbours of the circle only.
func Orders(t *topology.Topology) [][]router.NodeID {
	own := make([]router.NodeID, t.Nodes())
	for n := range own {
		own[n] = router.NodeID(n)
	}
	walk := Walk(DepthFirst(t, 0))
	if slices.Equal(own, walk) {
		return [][]router.NodeID{own}
	}
	return [][]router.NodeID{own, walk}
}

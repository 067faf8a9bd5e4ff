// SPDX-License-Identifier: Apache-2.0

package bound

import "math"

// needs tells over which arcs, from node to node, the words of a node go at little cost; cost is by source and target.
type needs interface {
	// arcs returns the flits of one word on each arc, of the cheapest route to bring it where it is needed, or of a cheap one.
	arcs(node int, cost []float64) []usedArc
	// least returns a cost for one word that no route undercuts.
	least(node int, cost []float64) float64
}

// usedArc is an arc with the flits that one word needs on it.
type usedArc struct {
	from, to int32
	flits    float64
}

// spreadTrees are the needs of words that go from their node to all others.
type spreadTrees struct{ trees *arborescences }

func newSpreadTrees(nodes int) *spreadTrees { return &spreadTrees{newArborescences(nodes)} }

func (s *spreadTrees) arcs(root int, cost []float64) []usedArc {
	_, parent := s.trees.least(root, cost)
	return arcsOf(root, parent)
}

func (s *spreadTrees) least(root int, cost []float64) float64 {
	sum, _ := s.trees.least(root, cost)
	return sum
}

// arcsOf lists the arcs of a tree.
func arcsOf(root int, parent []int32) (arcs []usedArc) {
	for v, u := range parent {
		if v != root {
			arcs = append(arcs, usedArc{u, int32(v), 1})
		}
	}
	return arcs
}

// sumTrees are the needs of words that are added up on their routes from all nodes to one: a tree, turned round.
type sumTrees struct {
	trees *arborescences
	back  []float64 // costs of the arcs, turned round; there is room once it is needed, which large networks do not have
}

func newSumTrees(nodes int) *sumTrees {
	return &sumTrees{trees: newArborescences(nodes)}
}

func (s *sumTrees) arcs(root int, cost []float64) []usedArc {
	s.turn(cost)
	_, parent := s.trees.least(root, s.back)
	return turned(arcsOf(root, parent))
}

func (s *sumTrees) least(root int, cost []float64) float64 {
	s.turn(cost)
	sum, _ := s.trees.least(root, s.back)
	return sum
}

// turn fills in the costs of arcs that are turned round.
func (s *sumTrees) turn(cost []float64) {
	n := s.trees.nodes
	if s.back == nil {
		s.back = make([]float64, n*n)
	}
	for u := range n {
		for v := range n {
			s.back[v*n+u] = cost[u*n+v]
		}
	}
}

func turned(arcs []usedArc) []usedArc {
	for i, a := range arcs {
		arcs[i].from, arcs[i].to = a.to, a.from
	}
	return arcs
}

// sharedSums are the needs of words whose sums all nodes get.
//
// For each place of the vector let r be the node that knows the whole sum first, or one of them. The messages by which it does have arcs of a tree from all nodes to r. They are whole when r knows the sum. All other nodes come to know it later, each by
// a message that is whole later, and is none of those:
//
//	cost  >=  least over r of (cheapest tree to r  +  sum of the cheapest arcs to each other node)
//
// The arcs are those of a root that has been good so far. The root changes when one of a few others, which are tried in turn, is better.
type sharedSums struct {
	*sumTrees
	to         []int32 // by node: the source of the cheapest arc to it
	root, next int
}

// triedRoots is how many other roots are tried each time.
const triedRoots = 2

func newSharedSums(nodes int) *sharedSums {
	return &sharedSums{sumTrees: newSumTrees(nodes), to: make([]int32, nodes)}
}

func (s *sharedSums) arcs(_ int, cost []float64) []usedArc {
	all := s.prepare(cost)
	best, parent := s.known(s.root, all, cost)
	for range triedRoots {
		s.next = (s.next + 1) % len(s.to)
		if sum, other := s.known(s.next, all, cost); sum < best {
			best, parent, s.root = sum, other, s.next
		}
	}
	return append(turned(arcsOf(s.root, parent)), arcsOf(s.root, s.to)...)
}

func (s *sharedSums) least(_ int, cost []float64) float64 {
	all, best := s.prepare(cost), math.Inf(1)
	for r := range s.to {
		sum, _ := s.known(r, all, cost)
		best = min(best, sum)
	}
	return best
}

// known returns the cost if node r knows the sum first, and the cheapest tree from it to all nodes, over arcs that are turned round; all is what prepare returns.
func (s *sharedSums) known(r int, all float64, cost []float64) (float64, []int32) {
	sum, parent := s.trees.least(r, s.back)
	return sum + all - cost[int(s.to[r])*len(s.to)+r], parent
}

// prepare finds the cheapest arcs, and returns what they cost together.
func (s *sharedSums) prepare(cost []float64) (all float64) {
	s.turn(cost)
	n := len(s.to)
	for v := range n {
		least := math.Inf(1)
		for u := range n {
			if x := cost[u*n+v]; u != v && x < least {
				least, s.to[v] = x, int32(u)
			}
		}
		all += least
	}
	return all
}

// ownWays are the needs of words that go from a node to each other node, a word of its own to each. PEs may relay them.
type ownWays struct{ nodes int }

func (o *ownWays) arcs(root int, cost []float64) (arcs []usedArc) {
	order, by, _ := o.find(root, cost)
	behind := make([]float64, o.nodes)
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		behind[v]++
		behind[by[v]] += behind[v]
		arcs = append(arcs, usedArc{by[v], int32(v), behind[v]})
	}
	return arcs
}

func (o *ownWays) least(root int, cost []float64) float64 {
	_, _, sum := o.find(root, cost)
	return sum
}

// find finds the cheapest routes from a node (Dijkstra). It returns the other nodes by their cost, the nodes before them, and all costs.
func (o *ownWays) find(root int, cost []float64) (order []int, by []int32, sum float64) {
	n := o.nodes
	far, done := make([]float64, n), make([]bool, n)
	by = make([]int32, n)
	for v := range far {
		far[v], by[v] = cost[root*n+v], int32(root)
	}
	done[root] = true
	for len(order) < n-1 {
		at := -1
		for v, x := range far {
			if !done[v] && (at < 0 || x < far[at]) {
				at = v
			}
		}
		done[at] = true
		order, sum = append(order, at), sum+far[at]
		for v := range far {
			if x := far[at] + cost[at*n+v]; !done[v] && x < far[v] {
				far[v], by[v] = x, int32(at)
			}
		}
	}
	return order, by, sum
}

// SPDX-License-Identifier: Apache-2.0

package bound

import "math"

// arborescences finds trees of least cost in which arcs lead from a root to all nodes (Chu and Liu, 1965; Edmonds, Optimum branchings, 1967). Each pair of nodes has an arc in both directions.
type arborescences struct {
	nodes  int
	levels []contraction
}

// contraction is the network after some circles have become one node each. An arc is its source times the nodes of the first level, and its target.
type contraction struct {
	nodes  int
	cost   []float64 // by source and target: what an arc costs more than the cheapest one into its target
	arc    []int32   // by source and target: the arc of the network
	from   []int32   // by node: the source of the cheapest arc
	within []int32   // by node: the node of the next level
	of     []int32   // by node of the network: the node of this level
}

func newArborescences(nodes int) *arborescences {
	return &arborescences{nodes: nodes}
}

// least returns the cost of the cheapest tree, and for each node but the root the source of its arc; cost is by source and target.
func (a *arborescences) least(root int, cost []float64) (sum float64, parent []int32) {
	l := a.level(0, a.nodes)
	copy(l.cost, cost)
	for i := range l.arc {
		l.arc[i] = int32(i)
	}
	for v := range l.of {
		l.of[v] = int32(v)
	}
	depth := 0
	for {
		l := &a.levels[depth]
		sum += l.cheapest(int(l.of[root]))
		nodes := l.circles(int(l.of[root]))
		if nodes == l.nodes {
			return sum, a.unfold(depth, root)
		}
		depth++
		a.contract(depth, nodes)
	}
}

// level returns a level with room for so many nodes.
func (a *arborescences) level(depth, nodes int) *contraction {
	if depth == len(a.levels) {
		a.levels = append(a.levels, contraction{})
	}
	l := &a.levels[depth]
	if cap(l.cost) < nodes*nodes {
		l.cost, l.arc = make([]float64, nodes*nodes), make([]int32, nodes*nodes)
		l.from, l.within = make([]int32, nodes), make([]int32, nodes)
	}
	if l.of == nil {
		l.of = make([]int32, a.nodes)
	}
	l.nodes, l.cost, l.arc, l.from, l.within = nodes, l.cost[:nodes*nodes], l.arc[:nodes*nodes], l.from[:nodes], l.within[:nodes]
	return l
}

// cheapest finds the cheapest arc into each node, takes its cost off all arcs into the node, and returns the costs together.
func (l *contraction) cheapest(root int) (sum float64) {
	for v := range l.nodes {
		if l.from[v] = -1; v == root {
			continue
		}
		least := math.Inf(1)
		for u := range l.nodes {
			if x := l.cost[u*l.nodes+v]; u != v && x < least {
				least, l.from[v] = x, int32(u)
			}
		}
		for u := range l.nodes {
			l.cost[u*l.nodes+v] -= least
		}
		sum += least
	}
	return sum
}

// circles numbers the nodes of the next level: those of a circle of cheapest arcs are one. It returns how many there are.
func (l *contraction) circles(root int) (nodes int) {
	const fresh, onWay = -1, -2
	for v := range l.within {
		l.within[v] = fresh
	}
	l.within[root] = 0
	nodes = 1
	for start := range int32(l.nodes) {
		v := start
		for ; l.within[v] == fresh; v = l.from[v] {
			l.within[v] = onWay
		}
		if l.within[v] == onWay { // a circle
			for ; l.within[v] == onWay; v = l.from[v] {
				l.within[v] = int32(nodes)
			}
			nodes++
		}
		for v = start; l.within[v] == onWay; v = l.from[v] {
			l.within[v] = int32(nodes)
			nodes++
		}
	}
	return nodes
}

// contract makes the network of a level from that of the one before.
func (a *arborescences) contract(depth, nodes int) {
	l, old := a.level(depth, nodes), &a.levels[depth-1]
	for i := range l.cost {
		l.cost[i] = math.Inf(1)
	}
	for u := range old.nodes {
		to := l.cost[int(old.within[u])*nodes:]
		arcs := l.arc[int(old.within[u])*nodes:]
		for v := range old.nodes {
			if w := old.within[v]; w != old.within[u] && old.cost[u*old.nodes+v] < to[w] {
				to[w], arcs[w] = old.cost[u*old.nodes+v], old.arc[u*old.nodes+v]
			}
		}
	}
	for v := range l.of {
		l.of[v] = old.within[old.of[v]]
	}
}

// unfold returns the sources of the tree's arcs: from the last level on, the arc into a circle takes the place of one arc of it.
func (a *arborescences) unfold(depth, root int) (parent []int32) {
	last := &a.levels[depth]
	arcs := make([]int32, last.nodes)
	for v, u := range last.from {
		if u >= 0 {
			arcs[v] = last.arc[int(u)*last.nodes+v]
		}
	}
	for d := depth - 1; d >= 0; d-- {
		l, up := &a.levels[d], &a.levels[d+1]
		own := make([]int32, l.nodes)
		for v, u := range l.from {
			if u >= 0 {
				own[v] = l.arc[int(u)*l.nodes+v]
			}
		}
		for w, arc := range arcs {
			if w != int(up.of[root]) {
				own[l.of[int(arc)%a.nodes]] = arc
			}
		}
		arcs = own
	}
	parent = make([]int32, a.nodes)
	for v, arc := range arcs {
		parent[v] = arc / int32(a.nodes)
	}
	parent[root] = -1
	return parent
}

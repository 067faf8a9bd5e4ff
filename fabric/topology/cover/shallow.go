// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"math"
	"math/rand/v2"

	"meshwright/fabric/topology"
	"meshwright/internal/progress"
	"meshwright/router"
)

// shallow makes the trees of arborescences less deep, if a search finds how. The sum of the trees' depths counts.
//
// Two trees may swap the links by which they reach a node, as long as neither comes to the node from a node behind it; or a tree takes a link that is free. With a node all nodes behind it come nearer or move away. A search by simulated annealing makes such steps at random. A node counts the more the deeper
// it is, so that the deepest nodes move first:
//
//	before        tree 1: a > v     tree 2: b > v
//	a swap at v   tree 1: b > v     tree 2: a > v
//
// The search is the same each time. It ends as soon as no trees are less deep, see leastDepths, or when no more search is wanted: then the cover is Stopped.
func shallow(ctx limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	c, err := arborescences(ctx, t, root, k)
	if err != nil {
		return nil, err
	}
	c.Name = "shallow"
	if len(c.Trees) < 2 {
		return c, nil
	}
	s := newShallower(t, c)
	least := leastDepths(t, root, len(c.Trees))
	if err := s.anneal(ctx, least); err != nil {
		return nil, err
	}
	c.Stopped = ctx.search.Err() != nil && s.least > least
	for i := range c.Trees {
		if s.best != nil {
			c.Trees[i] = topology.NewSpanningTree(s.root, s.best[i*s.nodes:][:s.nodes])
		}
	}
	return c, nil
}

const (
	// stepsANode times the nodes and the trees is the number of steps, up to mostSteps: some seconds.
	stepsANode, mostSteps = 1500, 6 << 20
	// hot and cold are the temperatures at which the search begins and ends, where a node as deep as the deepest one at first counts 1; a node that is one link deeper counts deeper times as much.
	hot, cold, deeper = 0.1, 0.0001, 1.2
	// lookEvery is the number of steps after which the search looks whether the context has ended.
	lookEvery = 1 << 10
)

// leastDepths returns a sum that the depths of so many trees without a common directed link are not below. As many trees as the root has links take one each, and do not come back to the root.
func leastDepths(t *topology.Topology, root router.NodeID, k int) (sum int) {
	if k != t.Degree(root) {
		return k * topology.BreadthFirst(t, root).MaxDepth()
	}
	for p := range router.Port(t.Ports(root)) {
		if n := t.Neighbor(root, p); n != router.None {
			sum += 1 + furthest(t, n, root)
		}
	}
	return sum
}

// furthest returns the distance from a node to the one that is furthest away without another node, of those that it reaches.
func furthest(t *topology.Topology, from, without router.NodeID) int {
	depth := filled(t.Nodes())
	depth[from], depth[without] = 0, 0
	queue := []router.NodeID{from}
	for i := 0; i < len(queue); i++ {
		for p := range router.Port(t.Ports(queue[i])) {
			if n := t.Neighbor(queue[i], p); n != router.None && depth[n] == none {
				depth[n] = depth[queue[i]] + 1
				queue = append(queue, n)
			}
		}
	}
	return int(depth[queue[len(queue)-1]])
}

// shallower changes the trees of a cover.
type shallower struct {
	nodes  int
	root   router.NodeID
	random *rand.Rand

	// By node, for each link to it.
	in   [][]router.NodeID // the node from which it comes
	user [][]int           // the tree that has it, or none

	// By tree and node.
	parent []router.NodeID
	depth  []int32
	child  []int32 // the first child, or none
	next   []int32 // the next child of the parent, or none
	before []int32 // the child before it, or none

	counts [][]int   // by tree and depth: nodes
	most   []int     // by tree: its depth
	worth  []float64 // by depth: what a node counts
	stack  []int32   // of part

	least int             // sum of the depths of the best trees
	best  []router.NodeID // their parents; nil: those at first
}

const none = -1

func newShallower(t *topology.Topology, c *Cover) *shallower {
	nodes := t.Nodes()
	size := len(c.Trees) * nodes
	s := &shallower{
		nodes: nodes, root: c.Trees[0].Root, in: make([][]router.NodeID, nodes), user: make([][]int, nodes),
		child: filled(size), next: filled(size), before: filled(size), random: rand.New(rand.NewPCG(uint64(nodes), uint64(len(c.Trees)))),
	}
	for _, l := range t.Links() {
		if l.To != s.root {
			s.in[l.To] = append(s.in[l.To], l.From)
			s.user[l.To] = append(s.user[l.To], none)
		}
	}
	for i, tree := range c.Trees {
		s.parent, s.depth = append(s.parent, tree.Parent...), append(s.depth, tree.Depth...)
		s.counts = append(s.counts, make([]int, nodes))
		s.most = append(s.most, tree.MaxDepth())
		s.least += tree.MaxDepth()
		for v, d := range tree.Depth {
			s.counts[i][d]++
			if router.NodeID(v) != s.root {
				s.hang(i, int32(v), tree.Parent[v])
				for k, from := range s.in[v] {
					if from == tree.Parent[v] {
						s.user[v][k] = i
					}
				}
			}
		}
	}
	deepest := c.Depth()
	for d := range nodes {
		s.worth = append(s.worth, math.Pow(deeper, float64(min(d, 2*deepest)-deepest)))
	}
	return s
}

func filled(size int) []int32 {
	list := make([]int32, size)
	for i := range list {
		list[i] = none
	}
	return list
}

// hang makes a node a child of another in a tree.
func (s *shallower) hang(tree int, v int32, parent router.NodeID) {
	base := int32(tree * s.nodes)
	p := base + int32(parent)
	s.parent[base+v] = parent
	s.next[base+v], s.before[base+v] = s.child[p], none
	if s.child[p] != none {
		s.before[base+s.child[p]] = v
	}
	s.child[p] = v
}

// cut takes a node from its parent.
func (s *shallower) cut(tree int, v int32) {
	base := int32(tree * s.nodes)
	next, before := s.next[base+v], s.before[base+v]
	if next != none {
		s.before[base+next] = before
	}
	if before != none {
		s.next[base+before] = next
	} else {
		s.child[base+int32(s.parent[base+v])] = next
	}
}

// anneal makes steps at random, until the trees are as little deep as they can be. Its error is the context's.
func (s *shallower) anneal(ctx limited, least int) error {
	steps := min(mostSteps, stepsANode*s.nodes*len(s.most))
	phase := progress.Begin(ctx, "make the trees less deep", steps/lookEvery)
	defer phase.End()
	for i := 0; i < steps && s.least > least; i++ {
		if i%lookEvery == 0 {
			if err := phase.Step(); err != nil || ctx.search.Err() != nil {
				return err
			}
		}
		v := int32(s.random.IntN(s.nodes))
		if len(s.in[v]) < 2 {
			continue
		}
		k := s.random.IntN(len(s.in[v]))
		other := s.random.IntN(len(s.in[v]) - 1)
		if other >= k {
			other++
		}
		heat := hot * math.Pow(cold/hot, float64(i)/float64(steps))
		if s.swap(v, k, other, heat) {
			s.keep()
		}
	}
	return nil
}

// swap lets the trees that have two links to a node swap them, unless the trees would be worse than the heat allows. It reports whether they did.
func (s *shallower) swap(v int32, k, other int, heat float64) bool {
	a, b := s.user[v][k], s.user[v][other]
	if a == none && b == none {
		return false
	}
	change := 0.0
	for _, x := range [2]struct{ tree, to int }{{a, other}, {b, k}} {
		if x.tree == none {
			continue
		}
		to := s.in[v][x.to]
		if s.behind(x.tree, v, to) {
			return false
		}
		change += s.change(x.tree, v, to)
	}
	if change > 0 && s.random.Float64() >= math.Exp(-change/heat) {
		return false
	}
	s.user[v][k], s.user[v][other] = b, a
	s.move(a, v, s.in[v][other])
	s.move(b, v, s.in[v][k])
	return true
}

// behind reports whether a node is in the part of a tree behind v.
func (s *shallower) behind(tree int, v int32, n router.NodeID) bool {
	base := tree * s.nodes
	for ; n != s.root; n = s.parent[base+int(n)] {
		if int32(n) == v {
			return true
		}
	}
	return false
}

// part lists a node and those behind it in a tree.
func (s *shallower) part(tree int, v int32) []int32 {
	base := int32(tree * s.nodes)
	s.stack = append(s.stack[:0], v)
	for i := 0; i < len(s.stack); i++ {
		for c := s.child[base+s.stack[i]]; c != none; c = s.next[base+c] {
			s.stack = append(s.stack, c)
		}
	}
	return s.stack
}

// change returns by how much a tree gets worse if it reaches a node from another one.
func (s *shallower) change(tree int, v int32, from router.NodeID) (sum float64) {
	base := int32(tree * s.nodes)
	by := s.depth[base+int32(from)] + 1 - s.depth[base+v]
	if by == 0 {
		return 0
	}
	for _, n := range s.part(tree, v) {
		d := s.depth[base+n]
		if int(d+by) >= s.nodes {
			return math.Inf(1)
		}
		sum += s.worth[d+by] - s.worth[d]
	}
	return sum
}

// move lets a tree reach a node from another one.
func (s *shallower) move(tree int, v int32, from router.NodeID) {
	if tree == none {
		return
	}
	base := int32(tree * s.nodes)
	by := s.depth[base+int32(from)] + 1 - s.depth[base+v]
	s.cut(tree, v)
	s.hang(tree, v, from)
	if by == 0 {
		return
	}
	counts := s.counts[tree]
	for _, n := range s.part(tree, v) {
		d := &s.depth[base+n]
		counts[*d]--
		*d += by
		counts[*d]++
		s.most[tree] = max(s.most[tree], int(*d))
	}
	for counts[s.most[tree]] == 0 {
		s.most[tree]--
	}
}

// keep keeps the trees if they are the best so far.
func (s *shallower) keep() {
	sum := 0
	for _, d := range s.most {
		sum += d
	}
	if sum < s.least {
		s.least, s.best = sum, append(s.best[:0], s.parent...)
	}
}

// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/heap"
	"meshwright/router"
)

// origin holds the copies that node 0 sends, on a network with translations. It chooses their trees so that
// each generator has about as many hops.
type origin struct {
	t      *topology.Topology
	trees  []*topology.SpanningTree
	copies int
	load   []int // by generator: the hops that it has
	booking
}

func (b *builder) origin() *origin {
	return &origin{t: b.Topology, trees: b.trees[0], copies: b.copies, load: make([]int, b.Topology.Ports(0))}
}

// generator returns the generator of a hop's link.
func (o *origin) generator(h *hop) int {
	port, _ := o.t.PortTo(h.from, h.to)
	return o.t.Generator(h.from, port)
}

// into returns the generator of the link by which a tree comes to a node.
func (o *origin) into(tree int, n router.NodeID) int {
	return o.generator(&hop{from: o.trees[tree].Parent[n], to: n})
}

// send adds the copies of the messages to a list of destinations: so many parts to each of them.
func (o *origin) send(list []router.NodeID, parts int) {
	if len(list) > 0 && list[0] == router.None {
		for part := range parts {
			o.spreadThinned(int32(part))
		}
		return
	}
	var to []router.NodeID // by message
	for _, n := range list {
		to = append(to, slices.Repeat([]router.NodeID{n}, parts)...)
	}
	for m, trees := range o.ways(to) {
		for _, tree := range trees {
			o.follow(o.trees[tree], to[m], int32(m), int32(tree))
		}
	}
}

// count adds hops over the generators of a tree's way to a node.
func (o *origin) count(tree int, to router.NodeID, hops int) {
	for n := to; n != 0; n = o.trees[tree].Parent[n] {
		o.load[o.into(tree, n)] += hops
	}
}

// rounds bounds how often ways are chosen again.
const rounds = 4

// ways chooses the trees for the copies of the messages to a list of nodes: by message, in the order of the
// list. Each message takes the shortest ways, and of equally long ones those over the generators that the other
// messages use least. As the first messages know nothing of the others, all choose again.
func (o *origin) ways(list []router.NodeID) [][]int {
	chosen := make([][]int, len(list))
	for range rounds {
		for i, to := range list {
			for _, tree := range chosen[i] {
				o.count(tree, to, -1)
			}
			chosen[i] = chosen[i][:0]
			for range o.copies {
				tree := o.way(to, chosen[i])
				chosen[i] = append(chosen[i], tree)
				o.count(tree, to, 1)
			}
		}
	}
	return chosen
}

// way returns the tree of the best way to a node, but those that are taken.
func (o *origin) way(to router.NodeID, taken []int) int {
	best, least := -1, 0
	for tree, s := range o.trees {
		if slices.Contains(taken, tree) {
			continue
		}
		o.count(tree, to, 1)
		sum := 0
		for n := to; n != 0; n = s.Parent[n] {
			sum += o.load[o.into(tree, n)]
		}
		o.count(tree, to, -1)
		if best < 0 || s.Depth[to] < o.trees[best].Depth[to] || s.Depth[to] == o.trees[best].Depth[to] && sum < least {
			best, least = tree, sum
		}
	}
	return best
}

// thinning takes nodes out of trees, leaf by leaf, until no leaf is in more trees than there are copies.
// A leaf whose link has the generator with the most hops goes first, so that all generators have about
// as many hops in the end:
//
//	trees      T_1: 0 - a - b        T_2: 0 - b - a        one copy
//	thinned    T_1: 0 - a            T_2: 0 - b
type thinning struct {
	*origin
	has      [][]bool         // by tree and node
	children [][]int          // by tree and node
	in       []int            // by node: the trees that it is in
	leaves   []heap.Heap[leaf] // by generator of the links into them
}

// leaf is a node without children in a tree.
type leaf struct {
	tree  int
	node  router.NodeID
	depth int32
}

// Before prefers the deeper leaf, then the earlier one.
func (e leaf) Before(f leaf) bool {
	switch {
	case e.depth != f.depth:
		return e.depth > f.depth
	case e.node != f.node:
		return e.node < f.node
	}
	return e.tree < f.tree
}

// thin takes the nodes out, and adds the hops that are left to the load.
func (o *origin) thin() *thinning {
	t := &thinning{origin: o, in: make([]int, o.t.Nodes()), leaves: make([]heap.Heap[leaf], len(o.load))}
	for tree, s := range o.trees {
		t.has, t.children = append(t.has, make([]bool, len(t.in))), append(t.children, make([]int, len(t.in)))
		for _, n := range s.Order[1:] {
			t.has[tree][n] = true
			t.children[tree][s.Parent[n]]++
			t.in[n]++
			o.load[o.into(tree, n)]++
		}
	}
	for tree, s := range o.trees {
		for _, n := range s.Order[1:] {
			t.enter(tree, n)
		}
	}
	for g := t.heaviest(); g >= 0; g = t.heaviest() {
		e := t.leaves[g].Pop()
		parent := o.trees[e.tree].Parent[e.node]
		t.has[e.tree][e.node] = false
		t.in[e.node]--
		o.load[g]--
		t.children[e.tree][parent]--
		t.enter(e.tree, parent)
	}
	return t
}

// enter lists a node that may be taken out of a tree.
func (t *thinning) enter(tree int, n router.NodeID) {
	if n != 0 && t.children[tree][n] == 0 && t.in[n] > t.copies {
		g := t.into(tree, n)
		t.leaves[g].Push(leaf{tree, n, t.trees[tree].Depth[n]})
	}
}

// heaviest returns, of the generators with leaves that may be taken out, the one with the most hops; -1 if
// there is none.
func (t *thinning) heaviest() int {
	most := -1
	for g := range t.leaves {
		for len(t.leaves[g]) > 0 && t.in[t.leaves[g][0].node] <= t.copies {
			t.leaves[g].Pop()
		}
		if len(t.leaves[g]) > 0 && (most < 0 || t.load[g] > t.load[most]) {
			most = g
		}
	}
	return most
}

// spreadThinned adds the hops by which the copies of a message reach all nodes. A node that is left in more
// trees than there are copies keeps those by which it is nearest, and only passes the others on.
func (o *origin) spreadThinned(message int32) {
	t := o.thin()
	for tree, s := range o.trees {
		into := make([]int32, len(s.Parent)) // by node: the hop that ends there
		into[0] = -1
		for _, n := range s.Order[1:] {
			if t.has[tree][n] {
				into[n] = o.add(hop{message: message, copy: int32(tree), from: s.Parent[n], to: n, passes: t.nearer(tree, n) >= o.copies}, into[s.Parent[n]])
			}
		}
	}
}

// nearer counts the trees in which a node is nearer to the root than in one of its trees.
func (t *thinning) nearer(tree int, n router.NodeID) int {
	count := 0
	for other, s := range t.trees {
		depth := t.trees[tree].Depth[n]
		if t.has[other][n] && (s.Depth[n] < depth || s.Depth[n] == depth && other < tree) {
			count++
		}
	}
	return count
}

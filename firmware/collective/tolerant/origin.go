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
	into   [][]int // by tree and node: the generator of the link by which the tree comes to the node
	load   []int   // by generator: the hops that it has
	booking
}

func newOrigin(t *topology.Topology, trees []*topology.SpanningTree, copies int) *origin {
	o := &origin{t: t, trees: trees, copies: copies, load: make([]int, t.Ports(0))}
	for _, s := range trees {
		into := make([]int, t.Nodes())
		for _, n := range s.Order[1:] {
			into[n] = o.generator(&hop{from: s.Parent[n], to: n})
		}
		o.into = append(o.into, into)
	}
	return o
}

// generator returns the generator of a hop's link.
func (o *origin) generator(h *hop) int {
	port, _ := o.t.PortTo(h.from, h.to)
	return o.t.Generator(h.from, port)
}

// schedule makes the schedule of so many parts for each of a list of destinations, in which a generator carries at
// most one copy in a step. The hops rise by steps.
func (o *origin) schedule(list []router.NodeID, parts int) {
	o.send(list, parts)
	o.book(len(o.load), o.generator)
	sortBySteps(o.hops)
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

// count adds hops over the generators of a tree's route to a node.
func (o *origin) count(tree int, to router.NodeID, hops int) {
	for n := to; n != 0; n = o.trees[tree].Parent[n] {
		o.load[o.into[tree][n]] += hops
	}
}

// rounds bounds how often routes are chosen again.
const rounds = 4

// ways chooses the trees for the copies of the messages to a list of nodes: by message, in the order of the
// list. Each message takes the shortest routes, and of equally long ones those over the generators that the other
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

// way returns the tree of the best route to a node, but those that are taken.
func (o *origin) way(to router.NodeID, taken []int) int {
	best, least := -1, 0
	for tree, s := range o.trees {
		if slices.Contains(taken, tree) {
			continue
		}
		o.count(tree, to, 1)
		sum := 0
		for n := to; n != 0; n = s.Parent[n] {
			sum += o.load[o.into[tree][n]]
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
	has      [][]bool          // by tree and node
	children [][]int           // by tree and node
	in       []int             // by node: the trees that it is in
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
			o.load[o.into[tree][n]]++
		}
	}
	for tree, s := range o.trees {
		for _, n := range s.Order[1:] {
			t.enter(tree, n)
		}
	}
	for shifted := true; shifted; shifted = t.shift() {
		for g := t.heaviest(); g >= 0; g = t.heaviest() {
			e := t.leaves[g].Pop()
			t.set(e.tree, e.node, -1)
			t.enter(e.tree, o.trees[e.tree].Parent[e.node])
		}
	}
	for levelled := true; levelled; levelled = t.level() {
	}
	return t
}

// set puts a node into a tree (hops +1), or takes it out (-1).
func (t *thinning) set(tree int, n router.NodeID, hops int) {
	t.has[tree][n] = hops > 0
	t.in[n] += hops
	t.load[t.into[tree][n]] += hops
	t.children[tree][t.trees[tree].Parent[n]] += hops
}

// shift makes leaves of nodes that are in too many trees: their children in one of the trees, if these are
// leaves, go over to other trees.
func (t *thinning) shift() bool {
	shifted := false
	for n := range router.NodeID(len(t.in)) {
		for tree := 0; tree < len(t.trees) && n != 0 && t.in[n] > t.copies; tree++ {
			if t.has[tree][n] && t.shiftChildren(tree, n) {
				t.enter(tree, n)
				shifted = true
				break
			}
		}
	}
	return shifted
}

// shiftChildren lets the children of a node in a tree go over to other trees, if all of them can.
func (t *thinning) shiftChildren(tree int, n router.NodeID) bool {
	var list []router.NodeID
	var to []int
	for port := range router.Port(t.t.Ports(n)) {
		c := t.t.Neighbor(n, port)
		if c == router.None || !t.has[tree][c] || t.trees[tree].Parent[c] != n {
			continue
		}
		other := t.other(c)
		if t.children[tree][c] > 0 || other < 0 {
			return false
		}
		list, to = append(list, c), append(to, other)
	}
	for i, c := range list {
		t.set(tree, c, -1)
		t.set(to[i], c, 1)
	}
	return true
}

// level lets leaves go over to trees whose generators have fewer hops.
func (t *thinning) level() bool {
	levelled := false
	for tree, s := range t.trees {
		for _, n := range s.Order[1:] {
			if !t.has[tree][n] || t.children[tree][n] > 0 {
				continue
			}
			if other := t.other(n); other >= 0 && t.load[t.into[other][n]]+1 < t.load[t.into[tree][n]] {
				t.set(tree, n, -1)
				t.set(other, n, 1)
				levelled = true
			}
		}
	}
	return levelled
}

// other returns, of the trees that a node could go into, the one whose generator has the fewest hops; -1 if there
// is none.
func (t *thinning) other(n router.NodeID) int {
	best := -1
	for tree, s := range t.trees {
		parent := s.Parent[n]
		if !t.has[tree][n] && (parent == 0 || t.has[tree][parent]) && (best < 0 || t.load[t.into[tree][n]] < t.load[t.into[best][n]]) {
			best = tree
		}
	}
	return best
}

// enter lists a node that may be taken out of a tree.
func (t *thinning) enter(tree int, n router.NodeID) {
	if e := (leaf{tree, n, t.trees[tree].Depth[n]}); n != 0 && t.spare(e) {
		t.leaves[t.into[tree][n]].Push(e)
	}
}

// spare reports whether a node may be taken out of a tree. Since it was listed, it may have got children there, or have
// left the tree.
func (t *thinning) spare(e leaf) bool {
	return t.has[e.tree][e.node] && t.children[e.tree][e.node] == 0 && t.in[e.node] > t.copies
}

// heaviest returns, of the generators with leaves that may be taken out, the one with the most hops; -1 if
// there is none.
func (t *thinning) heaviest() int {
	most := -1
	for g := range t.leaves {
		for len(t.leaves[g]) > 0 && !t.spare(t.leaves[g][0]) {
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

// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// cuts bounds an all-to-all by the links between two parts of the nodes: between two
// neighbouring slices of a grid (on a ring, between any two cuts of it), and on other networks between each branch of a
// spanning tree and the rest, and between sides that grow from each node (see grownCuts) and the rest. Let W flits cross c links in one direction. One of these links is busy for f*ceil(W/c)
// cycles or more (see wires), none of them before cycle s, and its last flit takes h more. With a single port a
// node carries one flit at a time, whatever the number of its links.
func (x *exchanged) cuts() router.Cycle {
	switch {
	case x.t.IsGrid():
		best := router.Cycle(0)
		for d := range x.t.Dims {
			best = max(best, x.gridCuts(d))
		}
		return best
	case x.t.Star() != nil || len(x.t.Links()) == x.t.Nodes()*(x.t.Nodes()-1): // a node alone has the best cut, see reached
		return 0
	}
	return max(x.treeCuts(), x.grownCuts())
}

// across bounds the traffic between a part with some nodes and words, and the
// rest, over so many links each way, which pass so many flits at once.
func (x *exchanged) across(nodes, words, ways router.Cycle, links int) router.Cycle {
	rest := router.Cycle(x.t.Nodes()) - nodes
	if links == 0 || nodes == 0 || rest == 0 {
		return 0
	}
	most := max(words*rest, (x.total-words)*nodes)
	if most == 0 {
		return 0
	}
	return x.crossed(most, int(ways), links)
}

// overLinks is the time in which so many flits go over so many links, which pass so many at once.
func (x *exchanged) overLinks(flits router.Cycle, ways, links int) router.Cycle {
	return x.startup + x.hop + max(share(flits, ways)*x.flit, x.wires.shared(flits, links))
}

// gridCuts takes runs of neighbouring slices along dimension d: those from the
// border on a mesh, all on a torus.
func (x *exchanged) gridCuts(d int) router.Cycle {
	axis, size := x.t.Axis(d), x.t.Dims[d]
	slice := router.Cycle(x.t.Nodes() / size) // nodes of one
	words := make([]router.Cycle, size+1)     // of the slices before
	for n, length := range x.lengths {
		words[axis.Coordinate(router.NodeID(n))+1] += router.Cycle(length)
	}
	for i := range size {
		words[i+1] += words[i]
	}
	links, first := slice, 1
	if x.t.Wrap[d] {
		// The links at the two ends of a run; with one port the nodes at its ends.
		links, first = 2*slice, size
	}
	best := router.Cycle(0)
	for from := range first {
		for to := from + 1; to <= size; to++ {
			c := links
			if x.m.Ports == machine.SinglePort && (to-from == 1 || to-from == size-1) {
				c = slice // both links are of the same nodes
			}
			best = max(best, x.across(router.Cycle(to-from)*slice, words[to]-words[from], c, int(links)))
		}
	}
	return best
}

// treeCuts takes the branches of a spanning tree: on a tree all its edges.
func (x *exchanged) treeCuts() (best router.Cycle) {
	tree := topology.BreadthFirst(x.t, 0)
	if len(tree.Order) < x.t.Nodes() {
		return 0
	}
	nodes, words := x.below(tree)
	for n, links := range leaving(x.t, tree) {
		ways := links
		if x.m.Ports == machine.SinglePort {
			ways = min(links, nodes[n], router.Cycle(x.t.Nodes())-nodes[n])
		}
		best = max(best, x.across(nodes[n], words[n], ways, int(links)))
	}
	return best
}

// leaving counts by node of a spanning tree the links from its branch to the rest of the network: those that begin in the branch, less those that end in it as well. A link counts for the branches
// with both of its ends if it counts for that of the node where their routes to the root meet.
func leaving(t *topology.Topology, tree *topology.SpanningTree) []router.Cycle {
	links := make([]router.Cycle, t.Nodes())
	for _, l := range t.Links() {
		links[l.From]++
		a, b := l.From, l.To
		for a != b {
			if tree.Depth[a] < tree.Depth[b] {
				a, b = b, a
			}
			a = tree.Parent[a]
		}
		links[a]--
	}
	for i := len(tree.Order) - 1; i > 0; i-- {
		n := tree.Order[i]
		links[tree.Parent[n]] += links[n]
	}
	return links
}

// below counts the nodes and the words of each branch of a tree.
func (x *exchanged) below(tree *topology.SpanningTree) (nodes, words []router.Cycle) {
	nodes, words = make([]router.Cycle, x.t.Nodes()), make([]router.Cycle, x.t.Nodes())
	for i, n := range slices.Backward(tree.Order) {
		nodes[n]++
		words[n] += router.Cycle(x.lengths[n])
		if i > 0 {
			nodes[tree.Parent[n]] += nodes[n]
			words[tree.Parent[n]] += words[n]
		}
	}
	return nodes, words
}

// branches bounds an all-to-all on a tree, or a path, of nodes with one channel and all ports, by k links of one node:
//
//	cycle           s                  s + h
//	node --> ...    its own flits      and those of others, which come over other links
//	     --> ...
//
// In the first h cycles only flits of the node itself are on these links, and its channel sends one at a time: k-1 of the links are idle. So if F flits go over the k links together,
//
//	f*F <= k*(T-s-h) - (k-1)*h,
//
// or T >= s + h + f*F, if that is less. Reversed in time the same holds for the links to the node, and its ejection channel in the last h cycles.
func (x *exchanged) branches() (best router.Cycle) {
	if x.m.Ports == machine.SinglePort || x.m.Channels == machine.Links || x.m.PacketSwitched() || len(x.t.Links()) != 2*(x.t.Nodes()-1) {
		return 0
	}
	tree := topology.BreadthFirst(x.t, 0)
	if len(tree.Order) < x.t.Nodes() {
		return 0
	}
	nodes, words := x.below(tree)
	all := router.Cycle(x.t.Nodes())
	out, in := make([][]router.Cycle, all), make([][]router.Cycle, all) // flits over each link of a node
	for _, n := range tree.Order[1:] {
		up, down, rest := tree.Parent[n], (x.total-words[n])*nodes[n], words[n]*(all-nodes[n])
		out[up], in[up] = append(out[up], down), append(in[up], rest)
		out[n], in[n] = append(out[n], rest), append(in[n], down)
	}
	for n := range out {
		for _, flits := range [][]router.Cycle{out[n], in[n]} {
			slices.SortFunc(flits, func(a, b router.Cycle) int { return cmp.Compare(b, a) })
			sum := router.Cycle(0)
			for i, f := range flits {
				sum += f * x.flit
				if sum > 0 {
					best = max(best, x.startup+x.hop+min(sum, share(sum+router.Cycle(i)*x.hop, i+1)))
				}
			}
		}
	}
	return best
}

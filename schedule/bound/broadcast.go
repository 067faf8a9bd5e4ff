// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/maxflow"
	"meshwright/router"
)

// Broadcast bounds the time in which all nodes get the root's W words. Messages go to one node
// each; a PE sends only words of messages that have arrived whole. Let s be the startup, f the
// cycles of a flit and h the cycles of a hop. The bound is the largest of these bounds:
//
//   - Cut: T >= s + f*ceil(W/c) + h*d for every node v at distance d from the root and every
//     cut of c links between them. All W words cross the cut on their way to v. A word that
//     crosses link (a, b) is there in cycle s + h*d(root, a) at the earliest, and has d(b, v)
//     links to go. By the triangle inequality a link has T - s - h*d cycles for its
//     words, f for each or more (see wires). The least cut is the maximum flow from the root to v (Ford, Fulkerson).
//     All ports of the root, or of v, and their channels, are cuts too. A channel that sends rests or stalls, see pausesOf.
//   - Cut and growth together: words that cross late reach few nodes, see spreadCrossings.
//   - Growth: T >= t(N) + f*(ceil(W/c)-1) + 1, where c is the number of the root's channels,
//     and t(N) is the first cycle in which N nodes can have a given word. Some word leaves the
//     root for the first time in cycle s + f*(ceil(W/c)-1) or later. From then on its holders
//     multiply: a holder sends it at most once in max(f, s+1) cycles over each channel, and
//     the receiver has it s+f+h-1 cycles later (f+h-1 for the first message, whose startup has
//     passed). Far nodes also have the time of their links before them, see informed.
//   - Single port: T >= s + f*W*p + h*(d+e) for a node at distance d whose removal leaves p
//     parts without the root, each with a node e links from it. The node sends all words p times, see wordParts.
//   - Half duplex: all nodes but the root receive W words, see halfDuplex and halfDuplexGrowth.
//   - Half duplex, too: what all trees need along which words reach all nodes, see rootTrees.
//   - Startups and words together: see capacity, copies and farStartups.
func Broadcast(t *topology.Topology, m machine.Machine, root router.NodeID, words int) (best Proven) {
	if !possible(t, m) || !t.Has(root) || words < 0 {
		return best
	}
	best.oneWord(t, m, root, words, period(&m))
	best.startups(t, m, root, words, newCapacity(t, m, root, words, false))
	best.farStartups(t, m, root, words, false)
	best.exceed(spreadCrossings(t, m, root, words, false, best.Cycles), ByCut)
	best.raise(halfDuplexGrowth(t, m, root, words, false), ByDuplex)
	best.raise(sentFrom(t, m, root, words, Eccentricity(t, root)), ByCut)
	best.exceed(rootTrees(t, m, root, words, newSpreadTrees(t.Nodes()), best.Cycles), ByTrees)
	best.exceed(slowWords(t, m, root, words, true, false, best.Cycles), ByCut)
	return best
}

// Reduce bounds the time in which the root gets the sum of W words of every node. Each flit
// carries a sum of words at the same position. The argument is the argument of Broadcast,
// reversed in time. One thing differs: a node needs no startup to receive a message, so it can
// add one message to its words every f cycles over each channel.
func Reduce(t *topology.Topology, m machine.Machine, root router.NodeID, words int) (best Proven) {
	if !possible(t, m) || !t.Has(root) || words < 0 {
		return best
	}
	best.oneWord(t, m, root, words, router.Cycle(m.Flit))
	best.startups(t, m, root, words, newCapacity(t, m, root, words, true))
	best.farStartups(t, m, root, words, true)
	best.exceed(spreadCrossings(t, m, root, words, true, best.Cycles), ByCut)
	best.raise(halfDuplexGrowth(t, m, root, words, true), ByDuplex)
	for n, d := range reach(t, root).distance {
		if d > 0 {
			best.raise(sentFrom(t, m, router.NodeID(n), words, int(d)), ByCut)
		}
	}
	best.exceed(rootTrees(t, m, root, words, newSumTrees(t.Nodes()), best.Cycles), ByTrees)
	best.exceed(slowWords(t, m, root, words, false, true, best.Cycles), ByCut)
	return best
}

// AllReduce bounds the time in which all nodes get the sum of W words of every node. It is the
// largest of these bounds:
//
//   - Single port: a node that holds p parts together passes all words to each part, see allParts.
//   - Every node's words have to reach all nodes, if only as part of sums for the same place,
//     as in a Broadcast.
//   - Each of the W places needs 2(N-1) messages of at least one flit. Before the last of the
//     first N-1 messages nobody can know the whole sum, and then the other N-1 nodes still
//     have to receive it. Each message needs f cycles of an ejection channel, none before
//     cycle s + h.
//   - With half duplex, the same 2(N-1)*W messages are sent and received over the same channels: see halfDuplex. Their cheapest arcs have prices: see rootTrees.
//   - Startups and words together, of a node with the fewest channels: see capacity.
//   - Startups and words together of all channels, for these 2(N-1)*W messages: see allCapacity.
//   - Startups and words together of all nodes, by prices: see gossipPrices.
//   - The whole messages that all channels send: see sumPlans.
//   - What a flit can have when it crosses a cut, and whom it can still reach: see sumCrossings.
func AllReduce(t *topology.Topology, m machine.Machine, words int) (best Proven) {
	if !possible(t, m) || words <= 0 || t.Nodes() == 1 {
		return best
	}
	nodes, all, fewest := t.Nodes(), 0, router.NodeID(0)
	for n := range router.NodeID(nodes) {
		all += gates(t, m, n)
		if nodes <= maxRoots || n == 0 {
			best.oneWord(t, m, n, words, period(&m))
			best.raise(allParts(t, m, n, words), ByPort)
		}
		if channels(t, m, n) < channels(t, m, fewest) {
			fewest = n
		}
	}
	flits := 2 * router.Cycle(nodes-1) * router.Cycle(words)
	best.raise(lead(&m)+router.Cycle(m.Hop)+router.Cycle(m.Flit)*share(flits, all), ByVolume)
	best.raise(halfDuplex(t, m, flits), ByDuplex)
	best.startups(t, m, fewest, words, newCapacity(t, m, fewest, words, false))
	best.startups(t, m, fewest, words, allCapacity(t, m, flits))
	best.exceed(gossipPrices(t, m, slices.Repeat([]int{words}, nodes), words, best.Cycles), ByStartups)
	best.exceed(sumPlans(t, m, words, best.Cycles), ByStartups)
	best.exceed(sumCrossings(t, m, words, best.Cycles), ByCut)
	best.exceed(rootTrees(t, m, 0, words, newSharedSums(nodes), best.Cycles), ByTrees)
	best.exceed(slowWords(t, m, 0, words, true, true, best.Cycles), ByCut)
	return best
}

// rootTrees bounds a broadcast, a reduction or an allreduce of half-duplex PEs by the prices of what its words need, as in gossipTrees: in a broadcast trees from the root to all nodes, in a reduction trees from all nodes to the root, in an
// allreduce see sharedSums. The result is 0 with full duplex, where cuts and ports show as much.
func rootTrees(t *topology.Topology, m machine.Machine, root router.NodeID, words int, needs needs, known router.Cycle) router.Cycle {
	if m.Duplex != machine.Half {
		return 0
	}
	lengths := make([]int, t.Nodes())
	lengths[root] = words
	return dearestTrees(t, m, lengths, needs, known)
}

// allParts bounds an allreduce of W words by what a node with a single port passes on, if the network falls into p parts without it.
//
// Let x be the node outside a part that is furthest from the node, at distance d, and y the node of the part that is furthest, at distance e. What x adds to a place comes to y
// over the node, which sends a flit of this place into the part, in cycle s + h*d or later. These are p*W flits, of different places or to different parts, one in f
// cycles. The last of them still has e links to go:
//
//	T >= s + f*p*W + h*(least d + least e)
//
//	x --- d links ---> node ---> part 1 ... y
//	                        ---> part 2
func allParts(t *topology.Topology, m machine.Machine, n router.NodeID, words int) router.Cycle {
	if m.Ports != machine.SinglePort {
		return 0
	}
	r := reach(t, n)
	furthest := r.depths()
	within, outside := int32(0), int32(0)
	for part := range furthest {
		most := int32(0) // in the other parts
		for other, d := range furthest {
			if other != part {
				most = max(most, d)
			}
		}
		if part == 0 || furthest[part] < within {
			within = furthest[part]
		}
		if part == 0 || most < outside {
			outside = most
		}
	}
	return lead(&m) + router.Cycle(m.Flit*len(furthest)*words) + router.Cycle(int(within+outside)*m.Hop)
}

// sentFrom bounds a broadcast or reduction by a node that sends W words, which have so many links to go.
func sentFrom(t *topology.Topology, m machine.Machine, from router.NodeID, words, links int) router.Cycle {
	if words == 0 || links == 0 {
		return 0
	}
	return lead(&m) + pausesOf(m).shared(router.Cycle(words), channels(t, m, from)) + router.Cycle(links*m.Hop)
}

// maxRoots bounds the networks of which every node is tried as a root.
const maxRoots = 64

// Eccentricity returns the distance of the node that is furthest from one.
func Eccentricity(t *topology.Topology, n router.NodeID) int {
	if t.ValidNode("node", n) != nil {
		return 0
	}
	most := int32(0)
	for _, d := range reach(t, n).distance {
		most = max(most, d)
	}
	return int(most)
}

// oneWord bounds the time of a Broadcast or Reduce, but for startups and words together. In every period of so many cycles each
// channel of an informed node can inform one more node.
func (p *Proven) oneWord(t *topology.Topology, m machine.Machine, root router.NodeID, words int, period router.Cycle) {
	nodes := t.Nodes()
	if words == 0 || nodes == 1 {
		return
	}
	f, w := router.Cycle(m.Flit), router.Cycle(words)
	p.raise(wordCuts(t, m, root, w), ByCut)
	p.raise(wordParts(t, m, root, w), ByPort)
	p.raise(reach(t, root).informed(t, m, nil, period)+f*(share(w, gates(t, m, root))-1)+1, ByGrowth)
	p.raise(halfDuplex(t, m, router.Cycle(nodes-1)*w), ByDuplex)
}

// gates returns how many flits a node can send, or take, at once.
func gates(t *topology.Topology, m machine.Machine, n router.NodeID) int {
	if m.Ports == machine.SinglePort {
		return 1
	}
	return channels(t, m, n)
}

// maxFlowWork bounds the nodes times links of networks in which the least cut
// before every node is looked for; in larger ones it is the ends' links.
const maxFlowWork = 1 << 21

// wordCuts is the bound by cuts.
func wordCuts(t *topology.Topology, m machine.Machine, root router.NodeID, words router.Cycle) router.Cycle {
	links := t.Links()
	var net *maxflow.Network
	if m.Ports != machine.SinglePort && t.Nodes()*len(links) <= maxFlowWork {
		net = maxflow.New(t.Nodes(), len(links))
		for _, l := range links {
			net.Arc(int32(l.From), int32(l.To), 1)
		}
	}
	best, w := router.Cycle(0), wiresOf(t, m)
	for n, d := range reach(t, root).distance {
		if d <= 0 {
			continue
		}
		at := router.NodeID(n)
		ways, across := min(gates(t, m, root), gates(t, m, at)), min(t.Degree(root), t.Degree(at))
		if net != nil && across > 1 && (ways > 1 || w.stall > 0) {
			across = int(net.Send(int32(root), int32(n), int64(across)))
			net.Reset()
		}
		work := max(router.Cycle(m.Flit)*share(words, ways), w.shared(words, across))
		best = max(best, lead(&m)+work+router.Cycle(int(d)*m.Hop))
	}
	return best
}

// wordParts is the bound by nodes with a single port that hold the network together: the root anywhere, and every node of a tree.
//
//	root --- d links ---> node ---> part of depth 3
//	                           ---> part of depth 1
//
// Of the parts without the root take the q that reach furthest, e links or more from the node. All words enter each of them, one in f cycles, none before cycle s + h*d.
// The first time that the last of them enters its part, the furthest node of this part is e links or more away:
//
//	T >= s + h*d + f*W*q + h*e
func wordParts(t *topology.Topology, m machine.Machine, root router.NodeID, words router.Cycle) (best router.Cycle) {
	if m.Ports != machine.SinglePort {
		return 0
	}
	raise := func(distance int32, depths []int32) {
		slices.SortFunc(depths, func(a, b int32) int { return cmp.Compare(b, a) })
		for i, e := range depths {
			best = max(best, lead(&m)+router.Cycle(m.Flit*(i+1))*words+router.Cycle(int(distance+e)*m.Hop))
		}
	}
	r := reach(t, root)
	raise(0, r.depths())
	if len(t.Links()) <= 2*(t.Nodes()-1) {
		for n, depths := range r.below(t) {
			if router.NodeID(n) != root {
				raise(r.distance[n], depths)
			}
		}
	}
	return best
}

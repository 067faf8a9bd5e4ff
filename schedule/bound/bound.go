// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Scatter bounds the time in which every node gets its block from the root; lengths are by
// node, the root's is ignored. Messages may carry words of several nodes or parts of blocks,
// and PEs may pass them on. It is the largest of three bounds:
//
//   - The bound of Gather: reversed in time, the words that leave the root come to it. The root's channels may rest or stall, see pausesOf.
//   - The bound by words and startups together: see relays.
//   - Growth. Let N be the number of nodes with a block, the root included. The nodes that
//     have received something multiply as the holders of a word do in a broadcast, so the last
//     of them is reached in cycle t(N) at the earliest (see Broadcast and informed).
func Scatter(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) Proven {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return Proven{}
	}
	return reach(t, root).scatter(t, m, root, lengths)
}

func (r *reached) scatter(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) Proven {
	best := r.gatherOrCuts(t, m, root, lengths)
	best.raise(r.sent(t, m, lengths), ByDistance)
	if r.receivers(lengths) > 0 {
		best.raise(r.informed(t, m, lengths, period(&m))+1, ByGrowth)
		best.raise(relays(t, m, root, lengths, best.Cycles), ByStartups)
	}
	best.exceed(slowBlocks(t, m, root, lengths, true, best.Cycles), ByCut)
	return best
}

// UncombinedScatter bounds a scatter in which every message leaves the root for one node, with
// words of that node's block alone: blocks may be cut, but not combined. Where the machine has
// a startup, other scatters can be faster; [Scatter] holds for all of them.
//
// Proof. Take the messages whose destinations are at least k links away. Let L_1..L_j be their
// flits on one channel, and r = max(0, s+1-f).
//
//   - The channel could place another flit no earlier than in cycle s + f*sum L + (j-1)*r. It
//     takes the next message at the earliest a cycle after it placed the last flit, and the
//     first flit of this message follows s cycles later, or f cycles if that is more.
//   - One of the c channels has at least the c-th part of the work, sum (f*L + r). One has at
//     least the c-th part of the messages, f + r for each.
//   - The flit that leaves last still has k links to go.
func UncombinedScatter(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return 0
	}
	_, uncombined := Scatters(t, m, root, lengths)
	return uncombined
}

// Scatters returns the results of Scatter and UncombinedScatter, for less work than both
// calls.
func Scatters(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) (all Proven, uncombined router.Cycle) {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return Proven{}, 0
	}
	r := reach(t, root)
	all = r.scatter(t, m, root, lengths)
	return all, max(all.Cycles, r.alone(t, m, root, lengths))
}

// alone returns the bound by which UncombinedScatter may exceed Scatter.
func (r *reached) alone(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	model := timing.Of(&m)
	return worst(r.tally(lengths), func(k int, words, messages router.Cycle) router.Cycle {
		c, rest := channels(t, m, root), model.Rest()
		busiest := max(share(words*model.Flit+messages*(model.Overhead()+rest), c), share(messages, c)*model.Hold(1))
		return model.Startup - rest + busiest + router.Cycle(k*m.Hop)
	})
}

// Gather bounds the time in which the root gets every node's block; lengths are by node, the
// root's is ignored.
//
// Proof. Take the messages whose sources are at least k links away. Their first flit is at the
// root in cycle s + k*h at the earliest. From then on all their flits arrive, f cycles for
// each, however they are divided among messages:
//
//   - over the root's channels,
//   - over the root's ports: over the one port, or over one port for each link. When the root
//     cuts the network into parts, the flits of a part arrive over the links from that part, see wires,
//   - and deeper in the network over the links out of a part (cuts).
func Gather(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) Proven {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return Proven{}
	}
	best := reach(t, root).gatherOrCuts(t, m, root, lengths)
	best.exceed(slowBlocks(t, m, root, lengths, false, best.Cycles), ByCut)
	return best
}

func (r *reached) gatherOrCuts(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) (best Proven) {
	best.raise(r.gather(t, m, root, lengths), ByDistance)
	best.raise(r.cuts(t, m, lengths), ByCut)
	return best
}

// gather is the part of Gather's bound that looks only at the root's channels and ports.
func (r *reached) gather(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	best := worst(r.tally(lengths), func(k int, words, _ router.Cycle) router.Cycle {
		return lead(&m) + share(words*router.Cycle(m.Flit), channels(t, m, root)) + router.Cycle(k*m.Hop)
	})
	return max(best, r.ports(t, m, lengths))
}

// UncombinedGather bounds a gather in which every message has words of one node's block alone. Where messages have
// header flits, other gathers can be faster; [Gather] holds for all of them. In its proof as many header flits arrive
// with the data as there are messages.
func UncombinedGather(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return 0
	}
	r, model := reach(t, root), timing.Of(&m)
	best := r.gatherOrCuts(t, m, root, lengths).Cycles
	time := func(servers int) func(int, router.Cycle, router.Cycle) router.Cycle {
		return func(k int, words, messages router.Cycle) router.Cycle {
			return model.Startup + share(words*model.Flit+messages*model.Overhead(), servers) + router.Cycle(k*m.Hop)
		}
	}
	best = max(best, worst(r.tally(lengths), time(channels(t, m, root))))
	if m.Ports == machine.SinglePort {
		return max(best, worst(r.tally(lengths), time(1)))
	}
	for part, loads := range r.tallyParts(lengths) {
		best = max(best, worst(loads, time(r.links[part])))
	}
	return best
}

// Gossip bounds the time in which every node gets every node's block. It is the largest of
// these bounds:
//
//   - The bound of a gather to the node for which it takes longest. With half duplex this node
//     cannot receive in the cycles in which it sends its own block. It sends the block at
//     least once, from cycle s on. So the time is at least s plus the work of both.
//   - The channels of all nodes send all words N-1 times, see sentByAll.
//   - Growth: every block is broadcast, so the holders of its last word have to multiply (see
//     Broadcast).
//   - On grids, the load that this growth puts on the links: [GossipSlots].
//   - With a single port, what a node has to pass on: see transit.
//   - With half duplex, what all nodes together send and receive: see halfDuplex.
//   - Startups and words together, of one channel: see gossipStartups.
//   - Startups and words of all nodes, by prices: see gossipPrices.
//   - The whole messages that all channels send: see gossipPlans.
//   - The narrowest cut: see gossipCuts.
//   - What all trees need along which words reach all nodes: see gossipTrees.
//   - What words can do after they have crossed a cut: see gossipCrossings.
func Gossip(t *topology.Topology, m machine.Machine, lengths []int) (best Proven) {
	if !possible(t, m) || !fitting(t, lengths) || t.Nodes() == 1 {
		return best
	}
	total := 0
	for _, length := range lengths {
		total += length
	}
	for _, n := range roots(t, lengths) {
		best.raise(reach(t, n).gather(t, m, n, lengths), ByDistance)
		if m.Duplex == machine.Half && total > 0 {
			c := gates(t, m, n)
			own, others := router.Cycle(lengths[n]*m.Flit), router.Cycle((total-lengths[n])*m.Flit)
			best.raise(lead(&m)+share(own, c)+share(others, c), ByDuplex)
		}
	}
	best.raise(sentByAll(t, m, router.Cycle(t.Nodes()-1)*router.Cycle(total)), ByDistance)
	best.raise(halfDuplex(t, m, router.Cycle(t.Nodes()-1)*router.Cycle(total)), ByDuplex)
	best.raise(gossipCuts(t, m, lengths), ByCut)
	best.raise(gossipTransit(t, m, lengths, total), ByPort)
	best.raise(wordGrowth(t, m, lengths), ByGrowth)
	best.raise(gossipStartups(t, m, lengths, total), ByStartups)
	best.raise(GossipSlots(t, m, total), BySlots)
	best.raise(gossipTrees(t, m, lengths, best.Cycles), ByTrees)
	best.exceed(gossipPrices(t, m, lengths, total, best.Cycles), ByStartups)
	best.exceed(gossipPlans(t, m, lengths, total, best.Cycles), ByStartups)
	best.exceed(gossipCrossings(t, m, lengths, best.Cycles), ByCut)
	best.exceed(slowGossip(t, m, lengths, best.Cycles), ByCut)
	return best
}

// wordGrowth bounds a gossip by the growth of the holders of each node's words.
func wordGrowth(t *topology.Topology, m machine.Machine, lengths []int) (best router.Cycle) {
	g := newGrowth(t, m, t.Nodes()-1, period(&m))
	for _, n := range roots(t, lengths) {
		if lengths[n] > 0 { // the last word of a node leaves it after its first
			last := share(router.Cycle(lengths[n]), gates(t, m, n)) - 1
			best = max(best, g.from(reach(t, n), nil)+last*router.Cycle(m.Flit)+1)
		}
	}
	return best
}

// hardest returns the number of nodes, from node 0 on, for which a gather's bound has to be
// computed. On a grid or star graph with equal blocks node 0 suffices: either it is in a corner, where links
// are fewest and the others furthest, or all nodes are alike.
func hardest(t *topology.Topology, lengths []int) int {
	if (t.IsGrid() || t.Star() != nil) && slices.Min(lengths) == slices.Max(lengths) {
		return 1
	}
	return t.Nodes()
}

// mostReached bounds the nodes that are reached from all roots together: a second of work.
const mostReached = 1 << 24

// roots lists the nodes for which a gather's bound is computed: the hardest ones. On very large networks they are only some of those with words, and the two ends of a long route, if these have words.
func roots(t *topology.Topology, lengths []int) (list []router.NodeID) {
	count := hardest(t, lengths)
	for n := range router.NodeID(count) {
		if count*t.Nodes() <= mostReached || lengths[n] > 0 {
			list = append(list, n)
		}
	}
	most := max(1, mostReached/t.Nodes())
	if len(list) <= most {
		return list
	}
	ends, every := ends(t), (len(list)+most-1)/most
	var some []router.NodeID
	for i, n := range list {
		if i%every == 0 || slices.Contains(ends[:], n) {
			some = append(some, n)
		}
	}
	return some
}

// ends returns a node that is furthest away from node 0, and one that is furthest away from that.
func ends(t *topology.Topology) (both [2]router.NodeID) {
	at := router.NodeID(0)
	for i := range both {
		r := reach(t, at)
		for n, d := range r.distance {
			if d > r.distance[at] {
				at = router.NodeID(n)
			}
		}
		both[i] = at
	}
	return both
}

// ports is the bound that Scatter and Gather share: the root's links, and with a single port its port, carry
// every flit once.
func (r *reached) ports(t *topology.Topology, m machine.Machine, lengths []int) (best router.Cycle) {
	bound := func(l loads, work func(words router.Cycle) router.Cycle) {
		best = max(best, worst(l, func(k int, words, _ router.Cycle) router.Cycle {
			return lead(&m) + work(words) + router.Cycle(k*m.Hop)
		}))
	}
	if m.Ports == machine.SinglePort {
		bound(r.tally(lengths), func(words router.Cycle) router.Cycle { return words * router.Cycle(m.Flit) })
	}
	w := wiresOf(t, m)
	for part, loads := range r.tallyParts(lengths) {
		bound(loads, func(words router.Cycle) router.Cycle { return w.shared(words, r.links[part]) })
	}
	return best
}

// channels returns the injection (and ejection) channels of a node that lead
// somewhere.
func channels(t *topology.Topology, m machine.Machine, n router.NodeID) int {
	if m.Channels == machine.Links {
		return t.Degree(n)
	}
	return m.Channels
}

// period is the least time from a message of a channel to the next one.
func period(m *machine.Machine) router.Cycle {
	return timing.Of(m).Hold(1)
}

// lead is the first cycle in which a flit of data can enter the network. Proofs call it s: header flits are before it.
func lead(m *machine.Machine) router.Cycle { return timing.Of(m).Lead() }

// share is the least work of the busiest of n.
func share(work router.Cycle, n int) router.Cycle {
	return (work + router.Cycle(n) - 1) / router.Cycle(n)
}

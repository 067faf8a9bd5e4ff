// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Scatter bounds the time in which every node gets its block from the root;
// lengths are by node, the root's is ignored. Messages may carry the words of
// several nodes or parts of blocks, and others may pass them on. It is the
// largest of these:
//
//   - Reversed in time, the words that leave the root come to it: Gather.
//   - Words and startups together: relays.
//   - Growth. All nodes with a block and the root come to N; those that have
//     got something multiply as the holders of a word in a broadcast do, and the
//     last one is no sooner than t(N) (see Broadcast).
func Scatter(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return 0
	}
	return reach(t, root).scatter(t, m, root, lengths)
}

func (r *reached) scatter(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	best := max(r.gather(t, m, root, lengths), r.cuts(t, m, lengths))
	if receivers := r.receivers(lengths); receivers > 0 {
		best = max(best, informed(t, m, receivers+1, period(&m))+1)
		best = relays(t, m, root, lengths, best)
	}
	return best
}

// UncombinedScatter bounds a scatter in which every message leaves the root for
// one node, with words of that node's block alone: blocks may be cut, but not put
// together. A scatter of other messages can be faster where the machine has a
// startup; [Scatter] holds for all.
//
// Take the messages whose destinations are at least k links away. A channel is
// done with messages of L_1..L_j flits, and could place another flit, no earlier
// than s + f*sum L + (j-1)*r, where r = max(0, s+1-f): the next message is taken a
// cycle after the last flit was placed at the earliest, and its first flit
// follows s cycles later, or f when that is more. Of c channels one has at least
// the c-th part of the work, sum (f*L + r), and one at least the c-th part of the
// messages, f + r each; the flit that leaves last still has k links to go.
func UncombinedScatter(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return 0
	}
	_, uncombined := Scatters(t, m, root, lengths)
	return uncombined
}

// Scatters returns the results of Scatter and UncombinedScatter, for less work than both
// calls.
func Scatters(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) (all, uncombined router.Cycle) {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return 0, 0
	}
	r := reach(t, root)
	all = r.scatter(t, m, root, lengths)
	return all, max(all, r.alone(t, m, root, lengths))
}

// alone is what UncombinedScatter adds to Scatter.
func (r *reached) alone(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	model := timing.Of(&m)
	return worst(r.tally(lengths), func(k int, words, messages router.Cycle) router.Cycle {
		c, rest := channels(t, m, root), model.Rest()
		busiest := max(share(words*model.Flit+messages*rest, c), share(messages, c)*model.Hold(1))
		return model.Startup - rest + busiest + router.Cycle(k*m.Hop)
	})
}

// Gather bounds the time in which the root gets every node's block; lengths
// are by node, the root's is ignored.
//
// Take the messages whose sources are at least k links away. The first of their
// flits is at the root in cycle s + k*h at the earliest, and then the root
// takes all of them, f cycles for each, in whatever messages they come:
//
//   - over its channels,
//   - over its ports, one or one a link; when the root cuts the network into
//     parts, the flits from a part come over the links to that part,
//   - and deeper in the network over the links out of a part (cuts).
func Gather(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return 0
	}
	r := reach(t, root)
	return max(r.gather(t, m, root, lengths), r.cuts(t, m, lengths))
}

// gather is Gather by what the root itself can take.
func (r *reached) gather(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	best := worst(r.tally(lengths), func(k int, words, _ router.Cycle) router.Cycle {
		return router.Cycle(m.Startup) + share(words*router.Cycle(m.Flit), channels(t, m, root)) + router.Cycle(k*m.Hop)
	})
	return max(best, r.ports(t, m, lengths))
}

// Gossip bounds the time in which every node gets every node's block: that of
// a gather to the node for which it takes longest. With half duplex a node
// cannot take flits in the cycles in which it sends its own block, which it
// does at least once, from cycle s on: s plus the work of both. Every block is
// broadcast, so that the holders of its last word have to multiply (growth, see
// Broadcast); on grids the links that this takes count, too: [GossipSlots].
func Gossip(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	if !possible(t, m) || !fitting(t, lengths) {
		return 0
	}
	best := router.Cycle(0)
	if t.Nodes() == 1 {
		return best
	}
	total := 0
	for _, length := range lengths {
		total += length
	}
	for n := range router.NodeID(hardest(t, lengths)) {
		best = max(best, reach(t, n).gather(t, m, n, lengths))
		if m.Duplex == machine.Half && total > 0 {
			c := channels(t, m, n)
			own, others := router.Cycle(lengths[n]*m.Flit), router.Cycle((total-lengths[n])*m.Flit)
			best = max(best, router.Cycle(m.Startup)+share(own, c)+share(others, c))
		}
	}
	return max(best, GossipSlots(t, m, total), wordGrowth(t, m, lengths))
}

// wordGrowth bounds a gossip by the growth of the holders of each node's words.
func wordGrowth(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	last := router.Cycle(-1) // when the last word of any node leaves it, after its first
	for n, length := range lengths {
		if length > 0 {
			last = max(last, share(router.Cycle(length), gates(t, m, router.NodeID(n)))-1)
		}
	}
	if last < 0 {
		return 0
	}
	return informed(t, m, t.Nodes(), period(&m)) + last*router.Cycle(m.Flit) + 1
}

// hardest returns how many nodes, from 0 on, a gather's bound has to be taken
// over: of a grid with equal blocks only node 0. It is in a corner, where links are fewest and
// the others furthest, or all nodes are alike.
func hardest(t *topology.Topology, lengths []int) int {
	if t.IsGrid() && slices.Min(lengths) == slices.Max(lengths) {
		return 1
	}
	return t.Nodes()
}

// ports is the bound that Scatter and Gather share: the root's ports carry
// every flit once.
func (r *reached) ports(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	time := func(links int) func(int, router.Cycle, router.Cycle) router.Cycle {
		return func(k int, words, _ router.Cycle) router.Cycle {
			return router.Cycle(m.Startup) + share(words*router.Cycle(m.Flit), links) + router.Cycle(k*m.Hop)
		}
	}
	if m.Ports == machine.SinglePort {
		return worst(r.tally(lengths), time(1))
	}
	best := router.Cycle(0)
	for part, loads := range r.tallyParts(lengths) {
		best = max(best, worst(loads, time(r.links[part])))
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

// share is the least work of the busiest of n.
func share(work router.Cycle, n int) router.Cycle {
	return (work + router.Cycle(n) - 1) / router.Cycle(n)
}

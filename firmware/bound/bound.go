// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Scatter bounds the time in which every node gets its block from the root;
// lengths are by node, the root's is ignored.
//
// Take the messages whose destinations are at least k links away. All their
// flits leave the root, and the one that leaves last still has k links to go.
//
//   - A channel is done with messages of L_1..L_j flits, and could place
//     another flit, no earlier than s + f*sum L + (j-1)*g, where g =
//     max(0, s+1-f): the next message is taken a cycle after the last flit was
//     placed at the earliest, and its first flit follows s cycles later, or f
//     when that is more. Of c channels one has at least the c-th part of the
//     work, sum (f*L + g).
//   - The root's ports (one, or one a link) need f cycles for every flit,
//     from cycle s on, whatever the channels do. When the root cuts the network
//     into parts, the flits for a part leave over the links to that part.
//   - Deeper in the network the same is true of the links into a part (cuts).
//
// The last flit is delivered at least k*h after the root is done with it.
func Scatter(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	r := reach(t, root)
	gap := max(0, router.Cycle(m.Startup)+1-router.Cycle(m.Flit))
	best := worst(r.tally(lengths), func(k int, words, messages router.Cycle) router.Cycle {
		work := words*router.Cycle(m.Flit) + messages*gap
		return router.Cycle(m.Startup) - gap + share(work, channels(t, m, root)) + router.Cycle(k*m.Hop)
	})
	return max(best, r.ports(t, m, lengths), r.cuts(t, m, lengths))
}

// Gather bounds the time in which the root gets every node's block; lengths
// are by node, the root's is ignored.
//
// Take the messages whose sources are at least k links away. The first of their
// flits is at the root in cycle s + k*h at the earliest, and then the root
// takes all of them, f cycles for each, over its channels and over its ports
// (see Scatter, of which this is the reversal in time).
func Gather(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
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
// does at least once, from cycle s on: s plus the work of both. On grids the
// startups count, too: [GossipSlots].
func Gossip(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
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
	return max(best, GossipSlots(t, m, total))
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

// share is the least work of the busiest of n.
func share(work router.Cycle, n int) router.Cycle {
	return (work + router.Cycle(n) - 1) / router.Cycle(n)
}

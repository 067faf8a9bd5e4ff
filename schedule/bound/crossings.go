// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/bits"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// crossing is a part of a network that words enter from outside.
//
//	outside --- links ---> part
//
// Take a word that a node of the part gets from outside, directly or by way of others. The last link into the part that it takes, it takes as a flit in some cycle t. From then on it stays
// in the part: the message with this flit goes to a node of the part, and the further ones from node to node of it. They spread the word as in a broadcast (see growth), so that
// of a flit that comes in late few nodes get anything. As in [growth.inOrder], the i-th of them has the word a time after[i] later at the earliest, by growth and by the distances from the
// links. A message that leaves the part by a node's channel at once is of no use here. So a channel of a link counts only if the link is within the part.
//
// In a reduction the same holds, reversed in time: a flit that takes a link in cycle t has the addends of few nodes if t is early. The i-th node outside needs
// before[i] cycles at least for its words to be on such a link. They may have been in the part before, so that all nodes and links count.
type crossing struct {
	outside       uint64 // nodes, as bits
	links         int    // flits that come in at once
	after, before []router.Cycle
}

// maxCrossingNodes bounds the networks whose crossings are looked for: their sets of nodes are words of bits.
const maxCrossingNodes = 64

// maxCrossings bounds the parts of one network.
const maxCrossings = 1 << 9

// crossings finds the parts of a network.
type crossings struct {
	timing.Model
	topology *topology.Topology
	machine  machine.Machine
	from     []*reached // by node
}

func newCrossings(t *topology.Topology, m machine.Machine) *crossings {
	c := &crossings{Model: timing.Of(&m), topology: t, machine: m}
	for n := range router.NodeID(t.Nodes()) {
		c.from = append(c.from, reach(t, n))
	}
	return c
}

// everyone is the set of all nodes.
func (c *crossings) everyone() uint64 { return 1<<len(c.from) - 1 }

// parts lists connected parts whose nodes are some distance away from a node or further, and what is left of the network without one. If all nodes are alike, one node is looked at.
func (c *crossings) parts(alike bool) (list []uint64) {
	roots, seen := c.from, map[uint64]bool{}
	if alike && c.topology.Translates() {
		roots = roots[:1]
	}
	for _, r := range roots {
		for k := int32(1); ; k++ {
			far := uint64(0)
			for n, d := range r.distance {
				if d >= k {
					far |= 1 << n
				}
			}
			if far == 0 {
				break
			}
			for _, part := range c.connected(far) {
				if !seen[part] && len(list) < maxCrossings {
					seen[part] = true
					list = append(list, part, c.everyone()&^part)
				}
			}
		}
	}
	return list
}

// connected divides a set of nodes into connected parts.
func (c *crossings) connected(set uint64) (parts []uint64) {
	for set != 0 {
		part := set & -set
		for fresh := part; fresh != 0; {
			next := c.beside(fresh) & set &^ part
			part, fresh = part|next, next
		}
		parts, set = append(parts, part), set&^part
	}
	return parts
}

// beside returns the neighbours of a set of nodes.
func (c *crossings) beside(set uint64) (neighbours uint64) {
	for n := range eachNode(set) {
		for p := range router.Port(c.topology.Ports(n)) {
			if to := c.topology.Neighbor(n, p); to != router.None {
				neighbours |= 1 << to
			}
		}
	}
	return neighbours
}

// eachNode yields the nodes of a set.
func eachNode(set uint64) func(yield func(router.NodeID) bool) {
	return func(yield func(router.NodeID) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(router.NodeID(bits.TrailingZeros64(set))) {
				return
			}
		}
	}
}

// into returns the crossing into a part, whose nodes are connected.
func (c *crossings) into(part uint64) *crossing {
	x := &crossing{outside: c.everyone() &^ part}
	heads, tails := part&c.beside(x.outside), x.outside&c.beside(part)
	if x.links = min(bits.OnesCount64(heads), bits.OnesCount64(tails)); c.machine.Ports != machine.SinglePort {
		x.links = 0
		for n := range eachNode(tails) {
			x.links += c.linksInto(n, part)
		}
	}
	x.after = c.times(part, heads, part, period(&c.machine))
	for i := range x.after {
		x.after[i] += c.Hop + c.Flit - 1
	}
	x.before = c.times(x.outside, tails, c.everyone(), c.Flit)
	for i := range x.before {
		x.before[i] += c.Lead()
	}
	return x
}

// linksInto counts the links of a node to a set of nodes.
func (c *crossings) linksInto(n router.NodeID, set uint64) (count int) {
	for p := range router.Port(c.topology.Ports(n)) {
		if to := c.topology.Neighbor(n, p); to != router.None && set>>to&1 == 1 {
			count++
		}
	}
	return count
}

// times returns when the 1st, 2nd, ... of some nodes can have a word at the earliest, which comes to one of the near nodes, or past it, in cycle 0. Nodes of the set relays pass it on, each
// over every channel once in a period.
func (c *crossings) times(of, near, relays uint64, period router.Cycle) []router.Cycle {
	var counts []int
	for n := range eachNode(relays) {
		count := c.linksInto(n, relays)
		if c.machine.Channels != machine.Links {
			count = min(count, c.machine.Channels)
		}
		if c.machine.Ports == machine.SinglePort { // one flit after the other
			count = min(count, int(share(period, int(c.Flit))))
		}
		counts = append(counts, count)
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	whole := c.UntilWhole(1, 1)
	hop := c.UntilWhole(2, 1) - whole
	chained := append([]router.Cycle{0}, oneByOne(spreadTimes(counts, period, whole))...)
	apart := append([]router.Cycle{0}, oneByOne(spreadTimes(counts, period, whole-hop))...)
	distances := c.distances(of, near)
	times := make([]router.Cycle, len(distances))
	for i := range times {
		times[i] = chained[i]
		for j := range i + 1 {
			times[i] = max(times[i], apart[j]+distances[i-j]*hop)
		}
	}
	return times
}

// distances returns the distances of some nodes from the nearest of others, the least first.
func (c *crossings) distances(of, near uint64) (list []router.Cycle) {
	for n := range eachNode(of) {
		least := int32(len(c.from))
		for v := range eachNode(near) {
			least = min(least, c.from[v].distance[n])
		}
		list = append(list, router.Cycle(least))
	}
	slices.Sort(list)
	return list
}

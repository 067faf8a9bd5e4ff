// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"slices"
	"sort"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// capacity is the time that all channels have for the messages of a broadcast, a reduction or an allreduce, in which every node gets something.
//
// A channel has a message of x flits for f*x + rest cycles (see relays). Its node has nothing to send before cycle a, and its last message is whole in
// cycle T-1 at the latest, s + f*x + h - 1 cycles after its hand-over. So the messages of the channel take
//
//	sum of f*x + rest <= T - a - s - h + rest,
//
// or there are none, if T - a - s - h is less than f. With F flits in all messages together, M messages fit:
//
//	F*f + M*rest <= sum over all channels of T - a - s - h + rest.
//
// Where a message stalls after every b flits, there are ceil(F/(b+1))-M stalls or more besides, see pausesOf. A stall is counted as no longer than a rest.
//
// In a broadcast a is the time of growth, with that of the links (see inOrder): the i-th node has a first word no earlier, and the root has words from cycle 0 on. In a reduction and in an allreduce all nodes
// have words from cycle 0 on. In a reduction the messages of the i-th node from the end end early: growth, backwards, says how long after the hand-over of its last flit, as a message by itself, all is done. That is
// s + f + h - 1 for a message to the root, and the formula has the time of one message already, so that this time less s + f + h - 1 takes the place of a. N-1 nodes at least get a message in a broadcast, and N-1 send one in a reduction.
//
// The same holds of ports, without rest and without channels: one flit in f cycles for each gate of a node, but for those to the root (see useless). For a reduction this is reversed in
// time: what a node receives is whole before its own last message leaves, which is the time of growth before the end.
type capacity struct {
	timing.Model
	reduction bool
	flits     router.Cycle // of all messages
	least     router.Cycle // messages
	others    router.Cycle // nodes that are to have all words, but the root
	senders   []holder     // channels
	pauses    wires        // of a channel
	gates     []holder     // of senders, or of the receivers of a reduction
}

// holder is a node that has something to send from a cycle on.
type holder struct {
	from  router.Cycle
	count router.Cycle // its channels, or gates
}

// newCapacity returns the capacity of a broadcast or a reduction.
func newCapacity(t *topology.Topology, m machine.Machine, root router.NodeID, words int, reduction bool) *capacity {
	others := t.Nodes() - 1
	c := &capacity{Model: timing.Of(&m), pauses: pausesOf(m), reduction: reduction, flits: router.Cycle(others) * router.Cycle(words), least: router.Cycle(others), others: router.Cycle(others)}
	every := period(&m)
	if reduction {
		every = c.Flit
	}
	times := newGrowth(t, m, others, every).inOrder(reach(t, root))
	c.gates = held(t, root, times, func(n router.NodeID) int { return gates(t, m, n) - useless(t, m, n, root) })
	c.senders = held(t, root, times, func(n router.NodeID) int { return channels(t, m, n) })
	if reduction {
		c.senders = c.senders[1:]
		for i := range c.senders {
			c.senders[i].from -= c.UntilWhole(1, 1)
		}
	}
	return c
}

// useless counts the gates of a node that lead to the root of a broadcast, or backwards come from that of a reduction. A message over such a link needs a further link of the root,
// so that it is counted there.
func useless(t *topology.Topology, m machine.Machine, n, root router.NodeID) (count int) {
	if m.Ports == machine.SinglePort || m.Channels != machine.Links {
		return 0
	}
	for p := range router.Port(t.Ports(n)) {
		if t.Neighbor(n, p) == root {
			count++
		}
	}
	return count
}

// allCapacity returns that of an allreduce with so many flits.
func allCapacity(t *topology.Topology, m machine.Machine, flits router.Cycle) *capacity {
	c := &capacity{Model: timing.Of(&m), pauses: pausesOf(m), flits: flits, least: 2 * router.Cycle(t.Nodes()-1), others: router.Cycle(t.Nodes() - 1)}
	for n := range router.NodeID(t.Nodes()) {
		c.senders = append(c.senders, holder{0, router.Cycle(channels(t, m, n))})
		c.gates = append(c.gates, holder{0, router.Cycle(gates(t, m, n))})
	}
	return c
}

// held lets the nodes with the most channels have a word first, but for the root.
func held(t *topology.Topology, root router.NodeID, times []router.Cycle, count func(router.NodeID) int) []holder {
	var others []holder
	for n := range router.NodeID(t.Nodes()) {
		if n != root {
			others = append(others, holder{0, router.Cycle(count(n))})
		}
	}
	slices.SortFunc(others, func(a, b holder) int { return cmp.Compare(b.count, a.count) })
	list := []holder{{0, router.Cycle(count(root))}}
	for i, at := range times {
		others[i].from = at
	}
	return append(list, others...)
}

// time adds up the time that so many cycles leave.
func (c *capacity) time(list []holder, cycles, rest router.Cycle) (sum router.Cycle) {
	for _, h := range list {
		if left := cycles - h.from - c.Startup - c.Hop; left >= c.Flit {
			sum += h.count * (left + rest)
		}
	}
	return sum
}

// messages returns the most messages that fit in so many cycles; a negative number if not even the flits fit.
func (c *capacity) messages(cycles router.Cycle) router.Cycle {
	rest := c.Rest()
	if rest == 0 {
		return c.flits // a message has a flit or more
	}
	left := c.time(c.senders, cycles, rest) - c.flits*c.Flit
	if left < 0 {
		return -1
	}
	if c.pauses.burst == 0 {
		return left / rest
	}
	bursts := share(c.flits, int(c.pauses.burst))
	if left >= bursts*rest {
		return left / rest
	}
	spare := left - bursts*c.pauses.stall
	if spare < 0 {
		return -1
	}
	return spare / (rest - c.pauses.stall)
}

// fits reports whether all flits fit in so many cycles, and the fewest messages.
func (c *capacity) fits(cycles router.Cycle) bool {
	return c.time(c.gates, cycles, 0) >= c.flits*c.Flit && c.messages(cycles) >= c.least
}

// shortest returns the least time that the capacity allows.
func (c *capacity) shortest() router.Cycle {
	high := router.Cycle(1)
	for !c.fits(high) {
		high *= 2
	}
	return high/2 + router.Cycle(sort.Search(int(high-high/2), func(more int) bool { return c.fits(high/2 + router.Cycle(more)) }))
}

// startups raises a bound by startups and words together: to the least time that the capacity allows, and to that of copies.
func (p *Proven) startups(t *topology.Topology, m machine.Machine, root router.NodeID, words int, room *capacity) {
	if m.PacketSwitched() || words == 0 || t.Nodes() == 1 {
		return
	}
	p.raise(room.shortest(), ByStartups)
	p.raise(copies(t, m, root, words, room, p.Cycles), ByStartups)
}

// mostFar bounds the distances that farStartups looks at.
const mostFar = 8

// farStartups raises the bound of a broadcast or a reduction by startups, words and distances together.
//
// Let the clock of each node of a broadcast go after that of the root by h for each link between them. By these clocks a message is whole s + f*x - 1 cycles after its hand-over, or later,
// as if links took no time: a node k links from the root sends to one that is at most as many links further from it as the message has links. A node at distance d or more is done by
// its clock in T - h*d cycles. So the nodes that are d links away, or more, have all words in this time on a machine with hop 0, on which all other nodes help. A reduction is
// this, reversed in time.
func (p *Proven) farStartups(t *topology.Topology, m machine.Machine, root router.NodeID, words int, reduction bool) {
	if m.PacketSwitched() || words == 0 || t.Nodes() == 1 || t.Nodes() > maxTransit || m.Startup == 0 {
		return
	}
	hop, beyond := router.Cycle(m.Hop), []router.Cycle(nil) // nodes that are as many links away, or more
	for _, d := range reach(t, root).distance {
		for len(beyond) <= int(d) {
			beyond = append(beyond, 0)
		}
		for k := range int(d) + 1 {
			beyond[k]++
		}
	}
	m.Hop = 0
	room := newCapacity(t, m, root, words, reduction)
	for i := 1; i <= min(mostFar, len(beyond)-1); i++ {
		d := i * (len(beyond) - 1) / min(mostFar, len(beyond)-1)
		room.others, room.least, room.flits = beyond[d], beyond[d], beyond[d]*router.Cycle(words)
		away := hop * router.Cycle(d)
		far := Proven{Cycles: max(0, p.Cycles-away)}
		far.startups(t, m, root, words, room)
		p.exceed(far.Cycles+away, ByStartups)
	}
}

// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// bounds are times that no plan of a job can beat, in ticks. They follow from
// the job alone, so that all algorithms are measured against the same ones.
type bounds struct {
	least      router.Cycle // for every plan
	uncombined router.Cycle // for plans whose messages go each by itself; 0: none is known
}

// findBounds computes the bounds of a job whose machine has been resolved.
func (t *task) findBounds() (b bounds, err error) {
	m := t.Machine
	switch {
	case t.kind.Name == gossip && m.PacketSwitched():
		b.least = t.packetGossipBound()
	case m.PacketSwitched():
		if t.kind.Name == scatter || t.kind.Name == gather {
			return t.packetBounds()
		}
	case t.kind.Name == scatter:
		b.least, b.uncombined = bound.Scatters(t.Topology, m, t.Root, t.Lengths)
	case t.kind.Name == gather:
		b.least = bound.Gather(t.Topology, m, t.Root, t.Lengths)
	case t.kind.Name == gossip:
		b.least = bound.Gossip(t.Topology, m, t.Lengths)
	case t.kind.Name == broadcast:
		b.least = bound.Broadcast(t.Topology, m, t.Root, t.castWords())
	case t.kind.Name == reduce:
		b.least = bound.Reduce(t.Topology, m, t.Root, t.castWords())
	case t.kind.Name == allreduce:
		b.least = bound.AllReduce(t.Topology, m, t.castWords())
	case t.kind.Name == exchange:
		b.least, b.uncombined = bound.Exchanges(t.Topology, m, t.Lengths)
	}
	return b, nil
}

// showUncombined adds the bound of the restricted class to a plan's facts where
// it says more than that of all plans.
func (p *Plan) showUncombined() {
	if p.uncombined > p.LowerBound {
		p.Facts = append([]Fact{{"uncombined_bound", "lower bound, uncombined", p.uncombined, Cycles}}, p.Facts...)
	}
}

// maxBoundHops bounds the sum of depths up to which a tree is looked at closely.
const maxBoundHops = 50_000

// packetBounds bounds scatter and gather, whatever the packets. Nothing moves
// before the first startup is over.
func (t *task) packetBounds() (b bounds, err error) {
	if t.count == 0 {
		return b, nil
	}
	m, tree := t.Machine, topology.BreadthFirst(t.Topology, t.Root)
	links := bound.PacketLinks{
		Setup: router.Cycle(m.SetupTicks()), Flit: router.Cycle(m.FlitTicks()), Largest: m.Packet, CutThrough: !t.storeForward(),
	}
	if b.least, err = bound.MixedPackets(t.Topology, t.Root, t.Lengths, links); err != nil {
		return b, err
	}
	if b.uncombined, err = t.packetBoundFrom(tree); err != nil {
		return b, err
	}
	b.uncombined = max(b.least, b.uncombined) + router.Cycle(m.StartupTicks())
	b.least += router.Cycle(m.StartupTicks())
	return b, nil
}

// packetBoundFrom bounds plans whose packets do not mix messages.
func (t *task) packetBoundFrom(tree *topology.SpanningTree) (router.Cycle, error) {
	if !t.storeForward() {
		return t.cutThroughBound(tree), nil
	}
	setup, flit := router.Cycle(t.Machine.SetupTicks()), router.Cycle(t.Machine.FlitTicks())
	hops := 0
	for _, d := range tree.Depth {
		hops += int(d)
	}
	if len(t.Topology.Links()) == 2*(t.Topology.Nodes()-1) && hops <= maxBoundHops {
		return bound.PacketTree(parents(tree), t.Lengths, setup, flit)
	}
	return bound.PacketScatter(tree.Depth, t.Lengths, setup, flit)
}

// cutThroughBound: all messages at distance k or more are packets that leave
// the root one after the other, each with a set-up at least, and when the last
// flit of the last one has crossed its first link it has k-1 links to go: the
// head behind which it comes takes setup + flit on each, and it follows at the
// distance of its packet's length. A gather is the same backwards in time.
func (t *task) cutThroughBound(tree *topology.SpanningTree) router.Cycle {
	deepest := tree.MaxDepth()
	work := make([]router.Cycle, deepest+1)
	for n, length := range t.Lengths {
		if d := tree.Depth[n]; d > 0 && length > 0 {
			work[d] += t.cost(length)
		}
	}
	best, sum := router.Cycle(0), router.Cycle(0)
	for k := deepest; k > 0; k-- {
		if sum += work[k]; work[k] > 0 {
			best = max(best, sum+router.Cycle(k-1)*t.cost(1))
		}
	}
	return best
}

// UncombinedBound returns the bound for plans whose messages go each by itself,
// or the lower bound where no closer one is known.
func (p *Plan) UncombinedBound() router.Cycle { return max(p.LowerBound, p.uncombined) }

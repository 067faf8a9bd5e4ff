// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// bounds are times that no plan of a job can beat, in ticks. They follow from
// the job alone, so that all algorithms are measured against the same ones.
type bounds struct {
	least      bound.Proven // for every plan
	uncombined router.Cycle // for plans whose messages go each by itself; 0: none is known
}

// findBounds computes the bounds of a job whose machine has been resolved.
func findBounds(t *Task) (b bounds, err error) {
	m := t.Machine
	switch {
	case t.Kind.Name == Gossip && m.PacketSwitched():
		b.least = byPackets(packetGossipBound(t))
	case m.PacketSwitched():
		if t.Kind.Name == Scatter || t.Kind.Name == Gather {
			return packetBounds(t)
		}
		if t.Kind.Name == Broadcast {
			least, err := packetBroadcastBound(t)
			b.least = byPackets(least)
			return b, err
		}
		if t.Kind.Name == Exchange {
			least, err := packetExchangeBound(t)
			b.least = byPackets(least)
			return b, err
		}
	case t.Kind.Name == Scatter:
		b.least, b.uncombined = bound.Scatters(t.Topology, m, t.Root, t.Lengths)
	case t.Kind.Name == Gather:
		b.least = bound.Gather(t.Topology, m, t.Root, t.Lengths)
		if m.HeaderFlits() > 0 {
			b.uncombined = bound.UncombinedGather(t.Topology, m, t.Root, t.Lengths)
		}
	case t.Kind.Name == Gossip:
		b.least = bound.Gossip(t.Topology, m, t.Lengths)
	case t.Kind.Name == Broadcast:
		b.least = bound.Broadcast(t.Topology, m, t.Root, t.VectorWords())
	case t.Kind.Name == Reduce:
		b.least = bound.Reduce(t.Topology, m, t.Root, t.VectorWords())
	case t.Kind.Name == Allreduce:
		b.least = bound.AllReduce(t.Topology, m, t.VectorWords())
	case t.Kind.Name == ReduceScatter:
		b.least = bound.ReduceScatter(t.Topology, m, t.VectorWords())
	case t.Kind.Name == Exchange:
		b.least, b.uncombined = bound.Exchanges(t.Topology, m, t.Lengths)
	}
	return b, nil
}

// byPackets names the argument of a bound for machines that switch packets.
func byPackets(time router.Cycle) bound.Proven {
	return bound.Proven{Cycles: time, Proof: bound.ByPackets}
}

// ShowUncombined adds the bound of the restricted class to a plan's facts where
// it says more than that of all plans.
func (p *Plan) ShowUncombined() {
	if p.uncombined > p.LowerBound {
		p.Facts = append([]Fact{{Key: "uncombined_bound", Name: "lower bound, uncombined", Value: p.uncombined, Unit: Cycles}}, p.Facts...)
	}
}

// maxBoundHops bounds the sum of depths up to which a tree is looked at closely.
const maxBoundHops = 50_000

// packetBounds bounds scatter and gather, whatever the packets. Nothing moves
// before the first startup is over.
func packetBounds(t *Task) (b bounds, err error) {
	if t.Count == 0 {
		return b, nil
	}
	m, tree := t.Machine, topology.BreadthFirst(t.Topology, t.Root)
	links := bound.PacketLinks{
		Setup: t.Timing().Overhead(), Flit: router.Cycle(m.FlitTicks()), Largest: m.Packet, CutThrough: !t.StoreForward(),
	}
	if links.CutThrough {
		links.Setup = t.Timing().Setup // header flits of several links are under way at once
	}
	if t.IndependentLinks() {
		return packetLinkBounds(t, tree, links)
	}
	least, err := bound.MixedPackets(t.Topology, t.Root, t.Lengths, links)
	if err != nil {
		return b, err
	}
	if b.uncombined, err = packetBoundFrom(t, tree); err != nil {
		return b, err
	}
	b.uncombined = max(least, b.uncombined) + router.Cycle(m.StartupTicks())
	b.least = byPackets(least + router.Cycle(m.StartupTicks()))
	return b, nil
}

// packetBroadcastBound is the bound of a scatter of all words to the furthest node.
func packetBroadcastBound(t *Task) (router.Cycle, error) {
	order := topology.BreadthFirst(t.Topology, t.Root).Order
	scatter := *t
	scatter.Lengths = make([]int, len(t.Lengths))
	scatter.Lengths[order[len(order)-1]] = t.VectorWords()
	b, err := packetBounds(&scatter)
	return b.least.Cycles, err
}

// packetExchangeBound is the largest bound of the scatters that the nodes carry out, of all nodes or
// of some in large networks.
func packetExchangeBound(t *Task) (router.Cycle, error) {
	best, nodes := router.Cycle(0), len(t.Lengths)
	for n := 0; n < nodes; n += 1 + nodes/maxGossipNodes {
		if t.Lengths[n] == 0 || nodes == 1 {
			continue
		}
		scatter := *t
		scatter.Root = router.NodeID(n)
		scatter.Lengths = make([]int, nodes)
		for to := range scatter.Lengths {
			if to != n {
				scatter.Lengths[to] = t.Lengths[n]
			}
		}
		b, err := packetBounds(&scatter)
		if err != nil {
			return 0, err
		}
		best = max(best, b.least.Cycles)
	}
	return best, nil
}

// maxBranches bounds the links of a root of which each is looked at by itself.
const maxBranches = 64

// packetLinkBounds bounds scatter and gather on machines whose chips use all
// links at once. In a tree each of the root's links works for the nodes behind it
// as that of a root with a single port does, as long as packets do not mix messages:
// a link sends one packet at a time.
func packetLinkBounds(t *Task, tree *topology.SpanningTree, links bound.PacketLinks) (b bounds, err error) {
	least, uncombined, err := bound.PacketsOnAllPorts(t.Topology, t.Root, t.Lengths, links)
	if err != nil {
		return b, err
	}
	if isTree(t.Topology) && t.Topology.Degree(t.Root) <= maxBranches {
		branch := tree.Branch()
		for _, child := range tree.Children()[t.Root] {
			behind := *t
			behind.Lengths = make([]int, len(t.Lengths))
			for n, length := range t.Lengths {
				if branch[n] == child {
					behind.Lengths[n] = length
				}
			}
			time, err := packetBoundFrom(&behind, tree)
			if err != nil {
				return b, err
			}
			uncombined = max(uncombined, time)
		}
	}
	startup := router.Cycle(t.Machine.StartupTicks())
	return bounds{byPackets(least + startup), uncombined + startup}, nil
}

// isTree reports whether there is one way only between two nodes.
func isTree(t *topology.Topology) bool { return len(t.Links()) == 2*(t.Nodes()-1) }

// packetBoundFrom bounds plans whose packets do not mix messages.
func packetBoundFrom(t *Task, tree *topology.SpanningTree) (router.Cycle, error) {
	if !t.StoreForward() {
		return cutThroughBound(t, tree), nil
	}
	setup, flit := t.Timing().Overhead(), router.Cycle(t.Machine.FlitTicks())
	hops := 0
	for _, d := range tree.Depth {
		hops += int(d)
	}
	if isTree(t.Topology) && hops <= maxBoundHops {
		return bound.PacketTree(parents(tree), t.Lengths, setup, flit)
	}
	return bound.PacketScatter(tree.Depth, t.Lengths, setup, flit)
}

// cutThroughBound: all messages at distance k or more are packets that leave
// the root one after the other, each with a set-up at least, and when the last
// flit of the last one has crossed its first link it has k-1 links to go: the
// head behind which it comes takes setup + flit on each, and it follows at the
// distance of its packet's length. A gather is the same backwards in time.
func cutThroughBound(t *Task, tree *topology.SpanningTree) router.Cycle {
	deepest := tree.MaxDepth()
	work := make([]router.Cycle, deepest+1)
	for n, length := range t.Lengths {
		if d := tree.Depth[n]; d > 0 && length > 0 {
			work[d] += t.PacketTime(length)
		}
	}
	best, sum := router.Cycle(0), router.Cycle(0)
	for k := deepest; k > 0; k-- {
		if sum += work[k]; work[k] > 0 {
			best = max(best, sum+router.Cycle(k-1)*t.Timing().Head())
		}
	}
	return best
}

// UncombinedBound returns the bound for plans whose messages go each by itself,
// or the lower bound where no closer one is known.
func (p *Plan) UncombinedBound() router.Cycle { return max(p.LowerBound, p.uncombined) }

// maxGossipNodes bounds the nodes at which a gossip is looked at.
const maxGossipNodes = 64

// packetGossipBound looks at all nodes, or at some in large networks. The words
// from k links away and more may come in one packet, but the first of them
// pays set-up and flit on k links, and the others follow one after the other: on
// machines with all ports, on the link by which most of them come.
func packetGossipBound(t *Task) router.Cycle {
	best, nodes := router.Cycle(0), len(t.Lengths)
	if t.Count == 0 || nodes == 1 {
		return 0
	}
	for n := 0; n < nodes; n += 1 + nodes/maxGossipNodes {
		tree := topology.BreadthFirst(t.Topology, router.NodeID(n))
		words, links := router.Cycle(0), router.Cycle(1)
		if t.IndependentLinks() {
			links = router.Cycle(t.Topology.Degree(router.NodeID(n)))
		}
		for i := nodes - 1; i > 0; i-- { // the furthest first
			from := tree.Order[i]
			if words += t.Length(from); words > 0 {
				behind := (words - 1) / links
				best = max(best, t.Timing().Transfer(int(tree.Depth[from]), 1)+behind*router.Cycle(t.Machine.FlitTicks()))
			}
		}
	}
	return best + router.Cycle(t.Machine.StartupTicks())
}

// Bound is a time that no plan of the job beats, with its argument.
func (t *Task) Bound() bound.Proven { return t.bounds.least }

// LowerBound is the time of Bound.
func (t *Task) LowerBound() router.Cycle { return t.bounds.least.Cycles }

// UncombinedBound is a time that no plan beats whose messages go each by itself.
func (t *Task) UncombinedBound() router.Cycle { return t.bounds.uncombined }

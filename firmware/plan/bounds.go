// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"sync"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// bounds are times that no plan of a job can beat, in ticks. They follow from
// the job alone, so that all algorithms are measured against the same ones. Those that
// search for prices are found when they are asked for first: that often takes longer than to plan.
type bounds struct {
	once       sync.Once
	find       func() bound.Proven
	least      bound.Proven // for every plan
	uncombined router.Cycle // for plans whose messages go each by itself; 0: none is known
}

// known returns the bounds, and finds them first where that has not been done. Without a job there are none.
func (b *bounds) known() *bounds {
	if b == nil {
		return &bounds{}
	}
	b.once.Do(func() {
		if b.find != nil {
			b.least, b.find = b.find(), nil
		}
	})
	return b
}

// and returns the bounds that two proofs of the same job show together.
func (b *bounds) and(other *bounds) *bounds {
	find := func() bound.Proven {
		least := b.known().least
		least.Include(other.known().least)
		return least
	}
	return &bounds{find: find, uncombined: max(b.uncombined, other.uncombined)}
}

// boundsOf returns the bounds of a job whose machine has been resolved.
func boundsOf(t *Task) (*bounds, error) {
	if t.Machine.PacketSwitched() {
		return boundsOfPackets(t)
	}
	kind, topo, m, root, lengths := t.Kind.Name, t.Topology, t.Machine, t.Root, t.Lengths
	b := &bounds{}
	switch kind {
	case Scatter:
		b.least, b.uncombined = bound.Scatters(topo, m, root, lengths)
	case Gather:
		b.least = bound.Gather(topo, m, root, lengths)
		if m.HeaderFlits() > 0 {
			b.uncombined = bound.UncombinedGather(topo, m, root, lengths)
		}
	case Exchange:
		b.least, b.uncombined = bound.Exchanges(topo, m, lengths)
	case Gossip:
		b.find = func() bound.Proven { return bound.Gossip(topo, m, lengths) }
	case Broadcast, Reduce, Allreduce, ReduceScatter:
		words := t.VectorWords()
		b.find = func() bound.Proven { return ofVector(kind, topo, m, root, words) }
	}
	return b, nil
}

func ofVector(kind string, t *topology.Topology, m machine.Machine, root router.NodeID, words int) bound.Proven {
	switch kind {
	case Broadcast:
		return bound.Broadcast(t, m, root, words)
	case Reduce:
		return bound.Reduce(t, m, root, words)
	case Allreduce:
		return bound.AllReduce(t, m, words)
	default: // reduce-scatter
		return bound.ReduceScatter(t, m, words)
	}
}

func boundsOfPackets(t *Task) (*bounds, error) {
	var b bounds
	var err error
	switch t.Kind.Name {
	case Scatter, Gather:
		return packetBounds(t)
	case Gossip:
		b.least = bound.OfPackets(packetGossipBound(t))
		b.least.Include(bound.PacketGossip(t.Topology, t.Machine, t.Lengths, packetLinks(t)))
	case ReduceScatter: // a gossip backwards in time, in which a node has its piece
		own := *t
		own.Lengths = make([]int, len(t.Lengths))
		for n := range own.Lengths {
			piece := t.Piece(router.NodeID(n))
			own.Lengths[n] = piece.To - piece.From
		}
		b.least = bound.OfPackets(packetGossipBound(&own))
		b.least.Include(bound.PacketGossip(t.Topology, t.Machine, own.Lengths, packetLinks(t)))
	case Broadcast, Reduce: // the one is the other backwards in time
		b.least, err = packetBroadcastBound(t)
	case Allreduce:
		b.least, err = packetAllreduceBound(t)
	case Exchange:
		b.least, err = packetExchangeBound(t)
	}
	return &b, err
}

// ShowUncombined adds the bound of the restricted class to a plan's facts where
// it says more than that of all plans.
func (p *Plan) ShowUncombined() {
	if p.bounds != nil && p.bounds.uncombined > 0 && p.UncombinedBound() > p.LowerBound() {
		p.Facts = append([]Fact{{Key: "uncombined_bound", Name: "lower bound, uncombined", Value: p.UncombinedBound(), Unit: Cycles}}, p.Facts...)
	}
}

// maxBoundHops bounds the sum of depths up to which a tree is looked at closely.
const maxBoundHops = 50_000

// packetBounds bounds scatter and gather, whatever the packets. Nothing moves
// before the first startup is over.
func packetBounds(t *Task) (*bounds, error) {
	if t.Count == 0 {
		return &bounds{}, nil
	}
	m, tree, links := t.Machine, topology.BreadthFirst(t.Topology, t.Root), packetLinks(t)
	if t.IndependentLinks() {
		return packetLinkBounds(t, tree, links)
	}
	least, err := bound.MixedPackets(t.Topology, t.Root, t.Lengths, links)
	if err != nil {
		return nil, err
	}
	uncombined, err := packetBoundFrom(t, tree)
	if err != nil {
		return nil, err
	}
	startup := router.Cycle(m.StartupTicks())
	return &bounds{least: bound.OfPackets(least + startup), uncombined: max(least, uncombined) + startup}, nil
}

// packetLinks describes the links of a machine.
func packetLinks(t *Task) bound.PacketLinks {
	links := bound.PacketLinks{
		Setup: t.Timing().Overhead(), Flit: router.Cycle(t.Machine.FlitTicks()), Largest: t.Machine.Packet, CutThrough: !t.StoreForward(),
	}
	if links.CutThrough {
		links.Setup = t.Timing().Setup // header flits of several links are in flight at once
	}
	return links
}

// packetBroadcastBound is the bound of a scatter of all words to the furthest node, and that by what chips with a single port pass on.
func packetBroadcastBound(t *Task) (least bound.Proven, err error) {
	order := topology.BreadthFirst(t.Topology, t.Root).Order
	scatter := *t
	scatter.Lengths = make([]int, len(t.Lengths))
	scatter.Lengths[order[len(order)-1]] = t.VectorWords()
	b, err := packetBounds(&scatter)
	if err != nil {
		return least, err
	}
	b.least.Include(bound.PacketBroadcast(t.Topology, t.Machine, t.Root, t.VectorWords(), packetLinks(t)))
	return b.least, nil
}

// packetAllreduceBound is the largest bound of a broadcast from any node, or from some in large networks: what a node has gets to all others, in sums. And
// it is that of all links, or chips with a single port: each word is sent 2(N-1) times or more, as often as N people must telephone, one way, to tell one another all they know (Harary, Schwenk 1974).
func packetAllreduceBound(t *Task) (least bound.Proven, err error) {
	nodes := len(t.Lengths)
	for n := 0; n < nodes; n += 1 + nodes/maxGossipNodes {
		from := *t
		from.Root = router.NodeID(n)
		b, err := packetBroadcastBound(&from)
		if err != nil {
			return least, err
		}
		least.Include(b)
	}
	least.Include(bound.PacketAllreduce(t.Topology, t.Machine, t.VectorWords(), packetLinks(t)))
	return least, nil
}

// packetExchangeBound is the largest bound of the scatters that the nodes carry out, of all nodes or
// of some in large networks; and that of all messages together.
func packetExchangeBound(t *Task) (least bound.Proven, err error) {
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
			return least, err
		}
		best = max(best, b.least.Cycles)
	}
	least = bound.OfPackets(best)
	least.Include(bound.PacketExchange(t.Topology, t.Machine, t.Lengths, packetLinks(t)))
	return least, nil
}

// maxBranches bounds the links of a root of which each is looked at by itself.
const maxBranches = 64

// packetLinkBounds bounds scatter and gather on machines whose chips use all
// links at once. In a tree each of the root's links works for the nodes behind it
// as that of a root with a single port does, as long as packets do not mix messages:
// a link sends one packet at a time.
func packetLinkBounds(t *Task, tree *topology.SpanningTree, links bound.PacketLinks) (*bounds, error) {
	least, uncombined, err := bound.PacketsOnAllPorts(t.Topology, t.Root, t.Lengths, links)
	if err != nil {
		return nil, err
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
				return nil, err
			}
			uncombined = max(uncombined, time)
		}
	}
	startup := router.Cycle(t.Machine.StartupTicks())
	return &bounds{least: bound.OfPackets(least + startup), uncombined: uncombined + startup}, nil
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

// Bound is a time that no plan of the same job beats, with its argument; 0 where none is known, as of transfers whose plan has not been given one, see
// FromTransfers and SetBound.
func (p *Plan) Bound() bound.Proven { return p.bounds.known().least }

// SetBound gives a plan a bound that is known otherwise. That of uncombined plans stays.
func (p *Plan) SetBound(b bound.Proven) {
	known := &bounds{least: b}
	if p.bounds != nil {
		known.uncombined = p.bounds.uncombined
	}
	p.bounds = known
}

// LowerBound is the time of Bound.
func (p *Plan) LowerBound() router.Cycle { return p.Bound().Cycles }

// UncombinedBound returns the bound for plans whose messages go each by itself,
// or the lower bound where no closer one is known.
func (p *Plan) UncombinedBound() router.Cycle {
	b := p.bounds.known()
	return max(b.least.Cycles, b.uncombined)
}

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
func (t *Task) Bound() bound.Proven { return t.bounds.known().least }

// LowerBound is the time of Bound.
func (t *Task) LowerBound() router.Cycle { return t.Bound().Cycles }

// UncombinedBound is a time that no plan beats whose messages go each by itself.
func (t *Task) UncombinedBound() router.Cycle { return t.bounds.known().uncombined }

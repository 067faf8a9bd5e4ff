// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/internal/rational"
)

// Burst is flits of one message in a row, split evenly, the larger packets first.
type Burst struct {
	Node    int // the destination of a scatter, the source of a gather
	Flits   int
	Packets int
}

// Plan is an order and a packetisation of a scatter's messages.
type Plan struct {
	Bursts  []Burst // in the order of dispatch
	Ticks   Ticks   // the time of the scatter
	Scale   int64   // ticks a cycle
	Optimal bool    // whether no order and packetisation is faster
	Visited int     // partial or whole schedules that the search looked at
}

// Time is the time of the scatter in cycles.
func (p *Plan) Time() *big.Rat { return big.NewRat(int64(p.Ticks), p.Scale) }

// Packets lists the packets in the order of dispatch.
func (p *Plan) Packets() []Packet {
	var packets []Packet
	for _, b := range p.Bursts {
		for _, size := range evenSplit(int64(b.Flits), int64(b.Packets)).Sizes() {
			packets = append(packets, Packet{b.Node, size})
		}
	}
	return packets
}

// GatherPlan says when every node dispatches its packets of a gather.
type GatherPlan struct {
	Dispatch []Dispatch // the first to reach the root first, by intent
	Ticks    Ticks      // the time of the gather, as Gather has it
	Scale    int64      // ticks a cycle
	Buffer   int        // Outcome.Buffer
	Optimal  bool       // whether no dispatch, packetisation or queueing is faster
}

// Time is the time of the gather in cycles.
func (p *GatherPlan) Time() *big.Rat { return big.NewRat(int64(p.Ticks), p.Scale) }

// Gather reverses the plan in time: every node dispatches a packet as long after the start as
// the packet arrives before the end of the scatter. Suppose that nodes idled as long as
// packets wait in the scatter. Then the gather would take as long as the scatter, and no link
// would hold back more flits than the largest packet has. But nodes do not idle. The gather is
// still as fast as the scatter for all optimal plans of few messages in the package's tests,
// but not always: a packet that is early may take a larger packet's turn. Some large plans
// lose about 0.1 %, and need buffers of up to three of the largest packets.
func (p *Plan) Gather(t *Tree, beta rational.Rational) (*GatherPlan, error) {
	packets := p.Packets()
	o, err := Scatter(t, packets, beta)
	if err != nil {
		return nil, err
	}
	dispatch := make([]Dispatch, len(packets))
	for i, packet := range packets {
		dispatch[len(packets)-1-i] = Dispatch{packet, o.Completion - o.Arrival[i]}
	}
	g, err := Gather(t, dispatch, beta)
	if err != nil {
		return nil, err
	}
	return &GatherPlan{
		Dispatch: dispatch, Ticks: g.Completion, Scale: g.Scale, Buffer: g.Buffer,
		Optimal: p.Optimal && g.Completion <= p.Ticks,
	}, nil
}

// FurthestFirst plans the scatter of all messages, lengths by node, furthest destination
// first. It takes the fastest of several splits into packets: each message in the number of
// packets that is best for it alone; whole messages; and packets of at most x flits, the same
// x for all, with x in steps of an eighth. Of destinations at one distance the lower number
// goes first. A plan as fast as bound.PacketTree is marked optimal.
func FurthestFirst(t *Tree, lengths []int, beta rational.Rational) (*Plan, error) {
	return FurthestFirstContext(context.Background(), t, lengths, beta)
}

// FurthestFirstContext is FurthestFirst, and reports its progress (package progress). It does
// not end early, since the searches that can end early begin with its plan.
func FurthestFirstContext(ctx context.Context, t *Tree, lengths []int, beta rational.Rational) (*Plan, error) {
	if err := t.valid(); err != nil {
		return nil, err
	}
	c := clockOf(beta)
	m, err := messagesOf(t, lengths, c)
	if err != nil {
		return nil, err
	}
	least, err := leastTicks(t, lengths, c)
	if err != nil {
		return nil, err
	}
	k := climb{engine: newEngine(t, c), least: least}
	k.furthestFirst(ctx, m, beta)
	return k.result(), nil
}

// furthestFirst makes the record the best plan of FurthestFirst.
func (k *climb) furthestFirst(ctx context.Context, m messages, beta rational.Rational) {
	k.engine.phase = progress.Begin(ctx, "send furthest first", 0)
	defer func() {
		k.engine.phase.End()
		k.engine.phase = nil
	}()
	k.record = eachBest(k.tree, m, beta)
	k.best = k.judge(k.record)
	longest := int64(0)
	for _, l := range m.flits {
		longest = max(longest, l)
	}
	try := func(x int64) {
		bursts := k.capped(m, func(int64) int64 { return x })
		k.furthest(bursts)
		if s := k.judge(bursts); s.time < k.best.time {
			k.best, k.record = s, bursts
		}
	}
	for x := longest; x > 0; x -= 1 + x/8 {
		if k.met() {
			return
		}
		try(x)
	}
}

// eachBest gives every message the number of packets that is best for it alone, furthest
// first.
func eachBest(t *Tree, m messages, beta rational.Rational) []Burst {
	bursts := make([]Burst, len(m.node))
	for i, v := range m.node {
		best := choose(1, int64(t.depth[v])-1, m.flits[i], beta)
		bursts[i] = Burst{int(v), int(m.flits[i]), int(best.Packets)}
	}
	slices.SortStableFunc(bursts, func(a, b Burst) int { return cmp.Compare(t.depth[b.Node], t.depth[a.Node]) })
	return bursts
}

// Evaluate returns the time of bursts in the order given, without looking at
// every packet. Errors: see Scatter; a burst with more packets than flits.
func Evaluate(t *Tree, bursts []Burst, beta rational.Rational) (*Plan, error) {
	if err := t.valid(); err != nil {
		return nil, err
	}
	packets := make([]Packet, len(bursts))
	count := int64(0)
	for i, b := range bursts {
		if b.Packets < 1 || b.Packets > b.Flits {
			return nil, input.Errorf("expected 1 to as many packets as flits", "node %d: %d packets of %d flits", b.Node, b.Packets, b.Flits)
		}
		packets[i] = Packet{b.Node, b.Flits}
		count += int64(b.Packets)
	}
	c := clockOf(beta)
	if err := checkPackets(t, packets, c); err != nil {
		return nil, err
	}
	if err := c.room(count, 0, int32(t.nodes())); err != nil {
		return nil, err
	}
	return newEngine(t, c).plan(bursts), nil
}

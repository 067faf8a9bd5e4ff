// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/internal/progress"
	"meshwright/router"
)

// DefaultStress is the length of a stress phase that nobody asked for, in cycles of the machine.
const DefaultStress = 300

// MaxStress bounds the length of a stress phase, in cycles of the machine.
const MaxStress = 1_000_000

// stressNodes bounds the nodes that send all the time: contention needs neighbours, and all chips are
// alike, so that the vectors of a large network stay small.
const stressNodes = 16

// Stress lets the vectors go on behind the run: the chips are reset and then contend for so many cycles
// of the machine, under random messages that fill every buffer. A second reset, with full buffers,
// divides the phase. The model goes along, so that the bench compares every cycle. Buffers have upsets at the rate of the run. Networks with other faults
// have no stress phase, because messages are lost there. It returns the cycles of the phase, resets
// included, in ticks, or the context's error.
func (r *Recorder) Stress(ctx context.Context, cycles int, seed uint64) (router.Cycle, error) {
	if faults := r.net.Faults(); cycles == 0 || faults != nil && !faults.OnlyUpsets() {
		return 0, nil
	}
	phase := progress.Begin(ctx, "stress the chips", 0)
	defer phase.End()
	left := router.Cycle(cycles * r.net.Machine.Ticks())
	begun := left
	if r.net.Machine.Switching == machine.Bufferless && r.net.Machine.Ports == machine.SinglePort {
		r.addReceiveConflicts(rand.New(rand.NewPCG(seed, 1<<32)))
		left = max(0, left-(r.Cycles()-r.end))
	} else {
		left -= left * 2 / 3 // until the second reset
	}
	for i := uint64(0); left > 0 && i < uint64(begun); i++ {
		phase.Set(int(r.Cycles()-r.end), int(begun))
		part, err := r.stressed(ctx, r.net.Anew(i), left-1, rand.New(rand.NewPCG(seed, i)))
		if err != nil {
			return 0, err
		}
		r.phases = append(r.phases, part)
		left = max(0, begun-(r.Cycles()-r.end))
	}
	return r.Cycles() - r.end, nil
}

// deadlockInterval is how often a phase looks whether its messages wait for one another in a circle, in ticks.
const deadlockInterval = 20

// stressed records a network under contention. It ends in the cycle in which nothing more would move.
func (r *Recorder) stressed(ctx context.Context, n *fabric.Network, cycles router.Cycle, rng *rand.Rand) (*Recorder, error) {
	part := NewRecorder(n)
	part.litter = true
	n.Attach(newContention(n, r, rng))
	for range cycles {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n.Step()
		if n.Bank().Now()%deadlockInterval == 0 && n.Bank().Watch() != nil {
			break
		}
		lost, count := n.Collisions()
		if count > 0 && (part.cutAtReceiveConflict(lost) || n.Machine.Header == machine.HeadFlit) || count > maxLost {
			break // the flits of a lost head stray: their chips do not know their destination
		}
	}
	return part, nil
}

// cutAtReceiveConflict ends the record before a cycle in which a chip with a single port refuses what two neighbours send: the
// chips decide without each other there, and the model in the order of nodes.
func (r *Recorder) cutAtReceiveConflict(lost []router.Collision) bool {
	last := lost[len(lost)-1].Cycle
	if !slices.ContainsFunc(lost, func(c router.Collision) bool { return c.Cycle == last && c.Conflict == router.ReceiveConflict }) {
		return false
	}
	r.cut(last)
	return true
}

// cut ends the record before a cycle.
func (r *Recorder) cut(end router.Cycle) {
	late := func(e record) bool { return e.cycle >= end }
	r.stimuli, r.events = slices.DeleteFunc(r.stimuli, late), slices.DeleteFunc(r.events, late)
	r.levels = slices.DeleteFunc(r.levels, func(l level) bool { return l.cycle >= end })
	r.end = min(r.end, end)
}

// CutAtCollision ends the record of a run before the first cycle in which chips and model may lose different flits, and
// returns that cycle; false if they lose the same ones in all cycles. Chips with a single port decide without each other
// when two neighbours send to one of them. Behind a head that is lost its flits stray if the header is a flit. Of a run with very many
// collisions the model keeps the first ones only.
func (r *Recorder) CutAtCollision() (router.Cycle, bool) {
	lost, count := r.net.Collisions()
	for i, c := range lost {
		switch {
		case c.Conflict == router.ReceiveConflict, i == len(lost)-1 && count > len(lost):
			r.cut(c.Cycle)
			r.isCut = true
			return c.Cycle, true
		case r.net.Machine.Header == machine.HeadFlit && (i == len(lost)-1 || lost[i+1].Cycle > c.Cycle):
			r.cut(c.Cycle + 1)
			r.isCut = true
			return c.Cycle + 1, true
		}
	}
	return 0, false
}

// addReceiveConflicts lets each two neighbours of a node send to it in the same cycle, over and over. The chip takes
// the flit of its lower port, and loses the other one.
func (r *Recorder) addReceiveConflicts(rng *rand.Rand) {
	n := r.net.Anew(0)
	c := newContention(n, r, rng)
	t := n.Topology
	for q := range router.Port(t.Ports(c.hot)) {
		for p := range q {
			part := &Recorder{net: n, end: 1, levels: []level{{0, c.hot, lossPort, 0, 1}}}
			for _, port := range []router.Port{p, q} {
				from, out := t.Neighbor(c.hot, port), t.BackPort(c.hot, port)
				if from == router.None || n.Next(from, c.hot) != out {
					part.end = 0
					break
				}
				f := flitValue{head: true, tail: true, kind: uint8(rng.IntN(4)), tag: rng.Uint32() & c.tags, source: from, destination: c.hot, payload: rng.Uint32() & c.mask}
				if f.upper = make([]uint32, c.elements-1); n.Machine.Routing == machine.Source {
					f.route = []router.Port{out}
				}
				channel := router.Port(0)
				if n.Machine.Channels == machine.Links {
					channel = out
				}
				part.stimuli = append(part.stimuli, record{0, from, channel, true, f})
				f.shift = true
				part.events = append(part.events, record{0, from, out, port == p, f})
			}
			if part.end > 0 {
				r.phases = append(r.phases, part)
			}
		}
	}
}

// maxLost bounds the collisions of a phase: the model keeps the details of so many.
const maxLost = 900

// Cycles returns the cycle behind the run and its stress phases; each of them begins with a cycle of reset.
func (r *Recorder) Cycles() router.Cycle {
	end := r.end
	for _, p := range r.phases {
		end += 1 + p.end
	}
	return end
}

// parts ranges over the run and its stress phases, with the cycle in which each starts; the cycle before is one of reset.
func (r *Recorder) parts() iter.Seq2[router.Cycle, *Recorder] {
	return func(yield func(router.Cycle, *Recorder) bool) {
		if !yield(0, r) {
			return
		}
		start := r.end + 1
		for _, p := range r.phases {
			if !yield(start, p) {
				return
			}
			start += p.end + 1
		}
	}
}

// lossPort marks a level that is a loss of the chip.
const lossPort = -2

// withLosses returns the changes of occupancy, and the losses of chips without buffers, in the order of cycles.
func (r *Recorder) withLosses() []level {
	lost, _ := r.net.Collisions()
	if len(lost) == 0 {
		return r.levels
	}
	list := slices.Clone(r.levels)
	for _, c := range lost {
		if c.Cycle < r.end {
			list = append(list, level{c.Cycle, c.Node, lossPort, 0, 1})
		}
	}
	slices.SortStableFunc(list, func(a, b level) int { return cmp.Compare(a.cycle, b.cycle) })
	return list
}

// contention is the component that sends random messages: some nodes always, the others now and then.
type contention struct {
	rng      *rand.Rand
	net      *fabric.Network
	hot      router.NodeID
	near     []router.NodeID // hot and the nodes around it
	rate     float64         // probability that one of them sends, in a cycle in which it may
	most     int             // flits of a message
	tags     uint32          // bits of a tag that the run's flits have room for
	hops     int             // links of a route that they have room for; 0: any
	gap      float64         // probability that a channel of one of them places no flit, in a cycle
	walk     float64         // probability that a message has a route that the network would not choose
	mask     uint32
	elements int // of a word
}

func newContention(n *fabric.Network, run *Recorder, rng *rand.Rand) *contention {
	c := &contention{rng: rng, net: n, rate: 0.5, most: 8, mask: uint32(1)<<n.Machine.Width - 1, elements: n.Machine.Elements()}
	c.tags = uint32(1)<<max(1, width(int(run.maxTag))) - 1
	if n.Machine.PacketSwitched() {
		c.most = min(c.most, n.Machine.Packet)
	}
	if d := newDesign(n, run.maxTag, run.maxHops); d.Kind == sourceRouting {
		c.hops, c.walk = run.maxHops, 0.5
	}
	if n.Machine.Switching == machine.Wormhole {
		c.gap = 0.2
	}
	if d := n.Machine; !d.PacketSwitched() && d.Buffer == 0 {
		c.rate, c.most = 0.05, 3 // without buffers most of a higher load would be lost at its first link
	}
	c.around()
	return c
}

// around chooses the hot node, which has the most ports, and the nodes near it.
func (c *contention) around() {
	t := c.net.Topology
	c.hot = hottest(c.net)
	seen := map[router.NodeID]bool{c.hot: true}
	c.near = []router.NodeID{c.hot}
	for i := 0; i < len(c.near) && len(c.near) < stressNodes; i++ {
		for p := range router.Port(t.Ports(c.near[i])) {
			if to := t.Neighbor(c.near[i], p); to != router.None && !seen[to] && len(c.near) < stressNodes {
				seen[to] = true
				c.near = append(c.near, to)
			}
		}
	}
}

// Hottest returns the node where most messages of a stress phase go.
func (r *Recorder) Hottest() router.NodeID { return hottest(r.net) }

func hottest(n *fabric.Network) router.NodeID {
	hot, t := router.NodeID(0), n.Topology
	for v := range router.NodeID(t.Nodes()) {
		if t.Ports(v) > t.Ports(hot) || links(n, v) > links(n, hot) {
			hot = v
		}
	}
	return hot
}

// links counts the links that leave a node.
func links(n *fabric.Network, v router.NodeID) int {
	count := 0
	for p := range router.Port(n.Topology.Ports(v)) {
		if n.Topology.Neighbor(v, p) != router.None {
			count++
		}
	}
	return count
}

// Evaluate implements fabric.Component.
func (c *contention) Evaluate(s fabric.Signals) {
	if c.net.Topology.Nodes() < 2 {
		return
	}
	for _, from := range c.near {
		c.hold(s, from)
		if c.rng.Float64() < c.rate {
			c.send(s, from)
		}
	}
	if c.rng.Float64() < c.rate/4 {
		c.send(s, c.any())
	}
}

// Update implements fabric.Component.
func (c *contention) Update(fabric.Signals) {}

func (c *contention) any() router.NodeID {
	return router.NodeID(c.rng.IntN(c.net.Topology.Nodes()))
}

// hold makes gaps in the messages that leave a node.
func (c *contention) hold(s fabric.Signals, from router.NodeID) {
	if c.gap == 0 {
		return
	}
	for channel := range c.net.Bank().Channels(from) {
		if c.rng.Float64() < c.gap {
			s.Hold(from, channel)
		}
	}
}

// send sends a message to the hot node, to a node near it, or to any node; where sources choose routes, also by any route.
func (c *contention) send(s fabric.Signals, from router.NodeID) {
	to, route := c.aim(), []router.Port(nil)
	if c.walk > 0 && c.rng.Float64() < c.walk {
		to, route = c.wander(from)
	}
	if to == from || !c.fits(from, to, route) || !s.CanSend(from, to, route) {
		return
	}
	words := make([]uint32, (1+c.rng.IntN(c.most))*c.elements)
	for i := range words {
		words[i] = c.rng.Uint32() & c.mask
	}
	_, _ = s.Send(fabric.Message{Source: from, Destination: to, Kind: router.Kind(c.rng.IntN(4)), Tag: c.rng.Uint32() & c.tags, Words: words, Route: route})
}

// aim draws a destination.
func (c *contention) aim() router.NodeID {
	to := c.any()
	switch c.rng.IntN(8) {
	case 0, 1, 2:
		to = c.hot
	case 3, 4, 5, 6:
		to = c.near[c.rng.IntN(len(c.near))]
	}
	return to
}

// fits reports whether there is a route, and room for it in a flit.
func (c *contention) fits(from, to router.NodeID, route []router.Port) bool {
	if route == nil {
		route = c.net.Route(from, to)
	}
	return route != nil && (c.hops == 0 || len(route) <= c.hops)
}

// wander draws a route over any links, which may turn round.
func (c *contention) wander(from router.NodeID) (to router.NodeID, route []router.Port) {
	t := c.net.Topology
	to = from
	for range 1 + c.rng.IntN(c.hops) {
		p := router.Port(c.rng.IntN(t.Ports(to)))
		if next := t.Neighbor(to, p); next != router.None {
			to, route = next, append(route, p)
		}
	}
	return to, route
}

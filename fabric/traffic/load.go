// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math/rand/v2"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Load describes random traffic.
type Load struct {
	Pattern   Pattern
	Rate      float64 // flits, header flits included, per source and cycle, replies included; above 0, at most 1
	Requests  Sizes   // of packets
	Replies   Sizes   // of the packet that answers each; the zero value: none answers
	Injection Injection
	Headers   int    // flits of a packet before its data, see machine.HeaderFlits
	Seed      uint64 // the same seed gives the same packets
}

// Source makes the component on a network whose clock has so many ticks a cycle, at least 1. Its errors are *input.Error.
func (l *Load) Source(t *topology.Topology, ticks int) (*Source, error) {
	if err := l.valid(t, ticks); err != nil {
		return nil, err
	}
	g := &random{pattern: l.Pattern, sizes: l.Requests, sources: l.Pattern.Sources(), rng: rand.New(rand.NewPCG(l.Seed, 0x74726166))}
	count := len(g.sources)
	if g.sources == nil {
		count = t.Nodes()
	}
	// A packet needs its flits' time even while it is on: the probability is that of a packet in a tick.
	flits := l.Requests.mean + l.Replies.mean + float64(l.Headers)
	if l.Replies.Largest() > 0 {
		flits += float64(l.Headers)
	}
	if l.Injection.Burst == 0 {
		g.process = &bernoulli{sources: int64(count), gap: newGeometric(l.Rate / flits / float64(ticks))}
	} else {
		on := l.Injection.Burst
		off := on * (l.Injection.OnRate/l.Rate - 1)
		g.process = newOnOff(count, l.Injection.OnRate/flits/float64(ticks), on*float64(ticks), off*float64(ticks), g.rng)
	}
	s := newSource(t.Nodes(), g.sources, g)
	s.burst = l.Injection.Burst * l.Injection.OnRate
	s.replies, s.replyRng = l.Replies, rand.New(rand.NewPCG(l.Seed, 0x7265706c))
	return s, nil
}

// valid refuses a load that has no packets on a network.
func (l *Load) valid(t *topology.Topology, ticks int) error {
	if err := t.Valid(); err != nil {
		return err
	}
	switch {
	case !(l.Rate > 0 && l.Rate <= 1):
		return input.Errorf("expected more than 0, at most 1", "a rate of %g flits per source and cycle", l.Rate)
	case l.Pattern == nil:
		return input.Errorf("expected a pattern, see traffic.ParsePattern", "a load without a pattern")
	case l.Requests.Largest() == 0:
		return input.Errorf("expected sizes of packets, see traffic.ParseSizes", "a load without requests")
	case l.Headers < 0:
		return input.Errorf("expected at least 0", "packets with headers of %s", input.Count(l.Headers, "flit"))
	case ticks < 1:
		return input.Errorf("expected at least 1", "a cycle of %s", input.Count(ticks, "tick"))
	}
	if err := validPattern(l.Pattern, t); err != nil {
		return err
	}
	return l.Injection.Valid(l.Rate)
}

// generator lists packets in the order of their generation; false when there are no more.
type generator interface {
	next() (packet, bool)
}

// random generates the packets of a Load.
type random struct {
	process process
	pattern Pattern         `snapshot:"start"`
	sizes   Sizes           `snapshot:"start"`
	sources []router.NodeID `snapshot:"start"` // nil: all nodes
	rng     *rand.Rand
}

func (g *random) next() (packet, bool) {
	m := g.process.next(g.rng)
	source := router.NodeID(m.source)
	if g.sources != nil {
		source = g.sources[m.source]
	}
	to := g.pattern.Destination(source, g.rng)
	return packet{source: source, destination: to, flits: int32(g.sizes.draw(g.rng)), generated: m.at, asked: m.at}, true
}

// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule"
)

// Listed bounds the collisions that a report names, Counted those that it counts:
// some 30 MB.
const (
	Listed  = 1000
	Counted = 1 << 20
)

// Report is the checker's answer.
type Report struct {
	OK         bool        // no collision
	Collisions int         // colliding pairs of messages: all of them, or Counted when More
	More       bool        // there are more than Counted
	Early      int         // of these the messages whose startup would begin before cycle 0, each counted once; without More
	First      []Collision // the first pairs, by cycle: Listed at most

	Cycles     router.Cycle // time of the schedule: 1 + the cycle of the last delivery of data
	Quiet      router.Cycle // the same of all rows, control words of a traced run included
	LowerBound router.Cycle // no schedule of these messages takes fewer cycles
	Ratio      float64      // Cycles / LowerBound, 0 when there is no bound

	Messages int
	Lost     int            // messages that faults of the machine lose; times, uses and collisions are as if they did not
	Losses   []Loss         // the first Listed of them, by row
	Arrivals []router.Cycle // by row: when its last flit is delivered, were there no collisions, -1: lost; only with KeepArrivals
	Heads    []router.Cycle // the same of the first flit, whether lost or not
	Hops     []int32        // by row: links of its way; only with KeepArrivals
	FlitHops uint64         // flits x links crossed
	Links    []LinkUse      // every directed link, in the order of Topology.Links
	Hottest  int            // index in Links: see hottestOf
}

// LinkUse counts how the schedule uses a link.
type LinkUse struct {
	Flits uint64
	Busy  uint64 // ticks in which flits or set-ups want the link, however many at once; see machine.BusyTicks
}

// hottestOf returns the first link that is busy for longest. Of equally busy links it is one with the most flits, as in fabric.Hotter.
func hottestOf(links []LinkUse) (hottest int) {
	for i, use := range links {
		if most := links[hottest]; use.Busy > most.Busy || use.Busy == most.Busy && use.Flits > most.Flits {
			hottest = i
		}
	}
	return hottest
}

// Collision is a pair of messages that use something at the same time.
type Collision struct {
	Cycle    router.Cycle    // the first in which they do
	Conflict router.Conflict // the rule that is broken
	Node     router.NodeID   // where; of a link the node it leaves
	Link     int             // index in Topology.Links, -1 when the conflict is not on a link
	First    int32           // message that is dispatched first; -1: none, Second's startup would begin before cycle 0
	Second   int32           // message dispatched later, the one further down when both have one dispatch
	Delay    router.Cycle    // fewest cycles, at least 1, by which Second must be later to be clear of First; 0: none helps
	Rows     [2]int          // First and Second in Schedule.Rows, -1 for none
}

// Bytes of a check. A message takes memory for its segments, and for its entries in
// the sorted orders of the sweeps if there are collisions; a link for its own counters and its node's
// counters.
const (
	verdictBytes    = 350  // of a message, to find out whether there are collisions
	messageBytes    = 600  // to list them
	singlePortBytes = 1200 // where messages cross the single port of nodes
	packetBytes     = 350
	linkBytes       = 200
	batchBytes      = 20e6
)

// listBytes returns the memory of a message in a list of collisions.
func listBytes(m machine.Machine) float64 {
	if m.Ports == machine.SinglePort {
		return singlePortBytes
	}
	return messageBytes
}

// needed estimates the memory of a check.
func needed(s *schedule.Schedule, t *topology.Topology, each float64) memory.Bytes {
	return memory.Of(batchBytes + each*float64(len(s.Rows)) + linkBytes*float64(t.AllPorts()))
}

// Floor is a function that bounds the time of any schedule of the messages of
// s from below, whatever their dispatches and routes.
type Floor func(s *schedule.Schedule, t *topology.Topology, m machine.Machine) router.Cycle

// Option changes what Check and Packets report, or when they end.
type Option func(*options)

type options struct {
	ctx    context.Context
	floor  Floor // nil: FloorOf
	batch  int
	early  int
	stripe int
	how    approach

	windows int // of type walk; 0: as many as pay

	arrivals bool
}

// WithFloor takes the report's lower bound from f instead of FloorOf.
func WithFloor(f Floor) Option { return func(o *options) { o.floor = f } }

// KeepArrivals makes the report say when each message arrives, and over how many links.
func KeepArrivals() Option { return func(o *options) { o.arrivals = true } }

// Under ends the check with a context, with its error.
func Under(ctx context.Context) Option { return func(o *options) { o.ctx = ctx } }

// withBatch bounds the uses of nodes that are listed at a time.
func withBatch(uses int) Option { return func(o *options) { o.batch = uses } }

// withEarly sets among how many rows collisions are searched first.
func withEarly(rows int) Option { return func(o *options) { o.early = rows } }

// withStripe sets how many uses a stripe should have.
func withStripe(uses int) Option { return func(o *options) { o.stripe = uses } }

// approach says how a check finds out that a schedule has no collisions.
type approach uint8

const (
	byCost     approach = iota // as is faster
	byHeads                    // follow heads: type walk
	bySections                 // compare straight sections: the rules' conflicts
)

// withApproach chooses the approach, and into how many windows heads are followed.
func withApproach(a approach, windows int) Option {
	return func(o *options) { o.how, o.windows = a, windows }
}

// Check checks schedule s on topology t and the bufferless machine m, or on a wormhole machine some of whose links are slower than others. Its
// errors are *input.Error, *memory.TooLarge, and that of the context.
func Check(s *schedule.Schedule, t *topology.Topology, m machine.Machine, opts ...Option) (*Report, error) {
	o := optionsOf(opts)
	if m.Switching != machine.Bufferless && m.Links == nil {
		return nil, input.Errorf("expected switching bufferless, as of machine.Machine.WithoutBuffers; collective.CheckSchedule takes any machine", "switching %s: the checker knows no buffers", m.Switching)
	}
	if _, err := m.Resolve(t); err != nil {
		return nil, err
	}
	if err := s.Validate(t); err != nil {
		return nil, err
	}
	m, err := routed(m, s).Resolve(t)
	if err != nil {
		return nil, err
	}
	if err := s.FitsHeaders(t, m); err != nil {
		return nil, err
	}
	if m.Links != nil {
		return checkUneven(s, t, m, &o)
	}
	if err := memory.Need(o.ctx, "a check of "+input.Count(len(s.Rows), "message"), needed(s, t, verdictBytes)); err != nil {
		return nil, err
	}
	p, err := newPlan(o.ctx, s, t, m)
	if err != nil {
		return nil, err
	}
	p.batch, p.early, p.stripe, p.how, p.windows = o.batch, o.early, o.stripe, o.how, o.windows
	phase := progress.Begin(o.ctx, "check what "+input.Count(len(s.Rows), "message")+" use", 0)
	defer phase.End()
	rules := p.rules()
	free, err := p.free(o.ctx, phase, rules)
	if err != nil {
		return nil, err
	}
	r := &Report{OK: free, Messages: len(s.Rows)}
	if !r.OK {
		if p.walk == nil { // along heads, the list needs no more than the verdict
			more := memory.Of((listBytes(m) - verdictBytes) * float64(len(s.Rows)))
			if err := memory.Need(o.ctx, "the list of collisions of "+input.Count(len(s.Rows), "message"), more); err != nil {
				return nil, err
			}
		}
		phase.Describe("list collisions")
		p.list(effort{o.ctx, phase}, r, rules)
		r.Early = p.earlyStartups()
	}
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	if o.arrivals {
		r.Arrivals, r.Heads, r.Hops = make([]router.Cycle, len(s.Rows)), make([]router.Cycle, len(s.Rows)), make([]int32, len(s.Rows))
	}
	p.measure(r)
	if err := p.lose(r); err != nil {
		return nil, err
	}
	if !r.OK {
		p.joinUses(effort{o.ctx, phase}, r.Links)
	}
	r.Hottest = hottestOf(r.Links)
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	if o.floor != nil {
		r.LowerBound = o.floor(s, t, m)
	} else {
		r.LowerBound = floorOf(s, t, m, p.lines.tree)
	}
	if r.LowerBound > 0 {
		r.Ratio = float64(r.Cycles) / float64(r.LowerBound)
	}
	return r, nil
}

// routed returns the machine of a run of a schedule: if rows have routes, it runs with routing source.
func routed(m machine.Machine, s *schedule.Schedule) machine.Machine {
	if s.HasRoutes() {
		m.Routing = machine.Source
	}
	return m
}

func optionsOf(opts []Option) options {
	o := options{ctx: context.Background(), batch: 1 << 21, early: 1 << 17, stripe: 1 << 11}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// measure fills in the times and the use of links.
func (p *plan) measure(r *Report) {
	parts := partsOf(len(p.rows))
	data, all := make([]router.Cycle, parts), make([]router.Cycle, parts)
	inParts(len(p.rows), parts, func(part, from, to int) {
		for row := from; row < to; row++ {
			end, of := p.arrival(row)+p.span(int32(row)), p.rows[row].of
			all[part] = max(all[part], end)
			if r.Arrivals != nil {
				r.Arrivals[of], r.Heads[of] = end, p.arrival(row)+p.model.Flit
				r.Hops[of] = int32((p.arrival(row) - p.rows[row].dispatch) / p.hop)
			}
			if end > data[part] && !p.s.Rows[of].Control {
				data[part] = end
			}
		}
	})
	r.Cycles, r.Quiet = slices.Max(data), slices.Max(all)
	r.Links = make([]LinkUse, len(p.lines.link))
	flits := uint64(0)
	for slot, change := range p.load {
		if flits += uint64(change); slot == len(p.lines.link) {
			break
		}
		r.FlitHops += flits
		r.Links[p.lines.link[slot]] = LinkUse{Flits: flits, Busy: p.m.BusyTicks(flits, 0)}
	}
}

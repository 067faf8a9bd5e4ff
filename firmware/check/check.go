// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/schedule"
	"meshwright/internal/input"
	"meshwright/router"
)

// Listed bounds the collisions that a report names.
const Listed = 1000

// Report is the checker's answer.
type Report struct {
	OK         bool        // no collision
	Collisions int         // colliding pairs of messages; at least so many when More
	More       bool        // there are more pairs than the Listed first
	First      []Collision // the first pairs, by cycle

	Cycles     router.Cycle // time of the schedule: 1 + the cycle of the last delivery
	LowerBound router.Cycle // no schedule of these messages takes fewer cycles
	Ratio      float64      // Cycles / LowerBound, 0 when there is no bound

	Messages int
	FlitHops uint64    // flits x links crossed
	Links    []LinkUse // every directed link, in the order of Topology.Links
	Hottest  int       // the first link in Links with the most flits
}

// LinkUse is what the schedule asks of a link.
type LinkUse struct {
	Flits uint64
	Busy  uint64 // cycles
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

// Floor is a function that bounds the time of any schedule of the messages of
// s from below, whatever their dispatches and routes.
type Floor func(s *schedule.Schedule, t *topology.Topology, m machine.Machine) router.Cycle

// Option changes what Check reports.
type Option func(*options)

type options struct {
	floor Floor // nil: FloorOf
	batch int
}

// WithFloor takes the report's lower bound from f instead of FloorOf.
func WithFloor(f Floor) Option { return func(o *options) { o.floor = f } }

// withBatch bounds the uses of nodes that are listed at a time.
func withBatch(uses int) Option { return func(o *options) { o.batch = uses } }

// Check checks schedule s on topology t and the bufferless machine m. Its
// errors are *input.Error.
func Check(s *schedule.Schedule, t *topology.Topology, m machine.Machine, opts ...Option) (*Report, error) {
	o := options{batch: 1 << 21}
	for _, opt := range opts {
		opt(&o)
	}
	if m.Switching != machine.Bufferless {
		return nil, input.Errorf("expected switching bufferless", "switching %s: the checker knows no buffers", m.Switching)
	}
	m, err := m.Resolve(t)
	if err != nil {
		return nil, err
	}
	if err := s.Validate(t); err != nil {
		return nil, err
	}
	p, err := newPlan(s, t, m)
	if err != nil {
		return nil, err
	}
	p.batch = o.batch
	rules := p.rules()
	r := &Report{OK: p.free(rules), Messages: len(s.Rows)}
	if !r.OK {
		p.list(r, rules)
	}
	p.measure(r)
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

// measure fills in the times and the use of links.
func (p *plan) measure(r *Report) {
	for row := range p.s.Rows {
		r.Cycles = max(r.Cycles, p.arrival(row)+p.spans[row])
	}
	r.Links = make([]LinkUse, len(p.lines.link))
	flits := uint64(0)
	for slot, change := range p.load {
		if flits += uint64(change); slot == len(p.lines.link) {
			break
		}
		r.FlitHops += flits
		r.Links[p.lines.link[slot]] = LinkUse{Flits: flits, Busy: flits * uint64(p.m.Flit)}
	}
	for i, use := range r.Links {
		if use.Flits > r.Links[r.Hottest].Flits {
			r.Hottest = i
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"context"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/bound"
	"meshwright/firmware/schedule"
	"meshwright/internal/input"
	"meshwright/router"
)

// Options steer a search. The same options find the same timetable.
type Options struct {
	Seed     uint64
	Effort   int            // 1: the least; each more doubles the work; 0: 4
	Progress func(Progress) // called after every attempt, if not nil
}

// Progress is how far a search is.
type Progress struct {
	Attempt, Attempts int
	Cycles            router.Cycle // of the best timetable so far, 0: none
	Bound             router.Cycle
}

// symmetricRules returns what a node of the machine may do in a slot of a hop's
// time, when the messages have so many flits; false when the beam cannot know:
// a message has to be over a link before it has crossed the next one, and its
// channel has to be ready again.
func symmetricRules(l *lattice, m *machine.Machine, flits int) (rules, bool) {
	directions := len(l.directions)
	if directions > maxFlight || flits*m.Flit > m.Hop || schedule.Hold(m, flits) > router.Cycle(m.Hop) {
		return rules{}, false
	}
	r := rules{flights: directions, entries: 1, half: m.Duplex == machine.Half}
	switch {
	case m.Ports == machine.SinglePort:
		r.flights = 1
	case m.Channels == machine.Links && r.half:
		return rules{}, false
	case m.Channels == machine.Links:
		r.entries = directions
	}
	return r, true
}

// goal is what is searched for.
type goal struct {
	t       *topology.Topology
	m       machine.Machine // resolved
	lengths []int
	bound   router.Cycle
	best    *Timetable
	report  func(attempt, attempts int)
}

// take keeps a timetable if it is better than the best so far.
func (g *goal) take(t *Timetable) {
	if g.best == nil || t.Cycles < g.best.Cycles {
		g.best = t
	}
}

// met reports whether nothing can be better.
func (g *goal) met() bool { return g.best != nil && g.best.Cycles == g.bound }

// noises are tried in turn.
var noises = [...]float64{10, 100, 1}

// symmetric searches for timetables that are the same for all nodes, of
// messages of so many flits in so many rounds.
func (g *goal) symmetric(ctx context.Context, l *lattice, r rules, flits, rounds int, o Options) error {
	attempts := 12 << o.Effort
	s := newSpace(g.t, g.m, l)
	b := newBeam(l, r, o.Seed)
	limit := 0
	for i := range attempts {
		if i%len(noises) == 0 {
			b.width = beamWidth(l.nodes) << min(i/12, 5)
		}
		b.noise, b.seed = noises[i%len(noises)], mix(o.Seed+uint64(i))
		b.limit = limit
		if limit == 0 {
			b.limit = 4 * int(g.bound)
		}
		ways, err := b.run(ctx)
		if err != nil {
			return err
		}
		if ways != nil {
			t := g.timetable(l, ways, flits, rounds)
			t.Period = s.period(t, rounds)
			limit = int(t.Cycles)
			t.Cycles += router.Cycle(rounds-1) * t.Period
			g.take(t)
		}
		g.report(i+1, attempts)
		if g.met() {
			break
		}
	}
	return nil
}

// beamWidth is for how many schedules there is time on so many nodes.
func beamWidth(nodes int) int { return max(8, min(100, 100*300*300/(nodes*nodes))) }

// timetable is that of one round; ways are in slots.
func (g *goal) timetable(l *lattice, ways []way, flits, rounds int) *Timetable {
	t := &Timetable{Topology: g.t, Lengths: g.lengths, Bound: g.bound, Rounds: rounds, lattice: l, ways: ways}
	hop := router.Cycle(g.m.Hop)
	for i := range ways {
		w := &ways[i]
		w.start = router.Cycle(g.m.Startup) + w.start*hop
		t.Cycles = max(t.Cycles, w.start+router.Cycle(len(w.path))*hop+router.Cycle(flits*g.m.Flit))
	}
	return t
}

func boundOf(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	return bound.Exchange(t, m, lengths)
}

var _ = input.Errorf

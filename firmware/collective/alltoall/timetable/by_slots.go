// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"context"
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// symmetricRules returns the rules of a node of the machine, for messages of so many flits and
// for the cycles of a slot. ok is false if the beam search does not apply: it needs a message
// to be over a link before it has crossed the next one, and its channel to be ready again.
func symmetricRules(l *lattice, m *machine.Machine, flits int) (rules, bool) {
	directions := len(l.directions)
	model := timing.Stalling(m)
	slot, hop := int(model.Hold(flits)+model.Stall()), int(model.Hop)
	if directions > maxFlight || slot > hop {
		return rules{}, false
	}
	r := rules{slot: slot, phases: min(hop/slot, maxPhases), flights: directions, entries: 1, half: m.Duplex == machine.Half}
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

// The attempts use these noises in turn: noises for a single round, noisesOfMany for
// rounds that follow one another. In a row of rounds a route with little rest matters
// less than a route that fits into the gaps.
var (
	noises       = [...]float64{10, 100, 1}
	noisesOfMany = [...]float64{1000, 10, 300, 100}
)

const (
	singleRounds   = 3 // attempts before periods are tried
	triesOfPeriod  = 8 // in a row
	periodsInTurns = 3 // from the least on
)

// bySlots searches with a beam.
func (g *goal) bySlots(ctx context.Context, l *lattice, r rules, s split, o Options) error {
	space := newSpace(g.t, g.m, l)
	b := newBeam(l, r, o.Seed)
	if l.nodes > Narrow && s.rounds == 1 {
		return g.narrowly(ctx, l, r, s, b, o)
	}
	attempts := 12 << o.Effort
	shortest := 4 * int(g.bound) // slots
	for i := range attempts {
		if g.met() {
			break
		}
		b.width = beamWidth(l.nodes) << min(i/12, 5)
		b.seed = mix(o.Seed + uint64(i))
		b.every, b.limit, b.noise = 0, shortest, noises[i%len(noises)]
		if j := i - singleRounds; s.rounds > 1 && r.phases == 1 && j >= 0 {
			b.every = r.leastPeriod(l) + j/triesOfPeriod%periodsInTurns
			b.limit = min(b.every+maxOverlap, shortest+j%triesOfPeriod/2)
			b.noise = noisesOfMany[j%len(noisesOfMany)]
		}
		ways, err := b.run(ctx)
		if err != nil {
			return err
		}
		if ways != nil {
			t := g.timetable(l, r, ways, s)
			if b.every == 0 {
				shortest = min(shortest, int(t.Cycles)) // cycles are slots, or more
			}
			g.takeRounds(space, t)
		}
		g.report(fmt.Sprintf("beam %d/%d", i+1, attempts))
	}
	return nil
}

// Narrow is the number of nodes above which the beam of a single round is narrow at first:
// one schedule a slot, then twice as many as long as there is time. On tori
// with a channel for each link one schedule a slot already ends within 1 % of the bound.
const Narrow = 128

// mostTried bounds the moves that a search with narrow beams looks at, with an effort of 1: some seconds.
// While the best is not good enough, it looks at four times as many.
const mostTried = 1 << 26

// narrowly searches with beams that become wider. When the moves are spent, the last beam still ends.
func (g *goal) narrowly(ctx context.Context, l *lattice, r rules, s split, b *beam, o Options) error {
	space := newSpace(g.t, g.m, l)
	b.limit = 4 * int(g.bound) // slots
	moves := mostTried << (o.Effort - 1)
	for i := 0; i < narrowBeams && !g.met() && (b.tried < moves || b.tried < 4*moves && g.ratio() >= goodEnough); i++ {
		b.width = 1 << (i / len(noises))
		b.seed, b.noise = mix(o.Seed+uint64(i)), noises[i%len(noises)]
		ways, err := b.run(ctx)
		if err != nil {
			return err
		}
		if ways != nil {
			g.takeRounds(space, g.timetable(l, r, ways, s))
		}
		g.report(fmt.Sprintf("beam of %d", b.width))
	}
	return nil
}

// QuickOn reports whether narrow beams find timetables of single flits on a network and
// machine: all nodes look the same, and nothing that a node does meets what
// its neighbours do.
func QuickOn(t *topology.Topology, m machine.Machine) bool {
	l := newLattice(t)
	if l == nil || m.PacketSwitched() || l.nodes > maxNodes {
		return false
	}
	_, ok := symmetricRules(l, &m, 1)
	return ok
}

// narrowBeams bounds the beams that a search tries one after the other.
const narrowBeams = 13 * len(noises)

// leastPeriod returns the slots from a round to the next that the messages of a
// round need at a node's channel and on its links. If one enters and one lands
// in every slot, the flights together take a multiple of it.
func (r *rules) leastPeriod(l *lattice) int {
	most, sum := (l.nodes-1+r.entries-1)/r.entries, 0
	for _, hops := range l.hops {
		sum += int(hops)
	}
	if r.entries == 1 && sum%most != 0 {
		most++
	}
	for k := range l.directions {
		load := 0
		for v := range l.nodes {
			load += int(l.share[v][k])
		}
		most = max(most, (load+1)/2)
	}
	return most
}

// beamWidth is for how many schedules there is time on so many nodes.
func beamWidth(nodes int) int { return max(8, min(100, 100*300*300/(nodes*nodes))) }

// timetable makes a timetable of one round; routes are in slots.
func (g *goal) timetable(l *lattice, r rules, ways []way, s split) *Timetable {
	t := &Timetable{Topology: g.t, Lengths: g.lengths, Bound: g.bound, Rounds: s.rounds, lattice: l, ways: ways}
	model := timing.Stalling(&g.m)
	hop, phases := model.Hop, router.Cycle(r.phases)
	for i := range ways {
		w := &ways[i]
		w.start = router.Cycle(g.m.Startup) + w.start/phases*hop + w.start%phases*router.Cycle(r.slot)
		t.Cycles = max(t.Cycles, w.start+router.Cycle(len(w.path))*hop+model.Work(s.flits))
	}
	return t
}

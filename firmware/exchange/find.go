// SPDX-License-Identifier: Apache-2.0

package exchange

import (
	"context"
	"fmt"
	"math"
	"slices"

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
	Effort   int            // each more doubles the work; 0: 1
	Progress func(Progress) // called now and then, if not nil
}

// Progress is how far a search is.
type Progress struct {
	What   string       // the part of the search
	Cycles router.Cycle // of the best timetable so far, 0: none
	Bound  router.Cycle
}

// MaxNodes bounds the networks that are searched, MaxEffort the effort.
const (
	MaxNodes  = 1024
	MaxEffort = 10
)

// maxMessages bounds those of a timetable that is not the same for all nodes,
// and maxLength the words of a message.
const (
	maxMessages = 1 << 17
	maxLength   = 1 << 16
)

// Find searches for a fast timetable by which every node sends every other one
// a message of length flits. The machine is bufferless or wormhole. It ends
// when the bound is met or the effort is spent; when ctx ends, with its error. Other
// errors are *input.Error. What it returns has passed package check.
func Find(ctx context.Context, t *topology.Topology, m machine.Machine, length int, o Options) (*Timetable, error) {
	lengths := make([]int, t.Nodes())
	for n := range lengths {
		lengths[n] = length
	}
	return FindLengths(ctx, t, m, lengths, o)
}

// FindLengths is Find with a length for every source.
func FindLengths(ctx context.Context, t *topology.Topology, m machine.Machine, lengths []int, o Options) (*Timetable, error) {
	g, err := newGoal(t, m, lengths, &o)
	if err != nil {
		return nil, err
	}
	if g.bound == 0 {
		return &Timetable{Topology: t, Lengths: g.lengths, Rounds: 1}, nil
	}
	if err := g.search(ctx, o); err != nil {
		return nil, err
	}
	if g.best == nil {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", maxMessages), "a timetable for %d messages", t.Nodes()*(t.Nodes()-1))
	}
	return g.best, g.best.Verify(g.m)
}

// newGoal judges what a search is asked for.
func newGoal(t *topology.Topology, m machine.Machine, lengths []int, o *Options) (*goal, error) {
	m.Routing = machine.Source
	m, err := m.Resolve(t)
	switch {
	case err != nil:
		return nil, err
	case m.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "a timetable for a machine of switching %s", m.Switching)
	case t.Nodes() > MaxNodes:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "a timetable for %d nodes", t.Nodes())
	case len(lengths) != t.Nodes():
		return nil, input.Errorf("expected one for each node", "%d lengths for %d nodes", len(lengths), t.Nodes())
	case o.Effort < 0 || o.Effort > MaxEffort:
		return nil, input.Errorf(fmt.Sprintf("expected 0 to %d", MaxEffort), "effort %d", o.Effort)
	}
	for n, length := range lengths {
		if length < 0 || length > maxLength {
			return nil, input.Errorf(fmt.Sprintf("expected 0 to %d", maxLength), "length %d of node %d", length, n)
		}
	}
	o.Effort = max(o.Effort, 1)
	g := &goal{t: t, m: m, lengths: slices.Clone(lengths), progress: o.Progress}
	if t.Nodes() > 1 {
		g.bound = bound.Exchange(t, m, g.lengths)
		g.least = g.bound
		for n := range router.NodeID(t.Nodes()) {
			g.least = max(g.least, bound.Scatter(t, m, n, slices.Repeat(g.lengths[n:n+1], t.Nodes())))
		}
	}
	return g, nil
}

// search tries what promises most first: timetables that are the same for all
// nodes, by slots and then by calendars, and those of any kind. Equal messages
// may go as they are, or as rounds of single flits.
func (g *goal) search(ctx context.Context, o Options) error {
	length, equal := g.lengths[0], true
	for _, other := range g.lengths {
		equal = equal && other == length
	}
	splits := []split{{length, 1}}
	switch {
	case equal && length > 1 && g.m.Startup == 0:
		splits = []split{{1, length}, {length, 1}}
	case equal && length > 1:
		splits = []split{{length, 1}, {1, length}}
	}
	if l := newLattice(g.t); l != nil && equal {
		for _, s := range splits {
			if err := g.symmetric(ctx, l, s, o); err != nil {
				return err
			}
		}
		if g.ratio() < goodEnough {
			return nil
		}
	}
	for _, s := range splits {
		if err := g.anyhow(ctx, s, nil, o); err != nil {
			return err
		}
		if g.ratio() < goodEnough {
			break
		}
	}
	return nil
}

// goodEnough is the ratio to the bound below which another kind of search is
// not worth its time.
const goodEnough = 1.02

// split says how a message is sent: so many flits at a time, in so many rounds.
type split struct{ flits, rounds int }

// symmetricRules returns what a node of the machine may do in a slot, when the
// messages have so many flits, and a slot's cycles; false when the beam cannot
// know: a message has to be over a link before it has crossed the next one, and
// its channel has to be ready again.
func symmetricRules(l *lattice, m *machine.Machine, flits int) (rules, bool) {
	directions := len(l.directions)
	slot := max(flits*m.Flit, int(schedule.Hold(m, flits)))
	if directions > maxFlight || slot > m.Hop {
		return rules{}, false
	}
	r := rules{slot: slot, phases: min(m.Hop/slot, maxPhases), flights: directions, entries: 1, half: m.Duplex == machine.Half}
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
	least   router.Cycle // the bound, or more: that of messages each sent for itself
	best    *Timetable   // so far

	progress func(Progress)
}

// take keeps a timetable if it is better than the best so far.
func (g *goal) take(t *Timetable) {
	if g.best == nil || t.Cycles < g.best.Cycles {
		g.best = t
	}
}

// ratio returns how far the best is from what it could be, at least 1.
func (g *goal) ratio() float64 {
	if g.best == nil {
		return math.Inf(1)
	}
	return float64(g.best.Cycles) / float64(g.least)
}

func (g *goal) report(what string) {
	if g.progress == nil {
		return
	}
	p := Progress{What: what, Bound: g.bound}
	if g.best != nil {
		p.Cycles = g.best.Cycles
	}
	g.progress(p)
}

// met reports whether nothing can be better.
func (g *goal) met() bool { return g.best != nil && g.best.Cycles <= g.least }

// Noises are tried in turn, those of single rounds and of rounds that follow
// one another; there the least rest matters less than to fit into the gaps.
var (
	noises        = [...]float64{10, 100, 1}
	noisesOfMany  = [...]float64{1000, 10, 300, 100}
	singleRounds  = 3 // attempts before periods are tried
	periodsTried  = 6
	triesOfPeriod = 8 // in a row
)

// symmetric searches for timetables that are the same for all nodes.
func (g *goal) symmetric(ctx context.Context, l *lattice, s split, o Options) error {
	if g.hopeless(s) {
		return nil
	}
	if r, ok := symmetricRules(l, &g.m, s.flits); ok {
		if err := g.bySlots(ctx, l, r, s, o); err != nil {
			return err
		}
	}
	// What a message uses at one node must not meet what it uses at the next.
	if s.flits*g.m.Flit > g.m.Hop {
		if slices.Max(l.dims) > 3 || g.m.Ports == machine.SinglePort || g.m.Duplex == machine.Half {
			return nil
		}
	}
	return g.anyhow(ctx, s, l, o)
}

// leastPeriod returns cycles that a round needs at the channels of a node.
func (g *goal) leastPeriod(s split) int {
	most := 0
	for n := range router.NodeID(g.t.Nodes()) {
		channels := 1
		if g.m.Channels == machine.Links && g.m.Ports == machine.AllPort {
			channels = g.t.Degree(n)
		}
		most = max(most, (g.t.Nodes()-1)*int(schedule.Hold(&g.m, s.flits))/channels)
	}
	return most
}

// hopeless reports whether rounds cannot be faster than what has been found.
func (g *goal) hopeless(s split) bool {
	return s.rounds > 1 && g.best != nil && s.rounds*g.leastPeriod(s) >= int(g.best.Cycles)
}

// bySlots searches with a beam.
func (g *goal) bySlots(ctx context.Context, l *lattice, r rules, s split, o Options) error {
	space := newSpace(g.t, g.m, l)
	b := newBeam(l, r, o.Seed)
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
			b.every = r.leastPeriod(l) + j/triesOfPeriod%3
			b.limit = min(b.every+heads, shortest+j%triesOfPeriod/2)
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

// takeRounds keeps a timetable of one round, which as many follow as it says.
func (g *goal) takeRounds(s *space, t *Timetable) {
	t.Period = s.period(t, t.Rounds)
	t.Cycles += router.Cycle(t.Rounds-1) * t.Period
	g.take(t)
}

// anyhow searches with calendars, those of all things, or with a lattice those
// of one node's.
func (g *goal) anyhow(ctx context.Context, s split, l *lattice, o Options) error {
	longest, messages := slices.Max(g.lengths)/s.rounds, g.t.Nodes()-1
	if l == nil {
		messages *= g.t.Nodes()
	}
	if g.met() || messages > maxMessages || g.hopeless(s) {
		return nil
	}
	space := newSpace(g.t, g.m, l)
	c := newCalendars(space, longest, o.Seed)
	x := newGeneral(c, g.errandsOf(c, l, s.rounds))
	if err := x.best(ctx); err != nil {
		return err
	}
	g.report("list")
	r := newRepair(x, c.movesFor(len(x.errands), longest, o))
	r.report = func() { g.report(fmt.Sprintf("repair to %d", r.deadline)) }
	if err := r.run(ctx, int(g.least)); err != nil {
		return err
	}
	g.takeRounds(space, x.timetable(g, l, s.rounds))
	if s.rounds > 1 && c.quantum == 1 {
		return g.inRounds(ctx, space, s, l, o)
	}
	return nil
}

// inRounds searches for rounds that follow one another quickly: for the least
// period by which nothing is ever used twice.
func (g *goal) inRounds(ctx context.Context, space *space, s split, l *lattice, o Options) error {
	single, many := make([]int, len(g.lengths)), make([]int, len(g.lengths))
	for n := range single {
		single[n], many[n] = s.flits, 1001*s.flits
	}
	least := int(bound.Exchange(g.t, g.m, single))
	period := max(g.leastPeriod(s), (int(bound.Exchange(g.t, g.m, many))-least+999)/1000)
	for step := 1; step <= periodsTried && least+(s.rounds-1)*period < int(g.best.Cycles); period, step = period+step, step+1 {
		c := newCalendars(space, s.flits, o.Seed)
		x := newGeneral(c, g.errandsOf(c, l, s.rounds))
		x.sort(0)
		longest := 0
		for i := range x.errands {
			longest = max(longest, x.end(&x.errands[i])+x.quantum)
		}
		c.every, c.horizon = period, period+longest+64
		r := newRepair(x, c.movesFor(len(x.errands), s.flits, o)/2)
		r.deadline = period + longest
		r.report = func() { g.report(fmt.Sprintf("rounds every %d", period)) }
		done, err := r.rounds(ctx, least)
		if err != nil {
			return err
		}
		if done {
			g.takeRounds(space, x.timetable(g, l, s.rounds))
			break
		}
		r.report()
	}
	return nil
}

// timetable is what the calendars have, one round of it.
func (x *general) timetable(g *goal, l *lattice, rounds int) *Timetable {
	t := &Timetable{Topology: g.t, Lengths: g.lengths, Bound: g.bound, Rounds: rounds, Cycles: router.Cycle(x.time()), lattice: l}
	for i := range x.errands {
		t.ways = append(t.ways, x.way(&x.errands[i], l))
	}
	return t
}

// movesFor returns the moves of a repair that take some seconds.
func (c *calendars) movesFor(messages, longest int, o Options) int {
	_, width := c.span(0, longest*c.m.Flit)
	return (min(30_000, 200*messages) << o.Effort) * 4096 / max(4096, messages) / (1 + width/8)
}

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

// timetable is that of one round; ways are in slots.
func (g *goal) timetable(l *lattice, r rules, ways []way, s split) *Timetable {
	t := &Timetable{Topology: g.t, Lengths: g.lengths, Bound: g.bound, Rounds: s.rounds, lattice: l, ways: ways}
	hop, phases := router.Cycle(g.m.Hop), router.Cycle(r.phases)
	for i := range ways {
		w := &ways[i]
		w.start = router.Cycle(g.m.Startup) + w.start/phases*hop + w.start%phases*router.Cycle(r.slot)
		t.Cycles = max(t.Cycles, w.start+router.Cycle(len(w.path))*hop+router.Cycle(s.flits*g.m.Flit))
	}
	return t
}

// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"meshwright/internal/progress"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// Effort says how hard Improve tries.
type Effort struct {
	Seed  uint64
	Steps int // local changes tried; 0 = as many as Work allows
	Work  int // see UsualWork; 0 = this
}

// UsualWork is the work of a local search without a number of steps, some two seconds: links that packets are followed over, and some more for every burst.
const UsualWork = 500_000_000

// Improve looks for a fast scatter of all messages, lengths by node: the best
// of several constructions (see seeds), FurthestFirst among them, and then local search. The same tree,
// lengths, beta and effort give the same plan, unless ctx ends the search
// early, with the best plan so far. A plan as fast as bound.PacketTree ends the
// search and is marked optimal. Turned around it is a gather, see Plan.Gather.
//
// The local search makes the changes of change by simulated annealing, in
// rounds: from schedules that are built from their ends (see backwards) and from
// the best one so far in turns, each cooled from another temperature.
func Improve(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, effort Effort) (*Plan, error) {
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
	k := climb{engine: newEngine(t, c), random: rand.New(rand.NewPCG(effort.Seed, 1)), least: least}
	k.furthestFirst(ctx, m, beta)
	if len(m.node) == 0 {
		return k.result(), nil
	}
	for seed := range k.seeds(m) {
		if ctx.Err() != nil || k.met() {
			return k.result(), nil
		}
		if s := k.judge(seed); s.less(k.best) {
			k.best, k.record = s, append(k.record[:0], seed...)
		}
	}
	k.run(ctx, m, effort)
	return k.result(), nil
}

// leastTicks is bound.PacketTree for a tree that was checked.
func leastTicks(t *Tree, lengths []int, c clock) (Ticks, error) {
	parent := make([]int, t.nodes())
	for v, p := range t.parent {
		parent[v] = int(p)
	}
	own := slices.Clone(lengths)
	own[t.root] = 0
	b, err := bound.PacketTree(parent, own, router.Cycle(c.setup), router.Cycle(c.flit))
	return Ticks(b), err
}

// score orders schedules: by time, then by the root's time.
type score struct{ time, root int64 }

func (s score) less(o score) bool {
	return s.time < o.time || s.time == o.time && s.root < o.root
}

// climb is the state of the local search.
type climb struct {
	*engine
	random  *rand.Rand
	now     []Burst // accepted last
	next    []Burst // scratch
	late    int     // the burst of now that arrives last
	record  []Burst
	best    score
	least   Ticks // no schedule is faster
	visited int
	phase   *progress.Phase
	counts  bool // the phase is counted in changes, not in work
}

func (k *climb) judge(bursts []Burst) score {
	k.visited++
	time, last := k.time(bursts)
	k.late = last
	return score{time, k.free[k.tree.root]}
}

func (k *climb) met() bool { return Ticks(k.best.time) <= k.least }

func (k *climb) result() *Plan {
	return &Plan{Bursts: k.record, Ticks: Ticks(k.best.time), Scale: k.clock.flit, Visited: k.visited, Optimal: k.met()}
}

// How run anneals. Temperatures are in ticks.
const (
	roundSteps    = 5000  // changes of a round at first, and
	roundBursts   = 20    // so many more for every burst
	perTry        = 50    // changes for every construction that is tried
	hottest       = 0.005 // temperature at the start of a round, of the time found
	coldest       = 0.03  // and at its end, of a flit's time
	rootWeight    = 0.01  // of the root's time besides the time itself
	roundsOfASize = 16
)

// run anneals in rounds, for so many steps or, if there are none given, so much work.
func (k *climb) run(ctx context.Context, m messages, effort Effort) {
	before := k.work
	k.judge(k.record)
	each, steps, limit := 1+k.work-before+len(k.record)/4, effort.Steps, math.MaxInt
	if steps == 0 {
		steps, limit = math.MaxInt, cmp.Or(effort.Work, UsualWork)
	}
	length := roundSteps + roundBursts*len(k.record)
	if limit < math.MaxInt {
		k.phase = progress.Begin(ctx, "search orders", limit)
	} else {
		k.phase = progress.Begin(ctx, "search orders", steps)
	}
	defer k.phase.End()
	k.counts = limit == math.MaxInt
	for round := 0; steps > 0 && k.work < limit && ctx.Err() == nil && !k.met(); round++ {
		count := min(steps, length, (limit-k.work)/each+1)
		steps -= count
		k.now = append(k.now[:0], k.record...)
		share := hottest / float64(int(1)<<(round/2%4))
		switch {
		case round == 0:
			share = 0
		case round%2 == 1 && each < UsualWork/10_000:
			k.construct(m, count/perTry)
		}
		k.round(ctx, count, share*float64(k.best.time))
		if round%roundsOfASize == roundsOfASize-1 {
			length *= 2
		}
	}
}

// round changes now step by step, and cools.
func (k *climb) round(ctx context.Context, steps int, hot float64) {
	energy := func(s score) float64 { return float64(s.time) + rootWeight*float64(s.root) }
	current := k.judge(k.now)
	late := k.late
	cold := coldest * float64(k.clock.flit)
	hot = max(hot, cold)
	cool := math.Pow(cold/hot, coolEvery/float64(steps))
	for step := range steps {
		if step%coolEvery == 0 {
			if ctx.Err() != nil || k.met() {
				return
			}
			k.report()
			hot *= cool
		}
		k.late = late
		k.change()
		s := k.judge(k.next)
		if d := energy(s) - energy(current); d <= 0 || k.random.Float64() < math.Exp(-d/hot) {
			k.now, k.next = k.next, k.now
			current, late = s, k.late
			if s.less(k.best) {
				k.best, k.record = s, append(k.record[:0], k.now...)
			}
		}
	}
}

// report says how far the search is: in changes, or in work.
func (k *climb) report() {
	if !k.phase.Due() {
		return
	}
	done := k.work
	if k.counts {
		done = k.visited
	}
	_, all, _ := k.phase.State()
	k.phase.Set(min(done, all), all)
}

// coolEvery is the number of changes at one temperature.
const coolEvery = 64

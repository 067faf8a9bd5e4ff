// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"context"
	"math/rand/v2"
	"slices"

	"meshwright/internal/rational"
)

// Effort says how hard Improve tries.
type Effort struct {
	Seed  uint64
	Steps int // local changes tried; 0 = as many as take a few seconds
}

// stepsWork is the default effort: hops of bursts that are looked at.
const stepsWork = 400_000_000

// Improve looks for a fast scatter of all messages, lengths by node: the best
// of several constructions (see seeds), furthest first with every message split
// as is best for it alone among them, and then local search. The same tree,
// lengths, beta and effort give the same plan, unless ctx ends the search
// early, with the best plan so far. Turned around it is a gather, see Plan.Gather.
//
// The local search changes the split of a message, moves a message to another
// place in the order, or sends part of it at another time, and accepts what
// is not slower than now or than a number of changes ago (late acceptance hill
// climbing, Burke and Bykov).
func Improve(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, effort Effort) (*Plan, error) {
	c := clockOf(beta)
	m, err := messagesOf(t, lengths, c)
	if err != nil {
		return nil, err
	}
	k := climb{engine: newEngine(t, c), random: rand.New(rand.NewPCG(effort.Seed, 1))}
	k.now = furthestFirst(t, m, beta)
	k.best = k.judge(k.now)
	k.record = slices.Clone(k.now)
	if len(m.node) == 0 {
		return k.result(), nil
	}
	for seed := range k.seeds(m) {
		if ctx.Err() != nil {
			return k.result(), nil
		}
		if s := k.judge(seed); s.less(k.best) {
			k.best, k.record = s, append(k.record[:0], seed...)
		}
	}
	steps := effort.Steps
	if steps == 0 {
		hops := 0
		for _, v := range m.node {
			hops += int(t.depth[v]) + 2
		}
		steps = min(200_000, stepsWork/hops/3)
	}
	k.run(ctx, steps)
	return k.result(), nil
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
	visited int
}

func (k *climb) judge(bursts []Burst) score {
	k.visited++
	time, last := k.time(bursts)
	k.late = last
	return score{time, k.free[k.tree.root]}
}

func (k *climb) result() *Plan {
	return &Plan{Bursts: k.record, Ticks: Ticks(k.best.time), Scale: k.clock.flit, Visited: k.visited}
}

// history is the number of changes after which a score must be reached again.
const history = 64

// run climbs in rounds, from the best schedule so far. The first round does not
// go down at all, the later ones begin by accepting schedules that are slower by
// up to a share that differs from round to round.
func (k *climb) run(ctx context.Context, steps int) {
	length := 500 + 20*len(k.record)
	for round := int64(0); steps > 0 && ctx.Err() == nil; round++ {
		k.round(ctx, min(steps, length), k.best.time*(round%4)/16)
		steps -= length
	}
}

func (k *climb) round(ctx context.Context, steps int, slack int64) {
	k.now = append(k.now[:0], k.record...)
	current := k.judge(k.now)
	late := k.late
	var past [history]score
	for i := range past {
		past[i] = score{current.time + slack, current.root}
	}
	for step := range steps {
		if step%64 == 0 && ctx.Err() != nil {
			return
		}
		k.late = late
		k.change()
		s := k.judge(k.next)
		if !current.less(s) || !past[step%history].less(s) {
			k.now, k.next = k.next, k.now
			current, late = s, k.late
			if s.less(k.best) {
				k.best, k.record = s, append(k.record[:0], k.now...)
			}
		}
		past[step%history] = current
	}
}

// change makes next from now by one random change, half of the time to the
// burst that arrives last.
func (k *climb) change() {
	k.next = append(k.next[:0], k.now...)
	n := len(k.next)
	i := k.random.IntN(n)
	if k.random.IntN(2) == 0 {
		i = k.late
	}
	switch kind := k.random.IntN(8); {
	case kind < 3:
		k.resplit(&k.next[i])
	case kind < 6 && n > 1:
		k.move(i, k.place(i, n))
	case kind == 6 && k.next[i].Flits > 1 && n < 4*k.tree.Nodes():
		k.part(i)
	default:
		k.join(i)
	}
}

// resplit takes another number of packets, mostly a near one.
func (k *climb) resplit(b *Burst) {
	step := 1
	if k.random.IntN(2) == 0 {
		step = 1 + k.random.IntN(1+b.Packets/2)
	}
	if k.random.IntN(2) == 0 {
		step = -step
	}
	b.Packets = max(1, min(b.Flits, b.Packets+step))
}

// place is another place in an order of n, mostly a near one.
func (k *climb) place(i, n int) int {
	if k.random.IntN(3) == 0 {
		return k.random.IntN(n)
	}
	return max(0, min(n-1, i+k.random.IntN(9)-4))
}

func (k *climb) move(from, to int) {
	b := k.next[from]
	k.next = slices.Delete(k.next, from, from+1)
	k.next = slices.Insert(k.next, to, b)
}

// part sends some flits of a burst at another time.
func (k *climb) part(i int) {
	b := k.next[i]
	flits := 1 + k.random.IntN(b.Flits-1)
	packets := max(1, min(flits, b.Packets*flits/b.Flits+k.random.IntN(2)))
	rest := Burst{b.Node, b.Flits - flits, max(1, min(b.Flits-flits, b.Packets-packets))}
	k.next[i] = rest
	k.next = slices.Insert(k.next, k.place(i, len(k.next)+1), Burst{b.Node, flits, packets})
}

// join sends all of a message at once again.
func (k *climb) join(i int) {
	b := &k.next[i]
	for j := len(k.next) - 1; j >= 0; j-- {
		if j != i && k.next[j].Node == b.Node {
			b.Flits += k.next[j].Flits
			b.Packets += k.next[j].Packets
			if k.random.IntN(2) == 0 {
				b.Packets = max(1, b.Packets-1)
			}
			k.next = slices.Delete(k.next, j, j+1)
			return
		}
	}
	k.resplit(b)
}

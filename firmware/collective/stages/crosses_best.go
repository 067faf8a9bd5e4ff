// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"meshwright/router"
)

const (
	mostCrossed = 1 << 14 // nodes for which crosses are looked for
	annealings  = 10      // for every number of steps
	polishing   = 1 << 20 // nodes that may be reached while times are weighed
)

// BestCrosses returns the fastest crosses that a search finds, and their time,
// when that is below a time that is known already. The search has a fixed
// seed, so that the same question gets the same answer. It is for tori of at least two dimensions: on
// a ring strides are as good.
func BestCrosses(g Grid, words int, p Pace, below router.Cycle) (Crosses, router.Cycle, bool) {
	return new(crossFinder).best(g, words, p, below)
}

// crossFinder remembers which crosses load a grid's links little, whatever the
// blocks and startups. The zero value is ready.
type crossFinder struct{ known map[string]Crosses }

// best is BestCrosses, and keeps what it finds.
func (c *crossFinder) best(g Grid, words int, p Pace, below router.Cycle) (Crosses, router.Cycle, bool) {
	nodes, common, rings := g.Nodes(), 0, 0
	for _, a := range g {
		switch {
		case a.Ring:
			common, rings = divisor(common, a.Size), rings+1
		case a.Size > 2:
			return Crosses{}, 0, false
		}
	}
	if rings < 2 || nodes > mostCrossed {
		return Crosses{}, 0, false
	}
	r := newReacher(g)
	floor := p.Flit * router.Cycle((nodes-1)*words/len(r.arms)) * 9 / 8 // nothing was ever found below
	least := leastSteps(len(r.arms), nodes)
	if below < math.MaxInt64 && 4*router.Cycle(least)*p.Startup < floor { // startups are not what matters
		return Crosses{}, 0, false
	}
	best := crosser{time: below}
	for k := least; k <= least+8 && floor+router.Cycle(k)*p.Startup < best.time; k += 1 + (k-least)/3 {
		s := crosser{r: r, words: words, pace: p, time: math.MaxInt64}
		for _, buckets := range bucketsFor(common, nodes) {
			s.try(c.anneal(g, k, buckets))
		}
		if s.found && s.time/5 <= best.time/4 { // as much may be gained
			s.polish(polishing / nodes)
		}
		if s.time < best.time {
			best = s
		} else if best.found {
			break
		}
	}
	return best.best, best.time, best.found
}

// bucketsFor lists the buckets that are tried; where the search takes long only the most.
func bucketsFor(common, nodes int) []int {
	var list []int
	for _, buckets := range []int{1, 2, 4} {
		if common%buckets == 0 {
			list = append(list, buckets)
		}
	}
	if nodes > 2048 {
		list = list[len(list)-1:]
	}
	return list
}

// anneal looks for crosses of so many steps once.
func (c *crossFinder) anneal(g Grid, steps, buckets int) Crosses {
	key := fmt.Sprint(g, steps, buckets)
	x, ok := c.known[key]
	if !ok {
		x = newSpread(g, steps, buckets).anneal()
		if c.known == nil {
			c.known = map[string]Crosses{}
		}
		c.known[key] = x
	}
	return x
}

// leastSteps is ⌈log(nodes)⌉ to the base arms+1.
func leastSteps(arms, nodes int) int {
	steps := 0
	for reach := 1; reach < nodes; reach *= arms + 1 {
		steps++
	}
	return steps
}

// crosser weighs crosses by their time.
type crosser struct {
	r     *reacher
	words int
	pace  Pace
	best  Crosses
	time  router.Cycle
	found bool
}

// try keeps crosses that reach everything in less time than the best.
func (s *crosser) try(x Crosses) bool {
	time, missing := x.measure(s.r, s.words, s.pace)
	if missing > 0 || time >= s.time {
		return false
	}
	s.best, s.time, s.found = x.clone(), time, true
	return true
}

// polish changes single distances of the best as long as that helps.
func (s *crosser) polish(tries int) {
	random := rand.New(rand.NewPCG(1, 1))
	x := s.best.clone()
	for range tries {
		step := x.Steps[random.IntN(len(x.Steps))]
		k := random.IntN(len(step))
		old := step[k]
		if step[k] += random.IntN(5) - 2; random.IntN(2) == 0 {
			step[k] = 1 + random.IntN(s.r.arms[k].longest())
		}
		if step[k] < 1 || step[k] > s.r.arms[k].longest() || !s.try(x) {
			step[k] = old
		}
	}
}

func (x Crosses) clone() Crosses {
	c := Crosses{Buckets: x.Buckets}
	for _, step := range x.Steps {
		c.Steps = append(c.Steps, slices.Clone(step))
	}
	return c
}

// spread looks for distances that reach all nodes with little load: simulated
// annealing over what crosses reach, in bits.
type spread struct {
	Crosses
	arms    []arm
	random  *rand.Rand
	nodes   int
	axes    [][]int      // arms by axis
	long    [][]int      // by arm and distance: starts in a row, see Pace.frame
	busiest float64      // weight of the axis with the most to carry
	masks   [][][]uint64 // by arm and places, see mask
	have    []uint64     // offsets before a step, in the middle of three
	seen    []uint64     // and with what it has reached
	kept    []outset     // by step, of the distances that are kept
	tried   []outset     // and of those that are tried, behind the change
}

// outset is the state before a step.
type outset struct {
	seen    []uint64
	reached int
	load    float64
}

func newSpread(g Grid, steps, buckets int) *spread {
	s := &spread{
		Crosses: Crosses{Buckets: buckets}, arms: g.arms(), random: rand.New(rand.NewPCG(uint64(steps), uint64(buckets))),
		nodes: g.Nodes(),
	}
	s.seen = make([]uint64, (s.nodes+63)/64)
	s.have = make([]uint64, 3*len(s.seen)+1)
	s.Steps = make([][]int, steps)
	for range steps {
		s.kept = append(s.kept, outset{seen: make([]uint64, len(s.seen))})
		s.tried = append(s.tried, outset{seen: make([]uint64, len(s.seen))})
	}
	s.kept[0].seen[0], s.kept[0].reached = 1, 1
	for k, a := range s.arms {
		if k == 0 || a.Axis != s.arms[k-1].Axis {
			s.axes = append(s.axes, nil)
		}
		s.axes[len(s.axes)-1] = append(s.axes[len(s.axes)-1], k)
		long := []int{0, 1}
		for d := 2; d <= a.longest(); d++ {
			long = append(long, ceil(a.Size, a.Size/d))
		}
		s.long = append(s.long, long)
		s.masks = append(s.masks, make([][]uint64, a.Size))
	}
	return s
}

// anneal returns the best that it finds.
func (s *spread) anneal() Crosses {
	longest := 0
	for _, a := range s.arms {
		longest = max(longest, a.Size)
	}
	var best Crosses
	least := math.Inf(1)
	count := annealings
	if s.nodes <= 1024 && len(s.Steps) == leastSteps(len(s.arms), s.nodes) {
		count *= 3 // hardly anything reaches all, but what does is worth a step
	}
	for i := range count {
		s.busiest = float64(i%2) / 2
		s.begin(guess(i % 3))
		price := s.price(longest, 0)
		s.keep(0)
		tries := min(4000, 20*s.nodes, max(1600*4/len(s.arms), 12<<20/(s.nodes*len(s.arms))))
		for try := range tries {
			heat := float64(longest) * math.Exp(-5*float64(try)/float64(tries))
			j := s.random.IntN(len(s.Steps))
			step := s.Steps[j]
			old := slices.Clone(step)
			s.change(step)
			next := s.price(longest, j)
			if next > price && s.random.Float64() >= math.Exp((price-next)/heat) {
				copy(step, old)
				continue
			}
			s.keep(j)
			if price = next; price < least {
				least, best = price, s.clone()
			}
		}
	}
	return best
}

// guess is where a search begins.
type guess int

const (
	evenly guess = iota // distances that shrink by the same factor, the same for all arms
	halved              // distances that are halved
	uneven              // distances that shrink, another one for every arm
)

// begin makes a guess; at the end all distances are 1.
func (s *spread) begin(g guess) {
	shrinking := min(len(s.Steps), leastSteps(len(s.arms), s.nodes)+1)
	for j := range s.Steps {
		s.Steps[j] = nil
		for k, a := range s.arms {
			d := math.Pow(float64(a.Size), 1-float64(j+1)/float64(shrinking))
			switch g {
			case halved:
				d = float64(a.Size >> (j + 1))
			case uneven:
				d *= 0.5 + s.random.Float64()
			}
			s.Steps[j] = append(s.Steps[j], s.fit(k, int(d)))
		}
	}
}

// fit makes a distance possible, and a multiple of the buckets if it is long.
func (s *spread) fit(k, d int) int {
	if d = max(1, min(d, s.arms[k].longest())); d > s.Buckets {
		d -= d % s.Buckets
	}
	return d
}

// change changes one distance, or both along an axis.
func (s *spread) change(step []int) {
	k := s.random.IntN(len(step))
	grain := 1
	if step[k] >= s.Buckets {
		grain = s.Buckets
	}
	switch s.random.IntN(3) {
	case 0:
		step[k] = 1 + s.random.IntN(s.arms[k].longest())
		step[k] = s.fit(k, step[k])
	case 1:
		step[k] = s.fit(k, step[k]+grain*(s.random.IntN(5)-2))
	case 2:
		step[k] = s.fit(k, step[k]+grain*(s.random.IntN(5)-2))
		for other := range step {
			if s.arms[other].Axis == s.arms[k].Axis {
				step[other] = s.fit(other, step[k])
			}
		}
	}
}

// price is the load of the links, in blocks, and half a side more for every node that
// is not reached. The load of a step is that of the axis with the most to
// carry; both ways along an axis count alike, and the axes take turns at being first.
// The steps before `from` are as they were.
func (s *spread) price(longest, from int) float64 {
	words := len(s.seen)
	copy(s.seen, s.kept[from].seen)
	reached, load := s.kept[from].reached, s.kept[from].load
	for j := from; j < len(s.Steps); j++ {
		step := s.Steps[j]
		if j > from {
			o := &s.tried[j]
			copy(o.seen, s.seen)
			o.reached, o.load = reached, load
		}
		copy(s.have[words:], s.seen)
		most, all := 0.0, 0.0
		for i := range s.axes {
			axis := s.axes[(i+j)%len(s.axes)]
			sum := 0
			for _, k := range axis {
				news := s.shift(k, step[k])
				reached += news
				sum += news * s.long[k][step[k]]
			}
			most = max(most, float64(sum)/float64(len(axis)))
			all += float64(sum)
		}
		load += (s.busiest*most + all/float64(len(s.arms))) / (s.busiest + 1)
	}
	return load + float64((s.nodes-reached)*longest)/2
}

// keep keeps the distances for which the price was asked last.
func (s *spread) keep(from int) {
	for j := from + 1; j < len(s.Steps); j++ {
		s.kept[j], s.tried[j] = s.tried[j], s.kept[j]
	}
}

// shift adds to seen the places that an arm reaches from have, and counts the new ones. Along
// an axis the bits of a place are Stride apart; bits that leave on one side come in on the
// other.
func (s *spread) shift(k, d int) int {
	a := &s.arms[k]
	if a.way == left {
		d = a.Size - d
	}
	inside := s.mask(k, d)            // places that are reached without going round
	up := len(inside)*64 - d*a.Stride // in have, between two empty copies
	down := up + a.Size*a.Stride
	shift1, shift2 := uint(up&63), uint(down&63) // ^shift is 63-shift, modulo 64
	from1, from2 := s.have[up>>6:][:len(inside)+1], s.have[down>>6:][:len(inside)+1]
	news := 0
	for i, in := range inside {
		straight := from1[i]>>(shift1&63) | from1[i+1]<<1<<(^shift1&63)
		round := from2[i]>>(shift2&63) | from2[i+1]<<1<<(^shift2&63)
		fresh := (straight&in | round&^in) &^ s.seen[i]
		news += bits.OnesCount64(fresh)
		s.seen[i] |= fresh
	}
	return news
}

// mask has the nodes whose place along an arm's axis is at least d.
func (s *spread) mask(k, d int) []uint64 {
	m := s.masks[k][d]
	if m == nil {
		a := &s.arms[k]
		m = make([]uint64, len(s.seen))
		for n := range s.nodes {
			if a.place(n) >= d {
				m[n/64] |= 1 << (n % 64)
			}
		}
		s.masks[k][d] = m
	}
	return m
}

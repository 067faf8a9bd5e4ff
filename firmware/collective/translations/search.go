// SPDX-License-Identifier: Apache-2.0

package translations

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"meshwright/router"
)

const (
	// workOf times the nodes is how many messages a search looks at, within bounds.
	workOf              = 1 << 13
	leastWork, mostWork = 1 << 15, 1 << 18
	// rounds is how often all tries are made, in all searches that are thorough together: every second try begins with the fastest schedule of the round before.
	rounds = 12
	// mostIdle is how many rounds in a row may find no faster schedule before a search ends.
	mostIdle = 3
	// mostMessages bounds the messages of a piece from a node.
	mostMessages = 24
)

// tries are those of a round, all at the same time.
var tries = [...]try{{1. / 8, 1. / 4}, {1. / 2, 1. / 4}, {1. / 8, 1. / 2}, {1. / 4, 1. / 4}, {1. / 2, 1. / 2}, {1. / 8, 1. / 8}}

// try says what a search accepts: parts of the time of a message.
type try struct {
	lacking float64 // cost of a node that is not in the sum
	heat    float64 // by which a schedule may become worse at the start
}

// search looks for schedules of a network, in rounds.
type search struct {
	*network
	round uint64
	start []step    // of some tries in the first round
	best  *schedule // nil: none so far
}

// begin lets some tries begin with what the first piece of another schedule does, with all pieces in turn.
func (s *search) begin(other *schedule) {
	index := func(to int32) int32 { return int32(max(0, slices.Index(s.near, other.near[to]))) }
	for _, x := range other.steps {
		if x.piece > 0 || len(s.near) == 0 {
			continue
		}
		if x.to >= 0 {
			x.to = index(x.to)
		} else {
			x.to = -1 - index(-1-x.to)
		}
		for piece := range int32(len(s.pieces)) {
			s.start = append(s.start, step{x.to, x.more, piece})
		}
	}
}

// rounds makes rounds until there are so many.
func (s *search) rounds(most uint64) {
	switch {
	case s.nodes == 1 || s.VectorWords() == 0:
		s.best = &schedule{pieces: s.pieces, family: s.family}
		return
	case len(s.near) == 0:
		return
	case s.round == 0:
		s.best = s.alone()
	}
	for idle := 0; s.round < most && idle < mostIdle && (s.best == nil || s.best.cycles > s.LowerBound()); s.round++ {
		before := s.best.time()
		if s.once(); s.best.time() < before {
			idle = 0
		} else {
			idle++
		}
	}
}

// once makes all tries at the same time.
func (s *search) once() {
	found := make([]*schedule, len(tries))
	var others sync.WaitGroup
	for i, x := range tries {
		from := []step{{}}
		switch {
		case i%2 > 0:
		case s.round > 0 && s.best != nil:
			from = s.best.steps
		case len(s.start) > 0:
			from = s.start
		}
		random := rand.New(rand.NewPCG(s.Seed+uint64(i), 0x7472616e73+s.round))
		others.Go(func() { found[i] = s.fork().anneal(x, from, random) })
	}
	others.Wait()
	for _, f := range found {
		if f.time() < s.best.time() {
			s.best = f
		}
	}
}

// alone sends the words of each node to every other one by themselves. It returns nil if that is not possible.
func (n *network) alone() *schedule {
	var s schedule
	steps := make([]step, len(n.near)*len(n.pieces))
	for i := range steps {
		steps[i].piece = int32(i % len(n.pieces))
	}
	if n.run(steps, &s); s.missing > 0 {
		return nil
	}
	return n.keep(&s, steps)
}

// doubled sends all that each node has to the nearest node that has none of it, again and again. It returns nil if that is no sum of all nodes.
func (n *network) doubled() *schedule {
	var s schedule
	steps := make([]step, mostMessages)
	for i := range steps {
		steps[i].more = mostMessages
	}
	if n.run(steps, &s); s.missing > 0 {
		return nil
	}
	return n.keep(&s, steps)
}

// keep returns a copy that later runs do not change.
func (n *network) keep(s *schedule, steps []step) *schedule {
	return &schedule{messages: slices.Clone(s.messages), pieces: s.pieces, cycles: s.cycles, steps: steps, family: n.family, near: n.near}
}

// time is the cycles of a schedule; more than any time, if there is none.
func (s *schedule) time() router.Cycle {
	if s == nil {
		return math.MaxInt64
	}
	return s.cycles
}

// longest is how long a message of the longest piece takes.
func (n *network) longest() float64 { return float64(n.model.UntilWhole(1, length(n.pieces[0]))) }

// cost is what annealing makes small.
func (n *network) cost(s *schedule, lacking float64) float64 {
	mean := 0.0
	for i := range s.messages {
		mean += float64(s.messages[i].whole) * float64(bits.OnesCount64(s.messages[i].brings))
	}
	return float64(s.cycles) + mean/float64(8*n.nodes*len(n.pieces)) + float64(s.missing)*(1+lacking*n.longest())
}

// anneal changes a list of steps at random.
func (n *network) anneal(x try, at []step, random *rand.Rand) (best *schedule) {
	return n.annealFor(x, at, random, n.Spend(min(max(leastWork, workOf*n.nodes), mostWork)))
}

// annealFor is anneal with the number of messages to look at.
func (n *network) annealFor(x try, at []step, random *rand.Rand, most int) (best *schedule) {
	var s schedule
	n.run(at, &s)
	cost := n.cost(&s, x.lacking)
	heat := n.longest() * x.heat
	for work := 0; work < most && n.Search.Err() == nil && n.Ctx.Err() == nil; {
		next := n.changed(at, random)
		work += len(next) + 1
		n.run(next, &s)
		c := n.cost(&s, x.lacking)
		left := 1 - float64(work)/float64(most)
		if c > cost-heat*left*left*math.Log(1-random.Float64()) {
			continue
		}
		at, cost = next, c
		if s.missing == 0 && (best == nil || s.cycles < best.cycles) {
			best = n.keep(&s, next)
			if best.cycles <= n.LowerBound() {
				return best
			}
		}
	}
	return best
}

// changed returns a list of steps with a random change.
func (n *network) changed(from []step, random *rand.Rand) []step {
	list := slices.Clone(from)
	fresh := func() step {
		x := step{to: n.draw(random), more: int32(max(0, random.IntN(6)-3))}
		if len(n.pieces) > 1 {
			x.piece = int32(random.IntN(len(n.pieces)))
		}
		return x
	}
	switch k := random.IntN(len(list)); random.IntN(6) {
	case 0:
		if len(list) < mostMessages*len(n.pieces) {
			list = slices.Insert(list, random.IntN(len(list)+1), fresh())
		}
	case 1:
		if len(list) > 1 {
			list = slices.Delete(list, k, k+1)
		}
	case 2:
		list[k].more = max(0, list[k].more+int32(random.IntN(3)-1))
	case 3:
		j := random.IntN(len(list))
		list[j], list[k] = list[k], list[j]
	case 4:
		list[k].to = fresh().to
	default:
		list[k] = fresh()
	}
	return list
}

// draw returns a node for a step, often the nearest or the furthest one: sums of neighbours leave no gaps.
func (n *network) draw(random *rand.Rand) int32 {
	switch random.IntN(4) {
	case 0:
		return 0
	case 1:
		return int32(-len(n.near))
	}
	return int32(random.IntN(2*len(n.near)) - len(n.near))
}

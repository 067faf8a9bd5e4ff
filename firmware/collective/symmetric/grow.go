// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/collective/worth"
	"meshwright/internal/bitset"
	"meshwright/internal/heap"
	"meshwright/router"
)

// habit is a way to let a schedule grow.
type habit struct {
	far   float64 // the power of the links from which a piece is worth more, see package worth
	reach int     // links of a message, at most
	local bool    // a message counts as longer if it goes over more links
	noise float64 // by which part a worth may be larger at random
}

// growth is a schedule that grows message by message, as those of package greedy do: whenever a channel is free, the message that helps most goes. Here all nodes of an orbit send at the same time.
type growth struct {
	*spread
	habit
	worth  *worth.Worth // to the first nodes of the orbits
	moved  bitset.Set   // scratch: what a sender has, as a symmetry brings it to the first node of the receiver's orbit
	random *rand.Rand
	pairs  []pair // by route
	offers heap.Heap[offer]
	steps  []step
}

// pair is what is known of a route.
type pair struct {
	useless int          // arrivals at its sender when that had nothing for its receiver, plus 1
	before  router.Cycle // no message can go before, since what is reserved stays reserved
}

// offer is a message that could go.
type offer struct {
	from, to int32
	level    int // of its pieces, see package worth
	words    int // 0: it is good for nothing
	score    float64
	noise    float64
}

// Before prefers the offer that helps most.
func (o offer) Before(p offer) bool {
	switch {
	case o.score != p.score:
		return o.score > p.score
	case o.from != p.from:
		return o.from < p.from
	}
	return o.to < p.to
}

// never is later than anything.
const never = router.Cycle(1) << 60

// grow lets a schedule grow by a habit, and returns its steps. It is given up, and not complete, if messages are still to be handed over at the limit.
func (s *spread) grow(by habit, limit router.Cycle, random *rand.Rand) []step {
	g := &growth{
		spread: s, habit: by, worth: worth.New(len(s.firsts), s.nodes, s.Furthest, by.far),
		moved: bitset.New(s.nodes), random: random, pairs: make([]pair, len(s.ways)),
	}
	s.reset()
	for k := range s.firsts {
		g.promise(int32(k), s.has[k])
	}
	for now := router.Cycle(0); s.missing > 0 && now < limit; {
		now = g.send(now)
	}
	return g.steps
}

// promise notes that the first node of an orbit gets pieces, and all others theirs.
func (g *growth) promise(orbit int32, pieces bitset.Set) {
	first := g.firsts[orbit]
	for k, at := range g.firsts {
		for _, h := range g.group {
			links := uint16(0)
			if holder := h[first]; holder != at {
				links = uint16(g.Links(holder, at))
			}
			for p := range pieces.All() {
				g.worth.Near(int32(k), h[p], links)
			}
		}
	}
}

// send hands over what can be handed over now, the most helpful first. It returns the next cycle in which something may be different.
func (g *growth) send(now router.Cycle) (next router.Cycle) {
	next = never
	g.offers = g.offers[:0]
	for k := range int32(len(g.firsts)) {
		known, skip := g.knownBy(k, now)
		if skip > 0 {
			next = min(next, g.come[k][len(known)].at)
		}
		held := g.heldBy(known, nil)
		for _, to := range g.near[k] {
			p := g.pair(k, to)
			if g.way(k, to).Links > g.reach || p.useless == len(known)+1 {
				continue
			}
			if p.before > now {
				next = min(next, p.before)
				continue
			}
			o := offer{from: k, to: to, noise: 1 + g.noise*g.random.Float64()}
			if g.weigh(&o, held); o.words == 0 {
				p.useless = len(known) + 1
				continue
			}
			g.offers = append(g.offers, o)
		}
	}
	g.offers.Init()
	for len(g.offers) > 0 {
		o := g.offers.Pop()
		known, skip := g.knownBy(o.from, now)
		score := o.score
		if g.weigh(&o, g.heldBy(known, nil)); o.words == 0 {
			continue
		}
		if o.score < score {
			g.offers.Push(o)
		} else {
			next = min(next, g.hand(&o, skip, now))
		}
	}
	return next
}

func (g *growth) pair(from, to int32) *pair { return &g.pairs[int(from)*g.nodes+int(to)] }

// knownBy returns what has come to the first node of an orbit, and how many arrivals are still to come.
func (g *growth) knownBy(orbit int32, now router.Cycle) (known []come, skip int) {
	known = g.come[orbit]
	for len(known) > 0 && known[len(known)-1].at > now {
		known, skip = known[:len(known)-1], skip+1
	}
	return known, skip
}

// weigh finds out what the best message of an offer is worth for its time.
func (g *growth) weigh(o *offer, held bitset.Set) {
	w, orbit := g.way(o.from, o.to), g.orbit[o.to]
	clear(g.moved)
	move(g.group[g.back[o.to][0]], held, g.moved)
	g.tried++
	o.score, o.level, o.words = g.worth.Best(worth.Offer{
		To: orbit, Held: g.moved, Promised: g.has[orbit], Words: g.words, Most: w.Most * g.words,
		Time: func(words int) router.Cycle { return g.time(w.Links, words) },
	})
	o.score *= o.noise
}

// time returns the time that counts for a message.
func (g *growth) time(links, words int) router.Cycle {
	time := g.model.UntilWhole(links, words) + 1
	if g.local {
		time += router.Cycle(links-1) * g.model.Work(words)
	}
	return time
}

// hand hands over the message of an offer, if it can go now. It returns when the next one could go.
func (g *growth) hand(o *offer, skip int, now router.Cycle) router.Cycle {
	w, p := g.way(o.from, o.to), g.pair(o.from, o.to)
	if p.before = g.earliest(w, o.words, now); p.before > now {
		return p.before
	}
	x := step{from: o.from, to: o.to, skip: int32(skip), but: g.nearer(o)}
	sent := len(g.messages)
	if !g.take(x) { // symmetries bring others that have the same
		p.useless = len(g.come[o.from]) - skip + 1
		return never
	}
	g.steps = append(g.steps, x)
	if nodes, ok := g.received(x, g.messages[sent].nodes); ok {
		g.promise(g.orbit[o.to], nodes)
	}
	p.before = g.earliest(w, g.words, now+1)
	return p.before
}

// earliest returns when a message could be handed over.
func (s *spread) earliest(w *way, words int, from router.Cycle) router.Cycle {
	return booking.Earliest(s.list(w, words), from+s.model.Startup) - s.model.Startup
}

// nearer returns the nodes whose pieces a message leaves to others, since they come from near.
func (g *growth) nearer(o *offer) (but bitset.Set) {
	far := bitset.Set(g.worth.Beyond(o.level, g.orbit[o.to]))
	for v, to := range g.group[g.back[o.to][0]] {
		if far.Has(to) {
			continue
		}
		if but == nil {
			but = bitset.New(g.nodes)
		}
		but.Set(int32(v))
	}
	return but
}

// powers are what habits differ in.
var powers = []float64{0, 0.3, 0.5, 0.7, 1, 1, 1.5, 2}

// habit returns a way to grow: at first one that is often good, then others at random.
func (n *network) habit(i int, random *rand.Rand) habit {
	if i == 0 {
		return habit{far: 1, reach: n.Furthest, local: true}
	}
	by := habit{far: powers[random.IntN(len(powers))], reach: n.Furthest, local: random.IntN(2) == 0, noise: 0.3 * random.Float64()}
	if random.IntN(3) == 0 {
		by.reach = 1 + random.IntN(n.Furthest)
	}
	return by
}

const (
	// usualTries and quickTries are in how many ways schedules grow, as long as no more offers than offersOf are weighed, for each 64 nodes fewer.
	usualTries, quickTries = 40, 4
	offersOf               = 1 << 20
	// mostGrown is how many schedules are kept.
	mostGrown = 2
)

// grown is a schedule that grew.
type grown struct {
	steps  []step
	cycles router.Cycle
}

// grown lists the best schedules that grow in so many ways, the fastest first, but for those that are given up at a limit.
func (s *spread) grown(tries int, limit router.Cycle, random *rand.Rand) (list []grown) {
	s.tried = 0
	for i := range tries {
		if s.tried*s.nodes > s.Spend(offersOf)*MaxNodes || len(list) > 0 && s.Search.Err() != nil || s.Ctx.Err() != nil {
			break
		}
		steps := s.grow(s.habit(i, random), limit, random)
		if s.missing > 0 {
			continue
		}
		list = append(list, grown{steps, s.cycles})
		slices.SortStableFunc(list, func(a, b grown) int { return cmp.Compare(a.cycles, b.cycles) })
		list = list[:min(len(list), mostGrown)]
		limit = min(limit, soon(s.cycles))
	}
	return list
}

// soon is when a schedule must be complete that may become faster than one which takes so long.
func soon(cycles router.Cycle) router.Cycle { return cycles + cycles/8 }

// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"meshwright/router"
)

// maxFlight bounds the directions of a lattice that is searched.
const maxFlight = 12

// maxPhases bounds the slots of a hop.
const maxPhases = 4

// maxOverlap is for how many slots a round may go on when the next one has begun.
const maxOverlap = 12

// beam searches a lattice for a timetable that is the same for all nodes, slot
// by slot from the first on. In a slot a direction can be used once; a hop takes
// one slot, or several where a link is free again long before (phases: messages
// that move in different ones never meet). As all nodes do the same at the same
// time, it is enough to look at the messages of one, and to see that every
// direction is used once a slot. What is in the air goes on in
// every slot, to one side or another; when something has landed, something new
// may enter. Of all schedules of the slots so far the best are kept: those with
// the least to do, over the directions and at the source, and of these any.
//
// What makes it work is that a schedule whose messages in the air would run
// into a dead end, whatever comes later, is thrown away at once (landing).
type beam struct {
	*lattice
	rules
	width int     // schedules kept in a slot
	noise float64 // of the score: luck in the choice between them
	seed  uint64
	limit int // slots that a schedule may take
	every int // 0, or slots from a round to the next, which must not collide
	tried int // moves that were looked at in all runs

	level, spare       []partial
	waiting, spareBits []uint64 // by partial: the offsets that have not entered
	words              int      // of a partial in waiting
	arena              []record
	offers             []successor // a heap, the worst on top
	seen               map[uint64]struct{}
	lands              map[uint64]bool // by what is in the air
	growing            expansion
	sleeping, flying   []uint64 // random numbers by offset, to tell schedules apart
}

// rules limit the actions of a node in a slot.
type rules struct {
	slot    int  // cycles from a slot to the next of a hop
	phases  int  // slots of a hop
	flights int  // messages in the air at once, by phase
	entries int  // messages that may enter, and land
	half    bool // none enters when one lands
}

// partial is a schedule of the slots so far.
type partial struct {
	record int32 // how it came about
	left   int32 // messages that have not entered
	aloft  int32 // messages in the air
	phases [maxPhases]phase
	load   [maxFlight]int32   // by direction: twice the hops to go
	head   [maxOverlap]uint16 // where rounds follow one another: what the first slots use
	hash   uint64             // of all that matters
}

// phase holds the messages that move in the same slots.
type phase struct {
	flying int32
	landed bool             // a message has, in its slot before
	air    [maxFlight]int32 // offsets that are left of the routes
}

// move is one choice for a slot: the offsets that enter, and the directions of the messages,
// first of the messages in the air and then of the entering ones.
type move struct {
	entered int8
	enter   [maxFlight]int32
	take    [maxFlight]int8
}

type record struct {
	parent int32
	move
}

// successor is a schedule that is one slot longer than another.
type successor struct {
	move
	score float64
	from  int32
	used  uint16 // directions, and entry and landing
	hash  uint64
}

func newBeam(l *lattice, r rules, seed uint64) *beam {
	b := &beam{lattice: l, rules: r, seed: seed, words: (l.nodes + 63) / 64, seen: map[uint64]struct{}{}, lands: map[uint64]bool{}}
	b.sleeping, b.flying = make([]uint64, l.nodes), make([]uint64, l.nodes)
	for v := range l.nodes {
		b.sleeping[v], b.flying[v] = mix(uint64(v)*2), mix(uint64(v)*2+1)
	}
	return b
}

// mix is a random function (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// run returns the routes of a timetable that it finds, by offset, none when it
// finds none of at most limit slots.
func (b *beam) run(ctx context.Context) ([]way, error) {
	b.start()
	for slot := 0; slot < b.limit; slot++ {
		for i := range b.level {
			if s := &b.level[i]; s.left == 0 && s.aloft == 0 {
				return b.replay(s.record), nil
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.offers = b.offers[:0]
		for i := range b.level {
			b.expand(int32(i), slot)
		}
		if b.keep(slot); len(b.level) == 0 {
			break
		}
	}
	return nil, nil
}

// start begins with the schedule in which nothing has happened.
func (b *beam) start() {
	s := partial{record: -1}
	b.waiting = append(b.waiting[:0], make([]uint64, b.words)...)
	for v := 1; v < b.nodes; v++ {
		b.waiting[v/64] |= 1 << (v % 64)
		s.left++
		for k := range b.directions {
			s.load[k] += b.share[v][k]
		}
		s.hash += b.sleeping[v]
	}
	b.level = append(b.level[:0], s)
	b.arena = b.arena[:0]
	clear(b.lands)
}

// left returns the offsets that have not entered in a schedule of the level.
func (b *beam) left(i int32) []uint64 { return b.waiting[int(i)*b.words:][:b.words] }

// keep makes the best successors the next level.
func (b *beam) keep(slot int) {
	slices.SortFunc(b.offers, func(x, y successor) int {
		return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.from, y.from), cmp.Compare(x.hash, y.hash))
	})
	clear(b.seen)
	b.spare, b.spareBits = b.spare[:0], b.spareBits[:0]
	for i := range b.offers {
		c := &b.offers[i]
		if _, ok := b.seen[c.hash]; ok {
			continue
		}
		b.seen[c.hash] = struct{}{}
		b.spareBits = append(b.spareBits, b.left(c.from)...)
		b.spare = append(b.spare, b.follow(c, b.spareBits[len(b.spareBits)-b.words:], slot))
		if len(b.spare) == b.width {
			break
		}
	}
	b.level, b.spare = b.spare, b.level
	b.waiting, b.spareBits = b.spareBits, b.waiting
}

// follow returns the successor in full, and takes what enters out of left.
func (b *beam) follow(c *successor, left []uint64, slot int) partial {
	s := b.level[c.from]
	b.arena = append(b.arena, record{s.record, c.move})
	s.record = int32(len(b.arena) - 1)
	p := &s.phases[slot%b.rules.phases]
	for _, v := range c.enter[:c.entered] {
		left[v/64] &^= 1 << (v % 64)
		p.air[p.flying] = v
		p.flying++
	}
	s.left -= int32(c.entered)
	all := p.flying
	p.flying = 0
	for k := range all {
		from := p.air[k]
		to := b.ahead[from][c.take[k]]
		b.shift(&s.load, from, to)
		if to != 0 {
			p.air[p.flying] = to
			p.flying++
		}
	}
	s.aloft += int32(c.entered) + p.flying - all
	p.landed = p.flying < all
	if b.every > 0 && slot < maxOverlap {
		s.head[slot] = c.used
	}
	s.hash = c.hash
	return s
}

// shift changes the load of a schedule in which from is left of a route to what
// it is when to is.
func (b *beam) shift(load *[maxFlight]int32, from, to int32) {
	f, t := b.share[from], b.share[to]
	for k := range f {
		load[k] += t[k] - f[k]
	}
}

// replay follows a schedule's moves from the first on.
func (b *beam) replay(last int32) []way {
	var chain []int32
	for r := last; r >= 0; r = b.arena[r].parent {
		chain = append(chain, r)
	}
	slices.Reverse(chain)
	type flight struct{ of, left int32 }
	ways := make([]way, b.nodes)
	var air [maxPhases][]flight
	for slot, r := range chain {
		m, p := &b.arena[r].move, &air[slot%b.rules.phases]
		for _, v := range m.enter[:m.entered] {
			ways[v] = way{destination: router.NodeID(v), start: router.Cycle(slot)}
			*p = append(*p, flight{v, v})
		}
		still := (*p)[:0]
		for k, f := range *p {
			ways[f.of].path = append(ways[f.of].path, router.Port(m.take[k]))
			if f.left = b.ahead[f.left][m.take[k]]; f.left != 0 {
				still = append(still, f)
			}
		}
		*p = still
	}
	return ways[1:]
}

// first returns the lowest offset of a set that is at least v, -1 when there is
// none.
func first(set []uint64, v int32) int32 {
	if int(v) >= 64*len(set) {
		return -1
	}
	w := int(v) / 64
	word := set[w] &^ (1<<(v%64) - 1)
	for word == 0 {
		if w++; w == len(set) {
			return -1
		}
		word = set[w]
	}
	return int32(64*w + bits.TrailingZeros64(word))
}

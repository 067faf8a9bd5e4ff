// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"

	"meshwright/internal/countdown"
)

// This file is the cycle of the streaming engine.

func (e *streaming) eject() int {
	early := e.early == e.now
	taken := 0
	for _, s := range e.shards {
		if !early {
			s.ahead = s.evaluate(&s.ejects)
		}
		s.ejected = s.ahead
		taken += s.ejected
	}
	return taken
}

func (e *streaming) link() {
	if e.parallel() {
		e.workers.Do(len(e.shards), e.phases.link)
		return
	}
	for k := range e.shards {
		e.phases.link(k)
	}
}

func (e *streaming) update() { e.inTurn(e.phases.advance, e.phases.settle) }

// cycle is link and update at once, with what the caller has to do for the registers of each shard before. It
// evaluates the ejections of the next cycle, too, which depend on nothing else.
func (e *streaming) cycle(place func(k int)) {
	if len(e.shards) == 1 { // few events: each call counts
		s := e.shards[0]
		place(0)
		s.moved = s.evaluate(&s.links)
		s.advance()
		s.settle()
		return
	}
	e.hand, e.early = place, e.now+1
	e.inTurn(e.phases.all, e.phases.settleEarly)
}

// inTurn lets all shards advance and settle. On several workers they do not wait for all others: a shard settles as
// soon as its neighbours have advanced.
func (e *streaming) inTurn(advance, settle func(k int)) {
	if e.parallel() {
		e.workers.DoInTurn(len(e.shards), advance, e.phases.ready, settle)
		return
	}
	for k := range e.shards {
		advance(k)
	}
	for k := range e.shards {
		settle(k)
	}
}

// worthwhile is how many flits have to cross in a cycle before several workers are faster than one.
const worthwhile = 200

// parallel reports whether several workers are to compute a part of the cycle.
func (e *streaming) parallel() bool {
	return e.workers != nil && len(e.shards) > 1 && e.moved() >= worthwhile
}

// phases are the parts of a cycle that shards do for themselves, each for shard number k.
type phases struct {
	link, advance, settle func(k int)
	all, settleEarly      func(k int) // the parts of cycle
	ready                 func(k int) bool
}

func (e *streaming) newPhases() phases {
	p := phases{
		link: func(k int) {
			s := e.shards[k]
			s.receiveRooms()
			s.moved = s.evaluate(&s.links)
		},
		advance: func(k int) {
			s := e.shards[k]
			s.advance()
			s.advanced.Store(int64(e.now))
		},
		settle: func(k int) { e.shards[k].settle() },
		ready:  func(k int) bool { return e.shards[k].mayReceive() },
	}
	p.all = func(k int) {
		e.hand(k)
		p.link(k)
		p.advance(k)
	}
	p.settleEarly = func(k int) {
		s := e.shards[k]
		s.settle()
		s.ahead = s.evaluate(&s.ejects)
		s.ending = s.tails(s.ending[:0])
	}
	return p
}

// place fills an injection register.
func (e *streaming) place(i int32, f Flit) {
	if f.Flags&Head != 0 {
		e.begin(i-e.linkInputs, f.Worm)
	}
}

// begin lets a worm into injection register k.
func (e *streaming) begin(k int32, worm uint32) {
	i := e.base + k<<e.shift
	w := e.Worm(worm)
	way := uint32(0)
	if e.ways != nil {
		way = uint32(w.Destination)
	}
	e.shardOf(i).enter(i, worm, way, w.Length)
}

// shardOf returns the shard of an injection register, or of an ejection output-VC.
func (e *streaming) shardOf(i int32) *shard {
	at := len(e.shards) - 1
	for int(i>>6) < e.shards[at].ejects.first {
		at--
	}
	return e.shards[at]
}

// evaluate decides which outputs of a section flits cross: an owner's flit crosses when the buffer
// behind has room. It returns their number.
func (s *shard) evaluate(part *section) int {
	e := s.e
	crossing := 0
	words, one := e.words, e.shift == 0
	for b, block := range part.outputs {
		for ; block != 0; block &= block - 1 {
			at := b<<6 + bits.TrailingZeros64(block)
			t := &words[part.first+at]
			t.bound = 0
			if t.owned == 0 {
				t.crossing, t.blocked = 0, 0
				part.outputs.Clear(int32(at))
				continue
			}
			offered := t.owned & t.offered
			t.crossing, t.blocked = offered&t.room, offered&^t.room
			if !one {
				e.turns.choose(part.first+at, t)
			}
			crossing += bits.OnesCount64(t.crossing)
			if eighth := t.waited.add(t.blocked); eighth != 0 {
				e.countBlocked(eighth, (part.first+at)<<6)
			}
		}
	}
	return crossing
}

// countBlocked adds eight cycles each for the outputs of a word.
func (e *streaming) countBlocked(set uint64, first int) {
	for ; set != 0; set &= set - 1 {
		e.waits.add(int32(first+bits.TrailingZeros64(set))>>e.shift, 8)
	}
}

// advance counts the flits that cross, notes which streams start and stop, and follows the tails. After all tails it lets the
// worms whose heads cross enter the buffers behind: then most lanes and outputs that worms leave in this cycle are free
// for the next ones.
func (s *shard) advance() {
	s.outbox.clear()
	s.advanceTaken()
	s.advanceLinks()
	for _, h := range s.starts {
		s.heads(&s.e.words[h.word], h.set, int(h.word))
	}
}

// advanceTaken is advance for the flits that PEs take.
func (s *shard) advanceTaken() {
	e := s.e
	for b, block := range s.ejects.outputs {
		for ; block != 0; block &= block - 1 {
			w := s.ejects.first + b<<6 + bits.TrailingZeros64(block)
			t := &e.words[w]
			turned := t.crossing ^ t.flowing
			t.flowing = t.crossing
			t.fresh &^= t.crossing
			for ; turned != 0; turned &= turned - 1 {
				s.leave(e.out[w<<6+bits.TrailingZeros64(turned)].owner)
			}
			if ran := t.left.Step(t.crossing); ran != 0 {
				s.reportTaken(t, ran, w)
			}
		}
	}
}

// advanceLinks is advance for the flits that cross links. It leaves the heads in starts.
func (s *shard) advanceLinks() {
	e := s.e
	s.starts = s.starts[:0]
	for b, block := range s.links.outputs {
		for ; block != 0; block &= block - 1 {
			w := s.links.first + b<<6 + bits.TrailingZeros64(block)
			t := &e.words[w]
			heads := t.crossing & t.fresh
			turned := (t.crossing ^ t.flowing) &^ heads
			t.flowing = t.crossing
			t.fresh &^= heads
			x := &e.words[w^e.pair]
			x.leaving ^= turned & t.straight
			x.arriving ^= t.ahead(turned & t.near)
			if x.live == 0 && turned != 0 {
				s.enliven(x, int32(w^e.pair)<<6)
			}
			if alone := turned &^ (t.straight & t.near); alone != 0 {
				s.turned(t, alone, w)
			}
			ran := t.left.Step(t.crossing)
			if single := heads & ran; single != 0 { // their tails may be the same flits
				s.heads(t, single, w)
				heads &^= single
			}
			if heads != 0 {
				s.starts = append(s.starts, start{heads, int32(w)})
			}
			if ran != 0 {
				s.report(t, ran, w)
			}
		}
	}
}

// start is the outputs of a word by which heads cross.
type start struct {
	set  uint64
	word int32
}

// heads starts the streams of worms through links of word w.
func (s *shard) heads(t *word, set uint64, w int) {
	e := s.e
	lanes, words, outs := e.lanes, e.words, e.out
	waits := uint64(0)
	if e.lined >= 0 {
		x := &words[w^e.pair]
		waits = s.arriveHeads(x, t.ahead(set&t.near), int32(w^e.pair)<<6)
	}
	for ; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set) & 63
		out := &outs[w<<6+k]
		i, to := out.owner, out.behind
		s.leave(i)
		l := &lanes[i]
		way := l.way + oneHop
		if e.ways == nil && l.way&maxLine > 0 {
			way--
		}
		if out.carried += l.left; out.carried < l.left {
			e.carry(int32(w<<6 + k))
		}
		wait := waits >> (to & 63) & 1
		if t.near>>k&1 == 0 {
			if !s.has(to) {
				s.outbox.heads = append(s.outbox.heads, headAt{to, l.worm, way, l.left})
				continue
			}
			wait = s.arriveHeads(&words[to>>6], 1<<(to&63), to)
		}
		next := &lanes[to]
		if wait != 0 {
			s.queueUp(next, l.worm, way, l.left)
			continue
		}
		next.worm, next.way, next.left = l.worm, way, l.left
		s.request(to, next)
	}
}

// carry notes that the flits carried by an output-VC begin again at 0.
func (e *streaming) carry(o int32) {
	e.rare.Lock()
	defer e.rare.Unlock()
	e.carried.add(e.order.port(o>>e.shift), 1<<32)
}

// turned stops streams through links of word w, or starts them again.
func (s *shard) turned(t *word, set uint64, w int) {
	for ; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set) & 63
		out := &s.e.out[w<<6+k]
		if t.straight>>k&1 == 0 {
			s.leave(out.owner)
		}
		if t.near>>k&1 != 0 {
			continue
		}
		if s.has(out.behind) {
			s.arrive(out.behind)
		} else {
			s.outbox.turned = append(s.outbox.turned, out.behind)
		}
	}
}

// report looks at the outputs of link word w whose countdown reported, and follows the tails out of their lanes: the
// outputs are free, and the heads that come to the front ask for their own.
func (s *shard) report(t *word, ran uint64, w int) {
	e := s.e
	if ran&t.long != 0 {
		if ran = s.shorten(t, ran, w); ran == 0 {
			return
		}
	}
	words := e.words
	x := &words[w^e.pair]
	straight := ran & t.straight
	x.tails |= straight
	x.ending |= t.ahead(ran & t.near)
	for more := straight & x.queued; more != 0; more &= more - 1 {
		s.follows = append(s.follows, int32((w^e.pair)<<6+bits.TrailingZeros64(more)))
	}
	x.busy &^= straight &^ x.queued
	if x.live == 0 && e.lined >= 0 {
		s.enliven(x, int32(w^e.pair)<<6)
	}
	for set := ran &^ (straight & t.near); set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set) & 63
		out := &e.out[w<<6+k]
		if straight>>k&1 == 0 {
			i := out.owner
			s.tail(&words[i>>6], 1<<(i&63), i)
		}
		switch to := out.behind; {
		case t.near>>k&1 != 0:
		case s.has(to):
			s.end(to)
		default:
			s.outbox.ending = append(s.outbox.ending, to)
		}
	}
	s.release(t, ran, w)
}

// reportTaken does so for the ejection channels of word w.
func (s *shard) reportTaken(t *word, ran uint64, w int) {
	if ran&t.long != 0 {
		ran = s.shorten(t, ran, w)
	}
	for set := ran; set != 0; set &= set - 1 {
		i := s.e.out[w<<6+bits.TrailingZeros64(set)].owner
		s.tail(&s.e.words[i>>6], 1<<(i&63), i)
	}
	s.release(t, ran, w)
}

// shorten counts for worms of word w that have more flits to come after a report, and returns the outputs of the others.
func (s *shard) shorten(t *word, ran uint64, w int) uint64 {
	e := s.e
	more := ran & t.long
	for set := more; set != 0; set &= set - 1 {
		l := &e.lanes[e.out[w<<6+bits.TrailingZeros64(set)].owner]
		if l.left = countdown.Rest(l.left); countdown.Reports(l.left) == 0 {
			t.long &^= set & -set
		}
	}
	return ran &^ more
}

// tail notes that the first worm of lane i has left it: a bit of word t. Inlined it would take registers from the loop of
// report.
//
//go:noinline
func (s *shard) tail(t *word, bit uint64, i int32) {
	if t.tails |= bit; t.live == 0 {
		s.enliven(t, i)
	}
	if t.busy &^= bit &^ t.queued; t.busy&bit != 0 {
		s.follows = append(s.follows, i)
	}
}

// release frees the outputs of word w whose worms have ended, and lets heads that wait for them or come to the front of
// their lanes ask for outputs.
func (s *shard) release(t *word, ran uint64, w int) {
	t.flowing &^= ran
	t.straight &^= ran
	t.owned &^= ran
	for set := ran & t.wanted; set != 0; set &= set - 1 {
		k := bits.TrailingZeros64(set) & 63
		s.choose(int32(w<<6+k), &s.e.out[w<<6+k], t)
	}
	if len(s.follows) > 0 {
		for _, i := range s.follows {
			s.follow(i, &s.e.lanes[i])
		}
		s.follows = s.follows[:0]
	}
}

// follow lets the next worm of a lane come to its front.
func (s *shard) follow(i int32, l *lane) {
	k := l.more
	q := &s.queue[k]
	l.worm, l.way, l.left, l.more = q.worm, q.way, q.left, q.next
	q.next, s.free = s.free, k
	if l.more < 0 {
		s.e.words[i>>6].queued &^= 1 << (i & 63)
	}
	s.request(i, l)
}

// settle counts the flits of buffers that gained or lost one, and empties the injection registers
// that lost theirs. What advance changed is complete, in all shards.
func (s *shard) settle() {
	s.outbox.rooms = s.outbox.rooms[:0]
	s.receive()
	s.count()
	s.draw()
}

// count works on 64 buffers at once.
func (s *shard) count() {
	e := s.e
	for b, block := range s.links.inputs {
		for ; block != 0; block &= block - 1 {
			at := b<<6 + bits.TrailingZeros64(block)
			w := s.links.first + at
			t := &e.words[w]
			arriving, leaving := t.arriving, t.leaving
			heads, tails := t.heads, t.tails
			t.arriving, t.leaving = arriving&^t.ending, leaving&^tails
			t.heads, t.ending, t.tails = 0, 0, 0
			if t.arriving == t.leaving { // until something changes
				t.live = 0
				s.links.inputs.Clear(int32(at))
			}
			if arriving == leaving {
				continue
			}
			c := e.levels.count(w, arriving&^leaving, leaving&^arriving)
			rooms, offers := c.filled|c.relieved, c.emptied&^tails|c.refilled&^heads
			if rooms|offers == 0 {
				continue
			}
			x := &e.words[w^e.pair]
			near, straight := x.before(rooms), offers&x.straight
			x.room ^= near
			x.offered ^= straight
			if alone := rooms &^ x.ahead(near); alone != 0 {
				s.turnRooms(alone, w)
			}
			if alone := offers &^ straight; alone != 0 {
				s.turnOffers(alone, w)
			}
		}
	}
}

// draw empties the injection registers that lost their flits.
func (s *shard) draw() {
	e := s.e
	first := s.ejects.first - int(e.base>>6)
	for b, block := range s.ejects.inputs {
		for ; block != 0; block &= block - 1 {
			at := b<<6 + bits.TrailingZeros64(block)
			t := &e.words[s.ejects.first+at]
			if t.leaving == 0 {
				t.live = 0
				s.ejects.inputs.Clear(int32(at))
				continue
			}
			if e.shift == 0 {
				e.filled[first+at] &^= t.leaving
			} else {
				e.empty((first+at)<<6, t.leaving)
			}
			t.leaving &^= t.tails
			t.tails = 0
		}
	}
}

// empty empties the registers of lanes, counted from the base, of a word.
func (e *streaming) empty(first int, lanes uint64) {
	for ; lanes != 0; lanes &= lanes - 1 {
		e.filled.Clear(int32((first + bits.TrailingZeros64(lanes)) >> e.shift))
	}
}

// turnRooms notes the buffers of word w that were filled, or have room again. (The output that leads
// into input i has the number of the input behind output i, since links have two directions.)
func (s *shard) turnRooms(turned uint64, w int) {
	e := s.e
	for ; turned != 0; turned &= turned - 1 {
		o := e.out[w<<6+bits.TrailingZeros64(turned)].behind
		if s.has(o) {
			s.turnRoom(o)
		} else {
			s.outbox.rooms = append(s.outbox.rooms, o)
		}
	}
}

// turnOffers notes the worms whose flits ran out before the tail, or came again, in lanes of word w.
func (s *shard) turnOffers(turned uint64, w int) {
	for ; turned != 0; turned &= turned - 1 {
		o := s.e.lanes[w<<6+bits.TrailingZeros64(turned)].out
		t := &s.e.words[o>>6]
		t.offered ^= 1 << (o & 63)
	}
}

// turnRoom notes that there is room behind a link output-VC, or no more.
func (s *shard) turnRoom(o int32) {
	t := &s.e.words[o>>6]
	t.room ^= 1 << (o & 63)
}

// end notes that a tail comes to link lane i.
func (s *shard) end(i int32) {
	t := &s.e.words[i>>6]
	if t.ending |= 1 << (i & 63); t.live == 0 {
		s.enliven(t, i)
	}
}

// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"
)

// This file is what observers see of the streaming engine.

// owns reports whether lane i owns output-VC o, which its worm wants.
func (e *streaming) owns(i, o int32) bool {
	return e.words[o>>6].owned>>(o&63)&1 != 0 && e.out[o].owner == i
}

// rest returns how many flits of the first worm have still to leave lane i.
func (e *streaming) rest(i int32) uint32 {
	l := &e.lanes[i]
	if !e.owns(i, l.out) {
		return l.left
	}
	return e.words[l.out>>6].left.Left(l.out, l.left)
}

func (e *streaming) front(i int32) (Flit, bool) {
	if i < e.linkInputs && e.held(i) == 0 || i >= e.linkInputs && !e.filled.Has(i-e.linkInputs) {
		return Flit{}, false
	}
	l := &e.lanes[e.lane(i)]
	w := e.Worm(l.worm)
	left := e.rest(e.lane(i))
	f := Flit{Worm: l.worm, Seq: w.Length - left, Hop: l.way >> wayBits, VC: e.vcAt(i, w)}
	if f.Seq == 0 {
		f.Flags = Head
	}
	if left == 1 {
		f.Flags |= Tail
	}
	return f, true
}

// outputs ranges over the words of a part of all sections that have live outputs.
func (e *streaming) outputs(part func(*shard) *section, yield func(w int, t *word) bool) {
	for _, s := range e.shards {
		p := part(s)
		for b := range p.outputs {
			for block := p.outputs[b]; block != 0; block &= block - 1 {
				w := p.first + b<<6 + bits.TrailingZeros64(block)
				if !yield(w, &e.words[w]) {
					return
				}
			}
		}
	}
}

func ofLinks(s *shard) *section  { return &s.links }
func ofEjects(s *shard) *section { return &s.ejects }

// show ranges over the offers of the cycle.
func (e *streaming) show(yield func(Offer) bool) {
	more := true
	all := func(w int, set uint64, fired bool) bool {
		for ; set != 0 && more; set &= set - 1 {
			o := int32(w<<6 + bits.TrailingZeros64(set))
			i := e.input(e.out[o].owner)
			f, _ := e.front(i)
			if o < e.base {
				o = e.input(o)
			} else {
				o += e.linkInputs - e.base
			}
			more = yield(e.view(o, i, f, fired))
		}
		return more
	}
	fired := func(w int, t *word) bool { return all(w, t.crossing, true) }
	e.outputs(ofEjects, fired)
	e.outputs(ofLinks, fired)
	if e.keepBlocked {
		e.outputs(ofLinks, func(w int, t *word) bool { return all(w, t.blocked, false) })
	}
}

func (e *streaming) deliveries(list []Delivery) []Delivery {
	e.outputs(ofEjects, func(w int, t *word) bool {
		for set := t.crossing; set != 0; set &= set - 1 {
			o := int32(w<<6 + bits.TrailingZeros64(set))
			i := e.input(e.out[o].owner)
			chip := e.chipOf(i)
			f, _ := e.front(i)
			list = append(list, Delivery{NodeID(chip), (o-e.base)>>e.shift - e.channelBase[chip], f})
		}
		return true
	})
	return list
}

func (e *streaming) tails(worms []uint32) []uint32 {
	if e.early != e.now {
		for _, s := range e.shards {
			worms = s.tails(worms)
		}
		return worms
	}
	for _, s := range e.shards {
		worms = append(worms, s.ending...)
	}
	return worms
}

// tails appends the worms of the shard whose tails PEs take.
func (s *shard) tails(worms []uint32) []uint32 {
	e := s.e
	for b, block := range s.ejects.outputs {
		for ; block != 0; block &= block - 1 {
			w := s.ejects.first + b<<6 + bits.TrailingZeros64(block)
			t := &e.words[w]
			for set := t.crossing & t.left.Due() &^ t.long; set != 0; set &= set - 1 {
				worms = append(worms, e.lanes[e.out[w<<6+bits.TrailingZeros64(set)].owner].worm)
			}
		}
	}
	return worms
}

func (e *streaming) landing(worms []uint32) []uint32 {
	e.outputs(ofEjects, func(w int, t *word) bool {
		for set := t.crossing & t.fresh; set != 0; set &= set - 1 {
			worms = append(worms, e.lanes[e.out[w<<6+bits.TrailingZeros64(set)].owner].worm)
		}
		return true
	})
	return worms
}

func (e *streaming) filling(list []Buffer) []Buffer {
	e.outputs(ofLinks, func(w int, t *word) bool {
		for set := t.crossing; set != 0; set &= set - 1 {
			list = append(list, Buffer(e.input(e.out[w<<6+bits.TrailingZeros64(set)].behind)))
		}
		return true
	})
	return list
}

func (e *streaming) moved() int {
	moved := 0
	for _, s := range e.shards {
		moved += s.ejected + s.moved
	}
	return moved
}

func (e *streaming) crossing() bool {
	for _, s := range e.shards {
		if s.moved > 0 {
			return true
		}
	}
	return false
}

func (e *streaming) waitsFor(i int32) (int32, Reason) {
	o := e.lanes[e.lane(i)].out
	if _, ok := e.front(i); !ok {
		return -1, ""
	}
	if e.words[o>>6].owned>>(o&63)&1 == 0 {
		return -1, ""
	}
	if owner := e.out[o].owner; owner != e.lane(i) {
		return e.input(owner), ForClaim
	}
	if o >= e.base || e.levels.at(e.out[o].behind) < e.cfg.Buffer {
		return -1, ""
	}
	return e.input(e.out[o].behind), ForRoom
}

func (e *streaming) held(i int32) int { return e.levels.at(e.lane(i)) }

func (e *streaming) underway() int { return 0 }

// crossed counts worms from their heads on, without those of their flits that have still to cross.
func (e *streaming) crossed(port int32) uint64 {
	sum := uint64(0)
	port = e.order.of(port)
	for o := port << e.shift; o < (port+1)<<e.shift; o++ {
		sum += uint64(e.out[o].carried)
		if t := &e.words[o>>6]; (t.owned&^t.fresh)>>(o&63)&1 != 0 {
			sum -= uint64(e.rest(e.out[o].owner))
		}
	}
	return sum
}

// blockedSince returns all cycles: the bank's own counters have none.
func (e *streaming) blockedSince(port int32) uint64 {
	port = e.order.of(port)
	sum := e.waits.at(port)
	for o := port << e.shift; o < (port+1)<<e.shift; o++ {
		sum += e.words[o>>6].waited.at(o)
	}
	return sum
}

// learn implements learner.
func (e *streaming) learn(o, in int32) {
	o = e.output(o)
	if out, t := &e.out[o], &e.words[o>>6]; t.bound>>(o&63)&1 != 0 {
		e.lanes[out.owner].next, out.waiting = out.waiting, out.owner
		t.wanted |= 1 << (o & 63)
		out.owner = e.lane(in)
		s := e.shardOfLink
		if o >= e.base {
			s = e.shardOf
		}
		s(o).choose(o, out, t) // now that the last owner is known
	} else {
		out.owner = e.lane(in)
	}
	if e.shift > 0 {
		next := &e.turns.next[o>>6]
		*next = e.turns.after(*next, 1<<(o&63))
	}
}

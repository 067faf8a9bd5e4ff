// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// This file decides which flits cross in the reference engine.

// offer is a flit that an output port shows to the other end of its link.
type offer struct {
	in, out int32
	ready   bool // there is room for it
	next    int32
}

// offerList holds the offers of a cycle and, for single-port chips, those that
// arrive at the same chip as linked lists.
type offerList struct {
	list   []offer
	atChip []int32 // first offer to each chip, -1: none
	chips  []int32 // the chips with offers
}

func newOfferList(chips int) offerList {
	l := offerList{atChip: make([]int32, chips)}
	for n := range l.atChip {
		l.atChip[n] = -1
	}
	return l
}

// eject: each ejection channel takes one flit, from its virtual
// channels in turn. Where a claim takes a cycle, heads claim behind the offers.
func (e *reference) eject() int {
	if !e.cfg.Claims {
		e.claimOutputs(&e.ejects)
	}
	vcs := e.cfg.VCs
	clear(e.ejects.crossing)
	next := 0 // first output-VC not looked at
	for w, word := range e.ejects.owned {
		for word = from(next, w, word); word != 0; word = from(next, w, word) {
			k := w<<6 + bits.TrailingZeros64(word)
			channel := k / vcs
			port := e.ports + channel
			chip := e.chipOf(e.linkInputs + int32(channel))
			resting := e.resting(port) || e.chip != nil && e.cfg.HalfDuplex && e.now < e.chip[chip].inject
			pick, _ := e.pickVC(port, resting, &e.ejects)
			next = (channel + 1) * vcs
			if pick < 0 {
				continue
			}
			e.ejects.crossing.Set(pick - e.ejects.first)
			e.startRest(port)
			e.turn(port, pick)
			if e.cfg.HalfDuplex {
				e.chip[chip].eject = e.now + Cycle(e.cfg.Flit)
			}
		}
	}
	if e.cfg.Claims {
		e.claimOutputs(&e.ejects)
	}
	return e.ejects.crossing.Size()
}

// link lets each chip offer, then each chip take.
func (e *reference) link() {
	if !e.cfg.Claims {
		e.claimLinks()
	}
	e.offer()
	if e.cfg.Claims {
		e.claimLinks()
	}
	if e.cfg.SinglePort {
		e.sendOne()
		e.takeOne()
	}
	e.settleOffers()
}

// claimLinks gives free link outputs to heads.
func (e *reference) claimLinks() {
	if e.chooses() {
		e.choose()
		return
	}
	e.claimOutputs(&e.links)
}

// offer lists the flits that ports show: of the worms that own their output.
func (e *reference) offer() {
	list := &e.offers
	list.list = list.list[:0]
	vcs := e.cfg.VCs
	next := 0 // first output-VC not looked at
	for w, word := range e.links.owned {
		for word = from(next, w, word); word != 0; word = from(next, w, word) {
			port := (w<<6 + bits.TrailingZeros64(word)) / vcs
			next = (port + 1) * vcs
			chip := e.chipOf(int32(port * vcs))
			resting := e.resting(port) || e.cfg.SinglePort && e.now < e.chip[chip].send
			if pick, ready := e.pickVC(port, resting, &e.links); pick >= 0 {
				list.list = append(list.list, offer{in: e.out[pick].owner, out: pick, ready: ready, next: -1})
			}
		}
	}
}

// from returns the numbers of word w that are at or after first. (The virtual
// channels of a port may lie in two words; the port is looked at once.)
func from(first int, w int, word uint64) uint64 {
	switch {
	case first <= w<<6:
		return word
	case first >= (w+1)<<6:
		return 0
	}
	return word >> (first & 63) << (first & 63)
}

func (e *reference) resting(port int) bool { return e.rest != nil && e.now < e.rest[port] }

func (e *reference) startRest(port int) {
	if e.rest != nil {
		e.rest[port] = e.now + e.flit(port)
	}
}

// flit is for how long a flit occupies the link of a port, or an ejection channel: a port behind those of all links.
func (e *reference) flit(port int) Cycle {
	if port < len(e.cfg.Flits) {
		return Cycle(e.cfg.Flits[port])
	}
	return Cycle(e.cfg.Flit)
}

// turn gives the highest priority to the virtual channel after the virtual channel that just
// sent.
func (e *reference) turn(port int, pick int32) {
	if e.vcNext == nil {
		return
	}
	vc := int(pick) - port*e.cfg.VCs + 1
	if vc == e.cfg.VCs {
		vc = 0
	}
	e.vcNext[port] = uint8(vc)
}

// pickVC picks the virtual channel whose flit a port offers: round robin among
// those with room, else among all with a flit. It returns -1 when there is
// none, or when the port rests.
func (e *reference) pickVC(port int, resting bool, side *outputs) (pick int32, ready bool) {
	if resting {
		return -1, false
	}
	vcs := e.cfg.VCs
	start := 0
	if e.vcNext != nil {
		start = int(e.vcNext[port])
	}
	pick = -1
	for k := range vcs {
		vc := start + k
		if vc >= vcs {
			vc -= vcs
		}
		o := int32(port*vcs + vc)
		if !side.owned.Has(o - side.first) {
			continue
		}
		owner := e.out[o].owner
		if e.in[owner].count == 0 || e.muted(owner) {
			continue
		}
		if e.room(o) {
			return o, true
		}
		if pick < 0 {
			pick = o
		}
	}
	return pick, false
}

// muted reports whether input i is an injection register of a half-duplex PE
// that receives in this cycle, or that has one channel and still sends the flit before.
func (e *reference) muted(i int32) bool {
	if !e.cfg.HalfDuplex || i < e.linkInputs {
		return false
	}
	n := e.chipOf(i)
	rests := &e.chip[n]
	return e.now < rests.eject || e.now < rests.inject && e.channelBase[n+1]-e.channelBase[n] == 1
}

// room reports whether the buffer behind output-VC o can take a flit.
func (e *reference) room(o int32) bool {
	if o >= e.linkInputs {
		return true
	}
	to := e.behind[o]
	held := int(e.in[to].count)
	if e.transit != nil {
		held += int(e.transit[to])
	}
	return held < e.cfg.Buffer
}

// sendOne leaves each chip one offer: round robin among its ports whose
// offers have room behind the link, else among all. Offers of a chip are
// neighbours in the list.
func (e *reference) sendOne() {
	list := e.offers.list
	kept := 0
	for i := 0; i < len(list); {
		chip := e.chipOf(list[i].out)
		base := e.cfg.PortBase[chip]
		size := e.cfg.PortBase[chip+1] - base
		best, bestRank := -1, 2*size
		for ; i < len(list) && e.chipOf(list[i].out) == chip; i++ {
			rank := turnDistance(list[i].out/int32(e.cfg.VCs)-base, e.sendPtr[chip], size)
			if !list[i].ready {
				rank += size
			}
			if rank < bestRank {
				best, bestRank = i, rank
			}
		}
		list[kept] = list[best]
		kept++
	}
	e.offers.list = list[:kept]
}

// takeOne strips all but one of the ready offers to each chip of their
// readiness: round robin among the chip's input ports.
func (e *reference) takeOne() {
	l := &e.offers
	l.chips = l.chips[:0]
	for i := range l.list {
		o := &l.list[i]
		if !o.ready {
			continue
		}
		chip := e.chipOf(e.behind[o.out])
		if o.next = l.atChip[chip]; o.next < 0 {
			l.chips = append(l.chips, chip)
		}
		l.atChip[chip] = int32(i)
	}
	for _, chip := range l.chips {
		e.takeAt(chip)
		l.atChip[chip] = -1
	}
}

func (e *reference) takeAt(chip int32) {
	l := &e.offers
	base := e.cfg.PortBase[chip]
	size := e.cfg.PortBase[chip+1] - base
	best, bestRank := int32(-1), size
	for i := l.atChip[chip]; i >= 0; i = l.list[i].next {
		l.list[i].ready = false
		peer := e.cfg.Peer[int(l.list[i].out)/e.cfg.VCs]
		if rank := turnDistance(peer-base, e.takePtr[chip], size); rank < bestRank {
			best, bestRank = i, rank
		}
	}
	if e.now >= e.chip[chip].take {
		l.list[best].ready = true
	}
}

// turnDistance is how far a round-robin pointer is from position at.
func turnDistance(at, pointer, size int32) int32 {
	if at -= pointer; at < 0 {
		at += size
	}
	return at
}

// settleOffers lets ready offers cross and counts the others as blocked.
func (e *reference) settleOffers() {
	clear(e.links.crossing)
	clear(e.links.blocked)
	for i := range e.offers.list {
		o := &e.offers.list[i]
		port := int(o.out) / e.cfg.VCs
		if !o.ready {
			e.blocked.add(int32(port), 1)
			e.links.blocked.Set(o.out)
			continue
		}
		e.links.crossing.Set(o.out)
		e.startRest(port)
		e.turn(port, o.out)
		e.settleChips(o.in, port)
	}
}

// settleChips starts the rests of the chips at both ends of a crossing and
// turns their pointers.
func (e *reference) settleChips(in int32, port int) {
	if e.chip == nil {
		return
	}
	until := e.now + e.flit(port)
	if e.cfg.HalfDuplex && in >= e.linkInputs {
		rests := &e.chip[e.chipOf(in)]
		rests.inject = max(rests.inject, until)
	}
	if !e.cfg.SinglePort {
		return
	}
	from, to := e.turnChips(port)
	e.chip[from].send, e.chip[to].take = until, until
}

// turnChips turns the pointers of the chips at both ends of a link with single ports, and
// returns the chips.
func (e *reference) turnChips(port int) (from, to int32) {
	peer := e.cfg.Peer[port]
	from, to = e.portChip(int32(port)), e.portChip(peer)
	e.sendPtr[from] = following(int32(port)-e.cfg.PortBase[from], e.cfg.PortBase[from+1]-e.cfg.PortBase[from])
	e.takePtr[to] = following(peer-e.cfg.PortBase[to], e.cfg.PortBase[to+1]-e.cfg.PortBase[to])
	return from, to
}

// learn implements learner.
func (e *reference) learn(o, in int32) {
	e.out[o].pointer = in + 1
	port := int(o) / e.cfg.VCs
	e.turn(port, o)
	if e.cfg.SinglePort && o < e.linkInputs {
		e.turnChips(port)
	}
}

func following(at, size int32) int32 {
	if at+1 == size {
		return 0
	}
	return at + 1
}

// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// This file is the evaluation of machines with any mix of virtual channels,
// link timing, single ports and half duplex. Its rules, on the machines that
// linksStreaming handles, are the same.

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

// ejectGeneral: each ejection channel takes one flit, from its virtual
// channels in turn.
func (b *Bank) ejectGeneral() {
	vcs := b.cfg.VCs
	clear(b.ejects.crossing)
	next := 0 // first output-VC not looked at
	for w, word := range b.ejects.owned {
		for word = from(next, w, word); word != 0; word = from(next, w, word) {
			k := w<<6 + bits.TrailingZeros64(word)
			channel := k / vcs
			port := b.ports + channel
			chip := b.chipAt[int(b.linkInputs)+channel]
			resting := b.resting(port) || b.chip != nil && b.cfg.HalfDuplex && b.now < b.chip[chip].inject
			pick, _ := b.pickVC(port, resting, &b.ejects)
			next = (channel + 1) * vcs
			if pick < 0 {
				continue
			}
			b.ejects.crossing.Set(pick - b.ejects.first)
			b.startRest(port)
			b.turn(port, pick)
			if b.cfg.HalfDuplex {
				b.chip[chip].eject = b.now + Cycle(b.cfg.Flit)
			}
		}
	}
}

// linksGeneral lets each chip offer, then each chip take.
func (b *Bank) linksGeneral() {
	list := &b.offers
	list.list = list.list[:0]
	vcs := b.cfg.VCs
	next := 0 // first output-VC not looked at
	for w, word := range b.links.owned {
		for word = from(next, w, word); word != 0; word = from(next, w, word) {
			port := (w<<6 + bits.TrailingZeros64(word)) / vcs
			next = (port + 1) * vcs
			chip := b.chipAt[port*vcs]
			resting := b.resting(port) || b.cfg.SinglePort && b.now < b.chip[chip].send
			if pick, ready := b.pickVC(port, resting, &b.links); pick >= 0 {
				list.list = append(list.list, offer{in: b.out[pick].owner, out: pick, ready: ready, next: -1})
			}
		}
	}
	if b.cfg.SinglePort {
		b.sendOne()
		b.takeOne()
	}
	b.settleOffers()
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

func (b *Bank) resting(port int) bool { return b.rest != nil && b.now < b.rest[port] }

func (b *Bank) startRest(port int) {
	if b.rest != nil {
		b.rest[port] = b.now + Cycle(b.cfg.Flit)
	}
}

// turn gives the highest priority to the virtual channel after the virtual channel that just
// sent.
func (b *Bank) turn(port int, pick int32) {
	if b.vcNext == nil {
		return
	}
	vc := int(pick) - port*b.cfg.VCs + 1
	if vc == b.cfg.VCs {
		vc = 0
	}
	b.vcNext[port] = uint8(vc)
}

// pickVC picks the virtual channel whose flit a port offers: round robin among
// those with room, else among all with a flit. It returns -1 when there is
// none, or when the port rests.
func (b *Bank) pickVC(port int, resting bool, side *outputs) (pick int32, ready bool) {
	if resting {
		return -1, false
	}
	vcs := b.cfg.VCs
	start := 0
	if b.vcNext != nil {
		start = int(b.vcNext[port])
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
		owner := b.out[o].owner
		if b.in[owner].count == 0 || b.muted(owner) {
			continue
		}
		if b.room(o) {
			return o, true
		}
		if pick < 0 {
			pick = o
		}
	}
	return pick, false
}

// muted reports whether input i is an injection register of a half-duplex PE
// that receives in this cycle.
func (b *Bank) muted(i int32) bool {
	return b.cfg.HalfDuplex && i >= b.linkInputs && b.now < b.chip[b.chipAt[i]].eject
}

// room reports whether the buffer behind output-VC o can take a flit.
func (b *Bank) room(o int32) bool {
	if o >= b.linkInputs {
		return true
	}
	to := b.behind[o]
	held := b.held(to)
	if b.transit != nil {
		held += int(b.transit[to])
	}
	return held < b.cfg.Buffer
}

// sendOne leaves each chip one offer: round robin among its ports whose
// offers have room behind the link, else among all. Offers of a chip are
// neighbours in the list.
func (b *Bank) sendOne() {
	list := b.offers.list
	kept := 0
	for i := 0; i < len(list); {
		chip := b.chipAt[list[i].out]
		base := b.cfg.PortBase[chip]
		size := b.cfg.PortBase[chip+1] - base
		best, bestRank := -1, 2*size
		for ; i < len(list) && b.chipAt[list[i].out] == chip; i++ {
			rank := turnDistance(list[i].out/int32(b.cfg.VCs)-base, b.sendPtr[chip], size)
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
	b.offers.list = list[:kept]
}

// takeOne strips all but one of the ready offers to each chip of their
// readiness: round robin among the chip's input ports.
func (b *Bank) takeOne() {
	l := &b.offers
	l.chips = l.chips[:0]
	for i := range l.list {
		o := &l.list[i]
		if !o.ready {
			continue
		}
		chip := b.chipAt[b.behind[o.out]]
		if o.next = l.atChip[chip]; o.next < 0 {
			l.chips = append(l.chips, chip)
		}
		l.atChip[chip] = int32(i)
	}
	for _, chip := range l.chips {
		b.takeAt(chip)
		l.atChip[chip] = -1
	}
}

func (b *Bank) takeAt(chip int32) {
	l := &b.offers
	base := b.cfg.PortBase[chip]
	size := b.cfg.PortBase[chip+1] - base
	best, bestRank := int32(-1), size
	for i := l.atChip[chip]; i >= 0; i = l.list[i].next {
		l.list[i].ready = false
		peer := b.cfg.Peer[int(l.list[i].out)/b.cfg.VCs]
		if rank := turnDistance(peer-base, b.takePtr[chip], size); rank < bestRank {
			best, bestRank = i, rank
		}
	}
	if b.now >= b.chip[chip].take {
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
func (b *Bank) settleOffers() {
	clear(b.links.crossing)
	clear(b.links.blocked)
	for i := range b.offers.list {
		o := &b.offers.list[i]
		port := int(o.out) / b.cfg.VCs
		if !o.ready {
			b.Blocked[port]++
			b.links.blocked.Set(o.out)
			continue
		}
		b.links.crossing.Set(o.out)
		b.startRest(port)
		b.turn(port, o.out)
		b.settleChips(o.in, port)
	}
}

// settleChips starts the rests of the chips at both ends of a crossing and
// turns their pointers.
func (b *Bank) settleChips(in int32, port int) {
	until := b.now + Cycle(b.cfg.Flit)
	if b.cfg.HalfDuplex && in >= b.linkInputs {
		b.chip[b.chipAt[in]].inject = until
	}
	if !b.cfg.SinglePort {
		return
	}
	peer := b.cfg.Peer[port]
	from, to := b.portChip(int32(port)), b.portChip(peer)
	b.chip[from].send, b.chip[to].take = until, until
	b.sendPtr[from] = following(int32(port)-b.cfg.PortBase[from], b.cfg.PortBase[from+1]-b.cfg.PortBase[from])
	b.takePtr[to] = following(peer-b.cfg.PortBase[to], b.cfg.PortBase[to+1]-b.cfg.PortBase[to])
}

func following(at, size int32) int32 {
	if at+1 == size {
		return 0
	}
	return at + 1
}

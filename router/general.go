// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// This file is the evaluation of machines with any mix of virtual channels,
// link timing, single ports and half duplex. Its rules, on the machines that
// linksPlain handles, are the same.

// offer is a flit that an output port shows to the other end of its link.
type offer struct {
	in, out int32
	ready   bool // there is room for it
	fired   bool // it crosses
	next    int32
}

// offerList holds the offers of a cycle and, for single-port chips, those that
// arrive at the same chip as linked lists.
type offerList struct {
	keep   bool // list blocked offers for observers
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

func (l *offerList) add(in, out int32, fired bool) {
	l.list = append(l.list, offer{in: in, out: out, fired: fired})
}

// ejectGeneral: each ejection channel takes one flit, from its virtual
// channels in turn.
func (b *Bank) ejectGeneral() {
	vcs := b.cfg.VCs
	for w, word := range b.wantEject {
		for word != 0 {
			k := w<<6 + bits.TrailingZeros64(word)
			channel := k / vcs
			port := b.ports + channel
			chip := b.channelChip[channel]
			resting := b.resting(port) || b.chip != nil && b.cfg.HalfDuplex && b.now < b.chip[chip].inject
			pick, _ := b.pickVC(port, resting, b.wantEject, channel)
			word = clearPort(word, w, (channel+1)*vcs)
			if pick < 0 {
				continue
			}
			b.moves = append(b.moves, move{b.out[pick].owner, pick})
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
	vcs := b.cfg.VCs
	for w, word := range b.wantLink {
		for word != 0 {
			port := (w<<6 + bits.TrailingZeros64(word)) / vcs
			word = clearPort(word, w, (port+1)*vcs)
			chip := b.portChip[port]
			resting := b.resting(port) || b.cfg.SinglePort && b.now < b.chip[chip].send
			if pick, ready := b.pickVC(port, resting, b.wantLink, port); pick >= 0 {
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

// clearPort removes the numbers below end from what is left of word w.
func clearPort(word uint64, w, end int) uint64 {
	if end >= (w+1)<<6 {
		return 0
	}
	return word >> (end & 63) << (end & 63)
}

func (b *Bank) resting(port int) bool { return b.rest != nil && b.now < b.rest[port] }

func (b *Bank) startRest(port int) {
	if b.rest != nil {
		b.rest[port] = b.now + Cycle(b.cfg.Flit)
	}
}

// turn gives the virtual channel after the one that just sent the highest priority.
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

// pickVC claims free output-VCs of a port and picks the one whose flit it
// offers: round robin among those with room, else among all with a flit.
// It returns -1 when there is none, or when the port rests. want holds the
// port's output-VCs at index at*VCs.
func (b *Bank) pickVC(port int, resting bool, want bitset, at int) (pick int32, ready bool) {
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
		if !want.has(at*vcs + vc) {
			continue
		}
		o := int32(port*vcs + vc)
		out := &b.out[o]
		if out.owner < 0 {
			b.claim(out)
		}
		if ready || resting || b.in[out.owner].count == 0 || b.muted(out.owner) {
			continue
		}
		if room := b.room(o); pick < 0 || room {
			pick, ready = o, room
		}
	}
	return pick, ready
}

// muted reports whether input i is an injection register of a half-duplex PE
// that receives in this cycle.
func (b *Bank) muted(i int32) bool {
	return b.cfg.HalfDuplex && i >= b.linkInputs && b.now < b.chip[b.channelChip[i-b.linkInputs]].eject
}

// room reports whether the buffer behind output-VC o can take a flit.
func (b *Bank) room(o int32) bool {
	if o >= b.linkInputs {
		return true
	}
	port := int(o) / b.cfg.VCs
	to := int(b.cfg.Peer[port])*b.cfg.VCs + int(o) - port*b.cfg.VCs
	held := b.in[to].count
	if b.transit != nil {
		held += b.transit[to]
	}
	return int(held) < b.cfg.Buffer
}

// sendOne leaves each chip one offer: round robin among its ports whose
// offers have room behind the link, else among all. Offers of a chip are
// neighbours in the list.
func (b *Bank) sendOne() {
	list := b.offers.list
	kept := 0
	for i := 0; i < len(list); {
		chip := b.portChip[int(list[i].out)/b.cfg.VCs]
		base := b.cfg.PortBase[chip]
		size := b.cfg.PortBase[chip+1] - base
		best, bestRank := -1, 2*size
		for ; i < len(list) && b.portChip[int(list[i].out)/b.cfg.VCs] == chip; i++ {
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
		chip := b.portChip[b.cfg.Peer[int(o.out)/b.cfg.VCs]]
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

// settleOffers turns ready offers into moves and counts the others as blocked.
func (b *Bank) settleOffers() {
	for i := range b.offers.list {
		o := &b.offers.list[i]
		port := int(o.out) / b.cfg.VCs
		if !o.ready {
			b.Blocked[port]++
			continue
		}
		o.fired = true
		b.moves = append(b.moves, move{o.in, o.out})
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
		b.chip[b.channelChip[in-b.linkInputs]].inject = until
	}
	if !b.cfg.SinglePort {
		return
	}
	from, peer := b.portChip[port], b.cfg.Peer[port]
	to := b.portChip[peer]
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

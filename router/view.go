// SPDX-License-Identifier: Apache-2.0

package router

import "iter"

// This file is what observers see of a bank.

// Offer is a flit that an output shows in a cycle, for observers.
type Offer struct {
	Node  NodeID
	Port  Port  // output port: link ports first, then ejection channels
	Input int32 // the chip's input it comes from, in arbiter order
	Flit  Flit  // as it is at the chip; VC already that of the output
	Fired bool  // it crosses in this cycle; otherwise it is blocked
}

// KeepBlocked makes Offers include flits that are offered and do not cross.
func (b *Bank) KeepBlocked() { b.keepBlocked = true }

// Offers calls yield for every offer of the cycle, ejections first. It is
// valid between EvaluateLinks and Update.
func (b *Bank) Offers(yield func(Offer) bool) { b.engine.show(yield) }

// Occupancy returns the flits in the buffer of a link port's virtual channel.
func (b *Bank) Occupancy(n NodeID, p Port, vc VC) int {
	return b.engine.held((b.cfg.PortBase[n]+int32(p))*int32(b.cfg.VCs) + int32(vc))
}

// Buffer is the buffer of one virtual channel of a link port, of any chip.
type Buffer int32

// AppendFilling appends the buffers that get the flits which cross links in
// this cycle, a hop later. It is valid when Offers is, and cheaper.
func (b *Bank) AppendFilling(list []Buffer) []Buffer { return b.engine.filling(list) }

// HopInto returns the cycles of a hop into a buffer.
func (b *Bank) HopInto(f Buffer) int {
	if b.cfg.Hops == nil {
		return b.cfg.Hop
	}
	return int(b.cfg.Hops[b.cfg.Peer[int(f)/b.cfg.VCs]])
}

// RestsUntil returns the first cycle in which the link of a port may take a flit again, in a bank whose links have times of their own.
func (b *Bank) RestsUntil(n NodeID, p Port) Cycle {
	return b.engine.(*reference).rest[b.cfg.PortBase[n]+int32(p)]
}

// HeldIn returns the flits in a buffer.
func (b *Bank) HeldIn(f Buffer) int { return b.engine.held(int32(f)) }

// Locate returns the node and the port of a buffer.
func (b *Bank) Locate(f Buffer) (NodeID, Port) {
	port := int32(f) / int32(b.cfg.VCs)
	chip := b.portChip(port)
	return NodeID(chip), Port(port - b.cfg.PortBase[chip])
}

// Held returns the number of flits in buffers, registers and links.
func (b *Bank) Held() int {
	held := b.filled.Size() + b.engine.underway()
	for i := range b.linkInputs {
		held += b.engine.held(i)
	}
	return held
}

// Carried returns how many flits have crossed the outgoing link of a port.
func (b *Bank) Carried(n NodeID, p Port) uint64 {
	port := b.cfg.PortBase[n] + int32(p)
	return b.carried.at(port) + b.engine.crossed(port)
}

// Moved returns how many flits cross in the present cycle, ejections included.
func (b *Bank) Moved() int { return b.engine.moved() }

// Crossing reports whether a flit crosses a link in the present cycle.
func (b *Bank) Crossing() bool { return b.engine.crossing() }

// BlockedCycles returns in how many cycles a flit was offered at a link port
// and did not cross.
func (b *Bank) BlockedCycles(n NodeID, p Port) uint64 {
	port := b.cfg.PortBase[n] + int32(p)
	return b.blocked.at(port) + b.engine.blockedSince(port)
}

// Occupancies ranges over the flits that every link buffer holds now.
func (b *Bank) Occupancies() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range b.linkInputs {
			if !yield(b.engine.held(i)) {
				return
			}
		}
	}
}

// Collisions returns the first collisions with their details, and the number of all.
func (b *Bank) Collisions() ([]Collision, int) {
	if e, ok := b.engine.(*bufferless); ok {
		return e.records, e.count
	}
	return nil, 0
}

// Setups returns how many packets have paid their set-up on the outgoing link
// of a port; 0 on chips that do not switch packets.
func (b *Bank) Setups(n NodeID, p Port) uint64 {
	if e, ok := b.engine.(*packets); ok {
		return e.heads[b.cfg.PortBase[n]+int32(p)]
	}
	return 0
}

// Timed reports whether a packet is on the timetable of a link without a flit
// that crosses in the present cycle: nothing moves, and yet nothing is stuck.
func (b *Bank) Timed() bool {
	e, ok := b.engine.(*packets)
	return ok && e.timer.running > 0
}

// NextEvent returns the first cycle, from the next evaluation's on, in which
// something may happen in a bank into which nothing is placed: the present one
// where the bank does not know.
func (b *Bank) NextEvent() Cycle {
	if e, ok := b.engine.(*packets); ok {
		return e.nextEvent()
	}
	return b.now
}

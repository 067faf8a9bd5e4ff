// SPDX-License-Identifier: Apache-2.0

package router

// This file is how links lose worms. A worm is lost at a link as a whole, from
// its head on. The sender goes on as if it crossed: its flits use the link, claim
// and release the output, and on a long link keep their places in the buffer
// behind until the end of the link. The receiver's input never gets a flit.
//
//	chip -> output -> link ---x   input -> chip
//
// Chips that switch packets keep their timetable in the same way: the receiver's
// transceiver is taken until the tail has crossed.

// losses are the worms that links lose. A lost worm's slot is never used again,
// so its number tells its flits.
type losses struct {
	worms []uint32 // by link output-VC: the last worm that was lost there, plus 1; nil: no faults
	flits int      // dropped at the last update
}

// Lose makes a link lose the worm of an offer, which crosses in this cycle: this
// flit and those behind it. Call it between EvaluateLinks and Update, for a bank
// whose Config is Faulty.
func (b *Bank) Lose(o Offer) { b.losses.worms[b.linkOutput(o)] = o.Flit.Worm + 1 }

// Loses reports whether a link loses the flit of an offer.
func (b *Bank) Loses(o Offer) bool {
	return b.losses.worms != nil && b.losses.worms[b.linkOutput(o)] == o.Flit.Worm+1
}

// linkOutput returns the output-VC of an offer at a link port.
func (b *Bank) linkOutput(o Offer) int32 {
	return (b.cfg.PortBase[o.Node]+int32(o.Port))*int32(b.cfg.VCs) + int32(o.Flit.VC)
}

// markGone marks a flit that crosses link output-VC o if the link loses its worm.
func (l *losses) markGone(o int32, f *Flit) {
	if l.worms != nil && l.worms[o] == f.Worm+1 {
		f.Flags |= gone
	}
}

// SPDX-License-Identifier: Apache-2.0

package router

// This file is the cycle as the network sees it: which evaluation a machine
// takes is decided here and nowhere else.

// EvaluateEjection decides which flits the PEs take in this cycle; they are
// the result, valid until the next call. It reads registers only.
func (b *Bank) EvaluateEjection() []Delivery {
	b.moves, b.deliver, b.offers.list = b.moves[:0], b.deliver[:0], b.offers.list[:0]
	switch {
	case b.cfg.Bufferless:
		b.ejectLossy()
	case b.plain:
		b.ejectPlain()
	default:
		b.ejectGeneral()
	}
	b.ejected = len(b.moves)
	for _, m := range b.moves {
		channel := (m.out - b.linkInputs) / int32(b.cfg.VCs)
		chip := b.channelChip[channel]
		b.deliver = append(b.deliver, Delivery{NodeID(chip), channel - b.channelBase[chip], *b.front(m.in)})
	}
	return b.deliver
}

// EvaluateLinks decides which flits cross links in this cycle.
func (b *Bank) EvaluateLinks() {
	switch {
	case b.cfg.Bufferless:
		b.linksLossy()
	case b.plain:
		b.linksPlain()
	default:
		b.linksGeneral()
	}
}

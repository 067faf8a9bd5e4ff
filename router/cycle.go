// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// This file is the cycle as the network sees it: which evaluation a machine
// takes is decided here and nowhere else.

// EvaluateEjection decides which flits the PEs take in this cycle, and returns
// their number. It reads registers only.
func (b *Bank) EvaluateEjection() int {
	switch {
	case b.cfg.Packet > 0:
		return b.ejectPackets()
	case b.cfg.Bufferless:
		b.ejectBufferless()
		return len(b.bufferless.ejects)
	case b.streaming:
		b.claimEjections()
		b.ejectStreaming()
	default:
		b.claimOutputs(&b.ejects)
		b.ejectGeneral()
	}
	return b.ejects.crossing.Size()
}

// Deliveries returns the flits that the PEs take in this cycle. It is valid
// between EvaluateEjection and Update, until the next call.
func (b *Bank) Deliveries() []Delivery {
	b.deliver = b.deliver[:0]
	switch {
	case b.cfg.Packet > 0:
		b.deliver = b.appendEjected(b.deliver)
		return b.deliver
	case b.cfg.Bufferless:
		b.deliveriesBufferless()
		return b.deliver
	}
	for k := range b.ejects.crossing.All() {
		b.deliver = append(b.deliver, b.deliveryAt(k))
	}
	return b.deliver
}

// AppendTails appends the worms whose tails the PEs take in this cycle. It is
// valid when Deliveries is, and cheaper.
func (b *Bank) AppendTails(worms []uint32) []uint32 {
	if b.cfg.Packet > 0 {
		return b.appendEjectedTails(worms)
	}
	for w, word := range b.ejects.crossing {
		if b.streaming {
			word &= b.flow.ejects.left.Due(w) // the countdown of the others goes on
		}
		for ; word != 0; word &= word - 1 {
			i := b.out[b.ejects.first+int32(w<<6+bits.TrailingZeros64(word))].owner
			if b.left(i) == 1 {
				worms = append(worms, b.slots[b.slot(i, 0)].worm)
			}
		}
	}
	return worms
}

// deliveryAt returns the flit that crosses ejection output-VC k.
func (b *Bank) deliveryAt(k int32) Delivery {
	in := b.out[b.ejects.first+k].owner
	if b.cfg.VCs > 1 {
		k /= int32(b.cfg.VCs)
	}
	chip := b.chipAt[in]
	return Delivery{NodeID(chip), k - b.channelBase[chip], b.front(in)}
}

// EvaluateLinks decides which flits cross links in this cycle.
func (b *Bank) EvaluateLinks() {
	switch {
	case b.cfg.Packet > 0:
		b.linksPackets()
	case b.cfg.Bufferless:
		b.linksBufferless()
	case b.streaming:
		b.claimLinks()
		b.linksStreaming()
	default:
		b.claimOutputs(&b.links)
		b.linksGeneral()
	}
}

// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// enter appends a worm to the ring of input i, as its head arrives there.
func (b *Bank) enter(i int32, s segment) {
	in := &b.in[i]
	b.slots[b.slot(i, in.worms)] = s
	if in.worms++; in.worms == 1 {
		b.request(i, s)
	}
}

// request routes the first worm of input i, whose head stands at the front,
// and enters it into the list of those that wait for its output-VC.
func (b *Bank) request(i int32, s segment) {
	w := b.Worm(s.worm)
	o := b.outputFor(i, w, s.hop, b.vcAt(i, w))
	in, out := &b.in[i], &b.out[o]
	in.left = w.Length
	in.out, in.next = o, out.waiting
	out.waiting = i
	if out.owner >= 0 {
		return
	}
	if o < b.linkInputs {
		b.links.asking.Set(o)
	} else {
		b.ejects.asking.Set(o - b.linkInputs)
	}
}

// outputFor returns the output-VC by which a flit of worm w leaves the chip of input i.
func (b *Bank) outputFor(i int32, w *Worm, hop uint32, vc VC) int32 {
	chip := b.chipAt[i]
	vcs := int32(b.cfg.VCs)
	p := b.next(chip, w, hop)
	if p == Here {
		channel := b.channelBase[chip]
		if b.cfg.PerLink {
			channel += i/vcs - b.cfg.PortBase[chip]
		}
		return b.linkInputs + channel*vcs + int32(vc)
	}
	g := b.cfg.PortBase[chip] + int32(p)
	return g*vcs + int32(b.vcFor(i, chip, vc, g))
}

// next returns the port by which worm w leaves a chip.
func (b *Bank) next(chip int32, w *Worm, hop uint32) Port {
	if b.routes != nil {
		return Port(b.routes[int(chip)*b.chips+int(w.Destination)])
	}
	return b.cfg.Routing.Next(NodeID(chip), w, hop)
}

// vcFor applies the dateline rule: the class (lowest bit) is 0 on entering a
// dimension and 1 from the link that closes the ring on.
func (b *Bank) vcFor(i, chip int32, vc VC, g int32) VC {
	if b.cfg.CrossesRim == nil {
		return vc
	}
	if b.cfg.CrossesRim[g] {
		return vc | 1
	}
	if i < b.linkInputs {
		in := i/int32(b.cfg.VCs) - b.cfg.PortBase[chip]
		if in/2 == (g-b.cfg.PortBase[chip])/2 {
			return vc
		}
	}
	return vc &^ 1
}

// claimOutputs gives every free output-VC of one kind that heads request to
// one of them.
func (b *Bank) claimOutputs(side *outputs) {
	for w, word := range side.asking {
		side.asking[w] = 0
		side.owned[w] |= word
		side.fresh[w] |= word
		for ; word != 0; word &= word - 1 {
			b.claim(&b.out[side.first+int32(w<<6+bits.TrailingZeros64(word))])
		}
	}
}

// claim makes the first requesting input at or after the pointer the owner;
// the pointer moves past it (round robin).
func (b *Bank) claim(out *output) {
	winner, before := out.waiting, int32(-1)
	best := uint32(winner - out.pointer) // inputs before the pointer wrap around to last place
	previous := winner
	for i := b.in[winner].next; i >= 0; i = b.in[i].next {
		if distance := uint32(i - out.pointer); distance < best {
			winner, before, best = i, previous, distance
		}
		previous = i
	}
	if before < 0 {
		out.waiting = b.in[winner].next
	} else {
		b.in[before].next = b.in[winner].next
	}
	b.in[winner].next = -1
	out.owner, out.pointer = winner, winner+1
}

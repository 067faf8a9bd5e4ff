// SPDX-License-Identifier: Apache-2.0

package router

// request routes the head at the front of input i and enters it into the list
// of heads that wait for its output-VC.
func (b *Bank) request(i int32) {
	f := b.front(i)
	o := b.outputFor(i, f)
	in, out := &b.in[i], &b.out[o]
	in.out, in.next = o, out.waiting
	out.waiting = i
	if o < b.linkInputs {
		b.wantLink.set(int(o))
	} else {
		b.wantEject.set(int(o - b.linkInputs))
	}
}

// outputFor returns the output-VC by which flit f leaves the chip of input i.
func (b *Bank) outputFor(i int32, f *Flit) int32 {
	chip := b.chipOf(i)
	vcs := int32(b.cfg.VCs)
	p := b.cfg.Routing.Next(NodeID(chip), b.Worm(f.Worm), f.Hop)
	if p == Here {
		channel := b.channelBase[chip]
		if b.cfg.PerLink {
			channel += i/vcs - b.cfg.PortBase[chip]
		}
		return (int32(b.ports)+channel)*vcs + int32(f.VC)
	}
	g := b.cfg.PortBase[chip] + int32(p)
	return g*vcs + int32(b.vcFor(i, chip, f.VC, g))
}

// vcFor applies the dateline rule: the class (lowest bit) is 0 on entering a
// dimension and 1 from the link that closes the ring on.
func (b *Bank) vcFor(i, chip int32, vc VC, g int32) VC {
	if b.cfg.CrossesRim == nil || b.cfg.VCs == 1 {
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

// claim gives a free output-VC with requests to the first requesting input at
// or after the pointer, which moves past it (round robin).
func (b *Bank) claim(out *output) {
	chip := b.chipOf(out.waiting)
	size := b.arbiterSize(chip)
	winner, before, best := int32(-1), int32(-1), size
	previous := int32(-1)
	for i := out.waiting; i >= 0; i = b.in[i].next {
		distance := b.local(i, chip) - out.pointer
		if distance < 0 {
			distance += size
		}
		if distance < best {
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
	out.owner = winner
	if out.pointer = b.local(winner, chip) + 1; out.pointer == size {
		out.pointer = 0
	}
}

// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// This file is the short way for machines with one virtual channel and no
// rules beyond buffers: the hot loop of a wormhole network. Its decisions are
// those of the general evaluation, which a test holds it to.

// ejectPlain: every ejection channel with an owner or a request takes a flit.
func (b *Bank) ejectPlain() {
	for w, word := range b.wantEject {
		for ; word != 0; word &= word - 1 {
			o := b.linkInputs + int32(w<<6+bits.TrailingZeros64(word))
			out := &b.out[o]
			if out.owner < 0 {
				b.claim(out)
			}
			if b.in[out.owner].count > 0 {
				b.moves = append(b.moves, move{out.owner, o})
			}
		}
	}
}

// linksPlain is the evaluation of machines with one virtual channel and no
// further rules: an owner's flit crosses when the buffer behind the link has room.
func (b *Bank) linksPlain() {
	room := uint16(b.cfg.Buffer)
	for w, word := range b.wantLink {
		for ; word != 0; word &= word - 1 {
			o := int32(w<<6 + bits.TrailingZeros64(word))
			out := &b.out[o]
			if out.owner < 0 {
				b.claim(out)
			}
			if b.in[out.owner].count == 0 {
				continue
			}
			if b.in[b.cfg.Peer[o]].count < room {
				b.moves = append(b.moves, move{out.owner, o})
				continue
			}
			b.Blocked[o]++
			if b.offers.keep {
				b.offers.add(out.owner, o, false)
			}
		}
	}
}

// updatePlain moves each flit from the front of one ring of slots to the back
// of another.
func (b *Bank) updatePlain() {
	for _, m := range b.moves[:b.ejected] {
		b.pop(m)
	}
	in, slots, depth := b.in, b.slots, int32(b.cfg.Buffer)
	for _, m := range b.moves[b.ejected:] {
		b.Busy[m.out]++
		from := &in[m.in]
		at := m.in*depth + int32(from.first)
		if m.in < b.linkInputs {
			if from.first++; int32(from.first) == depth {
				from.first = 0
			}
		} else {
			at = b.linkInputs*depth + m.in - b.linkInputs
		}
		from.count--

		peer := b.cfg.Peer[m.out]
		to := &in[peer]
		free := int32(to.first) + int32(to.count)
		if free >= depth {
			free -= depth
		}
		to.count++
		f := slots[at]
		f.Hop++
		slots[peer*depth+free] = f
		if f.Flags == 0 {
			continue
		}
		if f.Flags&Tail != 0 {
			b.release(m.out)
			from.out = -1
			if from.count > 0 {
				b.request(m.in)
			}
		}
		if f.Flags&Head != 0 && to.count == 1 {
			b.request(peer)
		}
	}
}

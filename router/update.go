// SPDX-License-Identifier: Apache-2.0

package router

// Update carries out the cycle's decisions and moves to the next cycle.
func (b *Bank) Update() {
	switch {
	case b.cfg.Packet > 0:
		b.updatePackets()
	case b.cfg.Bufferless:
		b.updateBufferless()
	case b.streaming:
		b.updateStreaming()
	default:
		b.updateBuffers()
	}
	b.now++
}

func (b *Bank) updateBuffers() {
	if b.delay != nil {
		b.leaveDelayLines()
	}
	for k := range b.ejects.crossing.All() {
		b.pop(&b.ejects, k)
	}
	for o := range b.links.crossing.All() {
		f := b.pop(&b.links, o)
		f.Hop++
		b.markGone(o, &f)
		to := b.behind[o]
		if b.delay == nil {
			b.push(to, f)
			continue
		}
		b.transit[to]++
		at := int(b.now+Cycle(b.cfg.Hop)-1) % b.cfg.Hop
		b.delay[at] = append(b.delay[at], arrival{to, f})
	}
}

// pop counts the flit that crosses output-VC k of one kind out of its input. It returns the
// data that the next buffer needs: the worm, and whether the flit is the head.
func (b *Bank) pop(side *outputs, k int32) Flit {
	i := b.out[side.first+k].owner
	s := b.slots[b.slot(i, 0)]
	f := Flit{Worm: s.worm, Hop: s.hop}
	if side.fresh.Has(k) {
		side.fresh.Clear(k)
		f.Flags = Head
	}
	in := &b.in[i]
	in.count--
	if i >= b.linkInputs {
		b.filled.Clear(i - b.linkInputs)
	}
	if in.left--; in.left == 0 {
		b.finish(side, k)
	}
	return f
}

// finish follows a tail out of its input: the output-VC is free, and the head
// that comes to the front asks for its own.
func (b *Bank) finish(side *outputs, k int32) {
	out := &b.out[side.first+k]
	i := out.owner
	out.owner = -1
	side.owned.Clear(k)
	if out.waiting >= 0 {
		side.asking.Set(k)
	}
	in := &b.in[i]
	in.out = -1
	if side == &b.links {
		b.carried[int(k)/b.cfg.VCs] += uint64(b.Worm(b.slots[b.slot(i, 0)].worm).Length)
	}
	if i < b.linkInputs {
		if in.first++; int(in.first) == b.cfg.Buffer {
			in.first = 0
		}
	}
	if in.worms--; in.worms > 0 {
		b.request(i, b.slots[b.slot(i, 0)])
	}
}

// push appends a flit to a link input. (When the tail in front of a head leaves
// in the very cycle in which the head arrives, either push or pop comes last and
// asks for the head's output; the other finds nothing to do.) A flit that its link
// loses ends here.
func (b *Bank) push(to int32, f Flit) {
	if f.Flags&gone != 0 {
		b.losses.flits++
		return
	}
	b.in[to].count++
	if f.Flags&Head != 0 {
		b.enter(to, segment{f.Worm, f.Hop})
	}
}

// leaveDelayLines moves the flits that have crossed their links into buffers.
func (b *Bank) leaveDelayLines() {
	at := int(b.now) % b.cfg.Hop
	for _, a := range b.delay[at] {
		b.transit[a.in]--
		b.push(a.in, a.f)
	}
	b.delay[at] = b.delay[at][:0]
}

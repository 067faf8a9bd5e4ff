// SPDX-License-Identifier: Apache-2.0

package router

// Update carries out the cycle's decisions and moves to the next cycle.
func (b *Bank) Update() {
	switch {
	case b.cfg.Bufferless:
		b.updateLossy()
	case b.plain:
		b.updatePlain()
	default:
		b.updateBuffers()
	}
	b.now++
}

func (b *Bank) updateBuffers() {
	if b.delay != nil {
		b.leaveDelayLines()
	}
	for _, m := range b.moves[:b.ejected] {
		b.pop(m)
	}
	for _, m := range b.moves[b.ejected:] {
		f := b.pop(m)
		vcs := int32(b.cfg.VCs)
		port := m.out / vcs
		b.Busy[port]++
		f.Hop++
		f.VC = VC(m.out - port*vcs)
		to := b.cfg.Peer[port]*vcs + int32(f.VC)
		if b.delay == nil {
			b.push(to, f)
			continue
		}
		b.transit[to]++
		at := int(b.now+Cycle(b.cfg.Hop)-1) % b.cfg.Hop
		b.delay[at] = append(b.delay[at], arrival{to, f})
	}
}

// pop takes the flit that crosses out of its input; a tail releases the
// output-VC, and the head that comes to the front asks for its own.
func (b *Bank) pop(m move) Flit {
	in := &b.in[m.in]
	at := b.slot(m.in, 0)
	f := b.slots[at]
	if m.in < b.linkInputs {
		if in.first++; int(in.first) == b.cfg.Buffer {
			in.first = 0
		}
	}
	in.count--
	if f.Flags&Tail != 0 {
		b.release(m.out)
		in.out = -1
		if in.count > 0 {
			b.request(m.in)
		}
	}
	return f
}

// release frees an output-VC; it stays in the set of wanted ones when heads wait.
func (b *Bank) release(o int32) {
	out := &b.out[o]
	out.owner = -1
	if out.waiting >= 0 {
		return
	}
	if o < b.linkInputs {
		b.wantLink.clear(int(o))
	} else {
		b.wantEject.clear(int(o - b.linkInputs))
	}
}

// push appends a flit to a link input; a head that arrives at the front asks
// for its output. (When the flit in front of it leaves in this very cycle,
// either push or pop comes last and asks; the other finds nothing to do.)
func (b *Bank) push(to int32, f Flit) {
	in := &b.in[to]
	b.slots[b.slot(to, in.count)] = f
	in.count++
	if f.Flags&Head != 0 && in.count == 1 {
		b.request(to)
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

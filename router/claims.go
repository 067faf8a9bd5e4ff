// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"
	"unsafe"

	"meshwright/internal/bitset"
)

// claims is the state that both wormhole engines have: which worms stand in which
// inputs, which outputs their heads request, and which inputs own the outputs.
type claims struct {
	*shared
	in     []input
	slots  []segment // a ring per input: Buffer for a link input, one for an injection register
	out    []output
	links  outputs // output-VCs of links
	ejects outputs // of ejection channels

	choosing bitset.Set // adaptive routing: inputs whose first worm has not claimed a link output yet
}

func newClaims(s *shared) claims {
	channels := int(s.channelBase[s.chips])
	e := claims{shared: s, in: make([]input, s.inputs), out: make([]output, (s.ports+channels)*s.cfg.VCs)}
	for i := range e.in {
		e.in[i].out, e.in[i].next = -1, -1
	}
	for o := range e.out {
		e.out[o].owner, e.out[o].waiting = -1, -1
	}
	e.links = newOutputs(0, int(s.linkInputs))
	e.ejects = newOutputs(s.linkInputs, channels*s.cfg.VCs)
	e.slots = make([]segment, int(s.linkInputs)*s.cfg.Buffer+channels)
	if s.adaptive != nil {
		e.choosing = bitset.New(s.inputs)
	}
	return e
}

// input is the state of one input: a link port's buffer for one virtual
// channel, or an injection register. Its flits are not kept one by one: they
// are the segments of worms in the input's ring, in order, and left tells how
// far the first of these worms has gone through.
type input struct {
	count uint16 // flits held; not used by the streaming evaluation, see Bank.held
	first uint16 // slot of the first segment
	worms uint16 // segments held
	left  uint32 // flits of the first worm that have still to leave; see Bank.left
	out   int32  // output-VC that the first worm wants or owns, -1: none
	next  int32  // next input that waits for the same output-VC, -1: last
}

// segment is the part of a worm that passes through an input.
type segment struct {
	worm uint32
	hop  uint32 // links crossed so far
}

// output is the state of one output-VC.
type output struct {
	owner   int32 // input whose worm has claimed it, -1: free
	waiting int32 // first of the list of inputs whose heads request it, -1: none
	pointer int32 // input with highest priority; the arbiter's order is that of the numbers
}

// outputs are the output-VCs of one kind, of all chips, as sets; number k of a
// set is output-VC first+k.
type outputs struct {
	first    int32
	asking   bitset.Set // free, and heads request it
	owned    bitset.Set // claimed by a worm
	fresh    bitset.Set // owned, and the head has not crossed yet
	crossing bitset.Set // a flit crosses in this cycle
	blocked  bitset.Set // a flit is offered in this cycle and does not cross
}

func newOutputs(first int32, n int) outputs {
	return outputs{
		first: first, asking: bitset.New(n), owned: bitset.New(n), fresh: bitset.New(n),
		crossing: bitset.New(n), blocked: bitset.New(n),
	}
}

// slot returns where segment k of an input's ring is kept.
func (e *claims) slot(i int32, k uint16) int {
	if i >= e.linkInputs {
		return int(e.linkInputs)*e.cfg.Buffer + int(i-e.linkInputs)
	}
	at := int(e.in[i].first) + int(k)
	if at >= e.cfg.Buffer {
		at -= e.cfg.Buffer
	}
	return int(i)*e.cfg.Buffer + at
}

// enter appends a worm to the ring of input i, as its head arrives there.
func (e *claims) enter(i int32, s segment) {
	in := &e.in[i]
	e.slots[e.slot(i, in.worms)] = s
	if in.worms++; in.worms == 1 {
		e.request(i, s)
	}
}

// request routes the first worm of input i, whose head stands at the front,
// and enters it into the list of those that wait for its output-VC.
func (e *claims) request(i int32, s segment) {
	w := e.Worm(s.worm)
	if e.adaptive != nil && NodeID(e.chipOf(i)) != w.Destination {
		e.in[i].left = w.Length
		e.choosing.Set(i)
		return
	}
	o := e.outputFor(i, w, s.hop, e.vcAt(i, w))
	in, out := &e.in[i], &e.out[o]
	in.left = w.Length
	in.out, in.next = o, out.waiting
	out.waiting = i
	if out.owner >= 0 {
		return
	}
	if o < e.linkInputs {
		e.links.asking.Set(o)
	} else {
		e.ejects.asking.Set(o - e.linkInputs)
	}
}

// claim makes the first requesting input at or after the pointer the owner;
// the pointer moves past it (round robin).
func (e *claims) claim(out *output) {
	winner, before := out.waiting, int32(-1)
	best := uint32(winner - out.pointer) // inputs before the pointer wrap around to last place
	previous := winner
	for i := e.in[winner].next; i >= 0; i = e.in[i].next {
		if distance := uint32(i - out.pointer); distance < best {
			winner, before, best = i, previous, distance
		}
		previous = i
	}
	if before < 0 {
		out.waiting = e.in[winner].next
	} else {
		e.in[before].next = e.in[winner].next
	}
	e.in[winner].next = -1
	out.owner, out.pointer = winner, winner+1
}

// learn implements learner.
func (e *claims) learn(o, in int32) { e.out[o].pointer = in + 1 }

// finish follows a tail out of its input: the output-VC is free, and the head
// that comes to the front asks for its own.
func (e *claims) finish(side *outputs, k int32) {
	out := &e.out[side.first+k]
	i := out.owner
	out.owner = -1
	side.owned.Clear(k)
	if out.waiting >= 0 {
		side.asking.Set(k)
	}
	in := &e.in[i]
	in.out = -1
	if side == &e.links {
		e.carried.add(k/int32(e.cfg.VCs), uint64(e.Worm(e.slots[e.slot(i, 0)].worm).Length))
	}
	if i < e.linkInputs {
		if in.first++; int(in.first) == e.cfg.Buffer {
			in.first = 0
		}
	}
	if in.worms--; in.worms > 0 {
		e.request(i, e.slots[e.slot(i, 0)])
	}
}

// needs returns what the head or the worm at the front of input i needs from another
// input: the output that another worm owns, or room behind the link.
func (e *claims) needs(i int32, room func(o int32) bool) (int32, Reason) {
	o := e.in[i].out
	if o < 0 {
		return -1, ""
	}
	if owner := e.out[o].owner; owner != i {
		return owner, ForClaim
	}
	if o >= e.linkInputs || room(o) {
		return -1, ""
	}
	return e.behind[o], ForRoom
}

// frontOf returns the first flit of an input that holds one, when left flits of its worm
// have still to leave.
func (e *claims) frontOf(i int32, left uint32) Flit {
	s := e.slots[e.slot(i, 0)]
	w := e.Worm(s.worm)
	f := Flit{Worm: s.worm, Seq: w.Length - left, Hop: s.hop, VC: e.vcAt(i, w)}
	if f.Seq == 0 {
		f.Flags = Head
	}
	if left == 1 {
		f.Flags |= Tail
	}
	return f
}

// showOutputs ranges over the offers of the cycle.
func (e *claims) showOutputs(yield func(Offer) bool, front func(int32) (Flit, bool)) {
	at := func(out int32, fired bool) Offer {
		in := e.out[out].owner
		f, _ := front(in)
		return e.view(out, in, f, fired)
	}
	for k := range e.ejects.crossing.All() {
		if !yield(at(e.ejects.first+k, true)) {
			return
		}
	}
	for o := range e.links.crossing.All() {
		if !yield(at(o, true)) {
			return
		}
	}
	if !e.keepBlocked {
		return
	}
	for o := range e.links.blocked.All() {
		if !yield(at(o, false)) {
			return
		}
	}
}

// taken appends the flits that PEs take.
func (e *claims) taken(list []Delivery, front func(int32) (Flit, bool)) []Delivery {
	for k := range e.ejects.crossing.All() {
		in := e.out[e.ejects.first+k].owner
		chip := e.chipOf(in)
		f, _ := front(in)
		list = append(list, Delivery{NodeID(chip), k/int32(e.cfg.VCs) - e.channelBase[chip], f})
	}
	return list
}

// landing appends the worms whose heads PEs take.
func (e *claims) landing(worms []uint32) []uint32 {
	for w, word := range e.ejects.crossing {
		for word &= e.ejects.fresh[w]; word != 0; word &= word - 1 {
			i := e.out[e.ejects.first+int32(w<<6+bits.TrailingZeros64(word))].owner
			worms = append(worms, e.slots[e.slot(i, 0)].worm)
		}
	}
	return worms
}

// filling appends the buffers behind the links that flits cross.
func (e *claims) filling(list []Buffer) []Buffer {
	for w, word := range e.links.crossing {
		for ; word != 0; word &= word - 1 {
			list = append(list, Buffer(e.behind[w<<6+bits.TrailingZeros64(word)]))
		}
	}
	return list
}

func (e *claims) moved() int { return e.ejects.crossing.Size() + e.links.crossing.Size() }

func (e *claims) crossing() bool { return !e.links.crossing.Empty() }

// crossedBy counts the flits of the worms that own the outputs of a port and have crossed.
func (e *claims) crossedBy(port int32, left func(int32) uint32) uint64 {
	sum := uint64(0)
	for o := port * int32(e.cfg.VCs); o < (port+1)*int32(e.cfg.VCs); o++ {
		if e.links.owned.Has(o) {
			i := e.out[o].owner
			sum += uint64(e.Worm(e.slots[e.slot(i, 0)].worm).Length - left(i))
		}
	}
	return sum
}

func (e *claims) blockedSince(int32) uint64 { return 0 }

func (e *claims) bytes() uintptr {
	return uintptr(len(e.in))*unsafe.Sizeof(input{}) + uintptr(len(e.slots))*unsafe.Sizeof(segment{}) +
		uintptr(len(e.out))*unsafe.Sizeof(output{}) + 5*8*uintptr(len(e.links.owned)+len(e.ejects.owned))
}

// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/code"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/router"
)

// This file is what upsets do: bits of a flit's stored payload that change in a
// buffer. The code of the buffer decodes the flit at the buffer's output:
//
//	link -> encoder -> flits -> decoder -> crossbar
//	                     ^ upset   v corrected, detected
//
// The codes are linear, so that the wrong bits alone tell what the decoder does. They are known
// when the flit enters the buffer; the errors are counted when it leaves.

// BufferErrors counts the errors of flits in buffers.
type BufferErrors struct {
	Injected  int // flits of which a buffer changed bits
	Corrected int // flits that a decoder corrected
	Detected  int // flits of which a decoder detected wrong bits that it cannot correct
	Silent    int // flits whose payload left a buffer wrong, and no decoder detected it
}

// Decoded is an error that the decoder of a buffer finds in a flit that leaves.
type Decoded struct {
	Node    router.NodeID
	Verdict code.Verdict // Corrected or Detected
}

// flitKey names a flit in the network.
type flitKey struct{ worm, seq uint32 }

// upsets is the state of upsets in a network.
type upsets struct {
	on      bool
	waiting map[flitKey]code.Verdict // flits with errors in buffers
	decoded []Decoded                `snapshot:"-"` // in the present cycle
	errors  BufferErrors
}

func newUpsets(list *fault.Faults) upsets {
	return upsets{on: list.HasUpsets(), waiting: map[flitKey]code.Verdict{}}
}

// begin forgets the errors of the last cycle.
func (u *upsets) begin() { u.decoded = u.decoded[:0] }

// enter changes bits of a flit that enters a buffer. It returns the bits of the payload that
// are wrong behind the decoder.
func (u *upsets) enter(f router.Flit, wrong code.Bits, m *machine.Machine) code.Bits {
	if !wrong.Any() {
		return wrong
	}
	u.errors.Injected++
	data, verdict := m.Code.Decode(wrong, m.Width)
	if verdict != code.Sound {
		u.waiting[flitKey{f.Worm, f.Seq}] = verdict
	}
	if data.Any() && verdict != code.Detected {
		u.errors.Silent++
	}
	return data
}

// leave counts the error of a flit that leaves a buffer.
func (u *upsets) leave(o router.Offer) {
	if len(u.waiting) == 0 {
		return
	}
	key := flitKey{o.Flit.Worm, o.Flit.Seq}
	verdict, wrong := u.waiting[key]
	if !wrong {
		return
	}
	delete(u.waiting, key)
	u.decoded = append(u.decoded, Decoded{o.Node, verdict})
	if verdict == code.Corrected {
		u.errors.Corrected++
	} else {
		u.errors.Detected++
	}
}

// stores reports whether a flit that crosses a link to a chip enters a buffer
// there. Chips that switch packets put flits for their PEs into ejection registers.
func (n *Network) stores(f router.Flit, chip router.NodeID) bool {
	return !n.Machine.PacketSwitched() || n.bank.Worm(f.Worm).Destination != chip
}

// Decoded returns the errors that decoders find in the flits which leave buffers in this
// cycle, in Update.
func (s Signals) Decoded() []Decoded {
	if s.n.faults == nil {
		return nil
	}
	return s.n.faults.upsets.decoded
}

// BufferErrors returns what upsets have done so far.
func (n *Network) BufferErrors() BufferErrors {
	if n.faults == nil {
		return BufferErrors{}
	}
	return n.faults.upsets.errors
}

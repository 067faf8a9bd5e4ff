// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"meshwright/fabric"
	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
)

// Options size the hardware of the PEs.
type Options struct {
	Word int // bits of registers and memory words, 8 to 32 and at least the width of a flit, or the width of a wider flit; 0: 32, or the width of a wider flit
}

// Emulator is a component that watches a run of firmware, for an export that repeats it. It sees what the PEs hold at the
// start, and how many messages wait for a PE.
type Emulator struct {
	Options
	net     *fabric.Network
	array   *pe.Array
	images  []image
	waiting []int // by node: messages, at the end of the last cycle
	slots   int   // most messages that waited for a PE
}

// image is what a PE holds at the start.
type image struct {
	program  *isa.Program // nil: none
	memory   []uint32     // elements
	r14, r15 uint32
	routes   [][]router.Port
}

// Attach has the recorder's export write an emulator of the run, which has not begun. The errors, of a machine that the
// emulator does not have and of a run without firmware, are *input.Error.
func Attach(n *fabric.Network, r *rtl.Recorder, o Options) (*Emulator, error) {
	e := &Emulator{Options: o, net: n}
	if e.Word == 0 {
		e.Word = max(32, n.Machine.Width)
	}
	for _, c := range n.Components() {
		if a, ok := c.(*pe.Array); ok {
			e.array = a
		}
	}
	if e.array == nil {
		return nil, input.Errorf("expected a collective or a program", "an emulator of a schedule, which has no firmware")
	}
	if err := e.refuse(); err != nil {
		return nil, err
	}
	e.waiting = make([]int, e.array.Nodes())
	for node := range router.NodeID(e.array.Nodes()) {
		e.images = append(e.images, image{
			program: e.array.Program(node), memory: e.memoryAtStart(node), routes: e.array.Routes(node),
			r14: e.array.Register(node, 14), r15: e.array.Register(node, 15),
		})
	}
	n.Attach(e)
	r.Extend(e.files)
	return e, nil
}

// memoryAtStart returns the elements of a PE's memory before the run.
func (e *Emulator) memoryAtStart(n router.NodeID) []uint32 {
	var memory []uint32
	shared, own := e.array.Parts(n)
	for _, word := range shared { // these have element 0 only
		memory = append(memory, word)
		memory = append(memory, make([]uint32, e.elements()-1)...)
	}
	return append(memory, own...)
}

// elements returns the elements of a word.
func (e *Emulator) elements() int { return e.net.Machine.Elements() }

// elementBits returns the bits of an element.
func (e *Emulator) elementBits() int { return min(32, e.Word) }

// Wakes implements fabric.Sleeper: an emulator only watches.
func (e *Emulator) Wakes() router.Cycle { return fabric.Never }

// Evaluate implements fabric.Component. It counts the messages that wait when all of a cycle have come and none has
// been taken, as the inbox of the hardware holds them.
func (e *Emulator) Evaluate(s fabric.Signals) {
	for k := range s.Received() {
		to := s.Received()[k].Destination
		e.waiting[to]++
		e.slots = max(e.slots, e.waiting[to])
	}
	clear(e.waiting)
	for u := range e.array.Unread() {
		e.waiting[u.Node]++
	}
}

// Update implements fabric.Component.
func (e *Emulator) Update(fabric.Signals) {}

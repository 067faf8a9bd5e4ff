// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/firmware/isa"
	"meshwright/internal/heap"
	"meshwright/router"
)

// state is the reason why a PE is stalled between cycles.
type state uint8

const (
	running state = iota // only while it runs, and before cycle 0
	inSend               // waits for a channel
	inRecv               // waits for a message
	inRecvw              // waits for a control word
	inWait               // waits for a cycle
	halted
	dead // its node is
)

// core is a PE without its memory.
type core struct {
	regs    [isa.Registers]uint32
	pc      int32
	program int32
	state   state
	queued  bool  // in Array.ready
	moved   bool  `snapshot:"-"` // its last turn executed an instruction
	data    queue // inbox of messages
	control queue // inbox of control words
}

// Array is the PEs of a network: a fabric.Component, Sleeper and Finisher.
type Array struct {
	load     Load
	cores    []core
	inbox    inbox
	timers   heap.Heap[timer] // of PEs that wait for a cycle
	ready    []int32          // PEs to run in this cycle
	acted    []int32          `snapshot:"-"` // PEs that ran in the last cycle evaluated
	now      router.Cycle     // of the last evaluation
	started  bool
	active   int // PEs that have not halted and are not dead
	network  *fabric.Network
	elements int          // of a word
	upper    []uint32     // by node and register: elements 1 and up, where words have several
	stops    []fault.Stop // nodes that are still to die, by tick

	lastHalt router.Cycle // of the last PE that halted, -1: none has

	fault   *Fault
	turns   []turn         `snapshot:"-"` // of the PEs that run together
	signals fabric.Signals `snapshot:"-"` // of the cycle, for the turns
	doTurn  func(i int)    `snapshot:"-"` // turn i of those that are under way
	turning []int32        `snapshot:"-"` // the PEs whose turns these are
}

// New returns the PEs of a load, about to run in cycle 0. The error, when the
// slices of the load disagree, is an *input.Error.
func New(load Load) (*Array, error) {
	if err := load.valid(); err != nil {
		return nil, err
	}
	a := &Array{load: load, cores: make([]core, len(load.Runs)), inbox: newInbox(), lastHalt: -1, elements: 1}
	for n, program := range load.Runs {
		c := &a.cores[n]
		c.program, c.data, c.control = program, emptyQueue, emptyQueue
		if program == Nothing {
			c.state = halted
			continue
		}
		a.active++
		a.enqueue(int32(n))
	}
	return a, nil
}

// Evaluate runs the PEs that can make progress.
func (a *Array) Evaluate(s fabric.Signals) {
	if !a.started {
		a.begin(s)
	}
	a.now = s.Now()
	a.bury()
	a.collect(s)
	a.runReady(s)
	a.ready, a.acted = a.acted[:0], a.ready
}

// Acted returns the PEs that have run in the cycle, for monitors, until the next cycle.
func (a *Array) Acted() []int32 { return a.acted }

// Progressed reports whether a PE that has run in the cycle executed an instruction, and so does not wait any more
// for what it waited for before.
func (a *Array) Progressed(n router.NodeID) bool { return a.cores[n].moved }

// begin asks the network which nodes will die.
func (a *Array) begin(s fabric.Signals) {
	a.started, a.network = true, s.Network()
	a.elements = a.network.Machine.Elements()
	a.upper = make([]uint32, len(a.cores)*isa.Registers*(a.elements-1))
	if f := a.network.Faults(); f != nil {
		a.stops = f.Stops()
	}
}

// bury ends the programs of the nodes that are dead from this cycle on.
func (a *Array) bury() {
	for ; len(a.stops) > 0 && a.stops[0].At <= a.now; a.stops = a.stops[1:] {
		c := &a.cores[a.stops[0].Node]
		if c.state != halted && c.state != dead {
			c.state = dead
			a.active--
		}
	}
}

// Update has nothing to do: PEs see the network's registers at the start of a cycle.
func (a *Array) Update(fabric.Signals) {}

// OnlySends marks a fabric.Sender.
func (a *Array) OnlySends() {}

// OnlyMessages marks a fabric.Messenger.
func (a *Array) OnlyMessages() {}

// Wakes returns the next cycle that a PE waits for, or in which a node dies.
func (a *Array) Wakes() router.Cycle {
	switch {
	case !a.started:
		return 0
	case a.fault != nil:
		return fabric.Never
	}
	next := fabric.Never
	if len(a.timers) > 0 {
		next = a.timers[0].at
	}
	if len(a.stops) > 0 && a.active > 0 {
		next = min(next, a.stops[0].At)
	}
	return next
}

// Finished reports whether every PE has halted or is dead, or one has failed.
func (a *Array) Finished() bool { return a.active == 0 || a.fault != nil }

// Err returns the *Fault that ended the run, or nil.
func (a *Array) Err() error {
	if a.fault == nil {
		return nil
	}
	return a.fault
}

// Memory returns the data memory of a PE: the elements of its words.
func (a *Array) Memory(n router.NodeID) []uint32 {
	if shared, own := a.Parts(n); len(shared) > 0 {
		return slices.Concat(a.spread(shared), own)
	}
	return a.load.Memory[n]
}

// Parts returns the data memory of a PE in two parts: the words of Load.Shared, none when the PE has
// its own copy, and the elements of the words behind them.
func (a *Array) Parts(n router.NodeID) (shared, own []uint32) {
	if len(a.load.Shared) > 0 {
		shared = a.load.Shared[n]
	}
	return shared, a.load.Memory[n]
}

// Program returns the program of a PE; nil: it has none.
func (a *Array) Program(n router.NodeID) *isa.Program {
	if a.cores[n].program == Nothing {
		return nil
	}
	return a.load.Programs[a.cores[n].program].Source
}

// Routes returns the route table of a PE.
func (a *Array) Routes(n router.NodeID) [][]router.Port {
	if len(a.load.Routes) == 0 {
		return nil
	}
	return a.load.Routes[n]
}

// Nodes returns the number of PEs.
func (a *Array) Nodes() int { return len(a.cores) }

// Halted reports whether a PE has halted.
func (a *Array) Halted(n router.NodeID) bool { return a.cores[n].state == halted }

// Dead reports whether the node of a PE died before the PE had halted.
func (a *Array) Dead(n router.NodeID) bool { return a.cores[n].state == dead }

// Register returns element 0 of a register of a PE.
func (a *Array) Register(n router.NodeID, r isa.Reg) uint32 { return a.cores[n].regs[r] }

// collect lists, in rising order, the PEs that the cycle's events concern.
func (a *Array) collect(s fabric.Signals) {
	for k := range s.Received() {
		a.arrive(s, k)
	}
	for n := range s.Freed() {
		if a.cores[n].state == inSend {
			a.enqueue(int32(n))
		}
	}
	for len(a.timers) > 0 && a.timers[0].at <= s.Now() {
		a.enqueue(a.timers.Pop().pe)
	}
	slices.Sort(a.ready)
}

func (a *Array) enqueue(n int32) {
	if c := &a.cores[n]; !c.queued {
		c.queued = true
		a.ready = append(a.ready, n)
	}
}

// arrive puts message k of the cycle into its PE's inbox and wakes a PE that waits for one.
func (a *Array) arrive(s fabric.Signals, k int) {
	m := &s.Received()[k]
	c := &a.cores[m.Destination]
	q, waits := &c.data, inRecv
	if m.Kind != router.Data {
		q, waits = &c.control, inRecvw
	}
	s.Keep(k, a.inbox.add(q, m))
	if c.state == waits {
		a.enqueue(int32(m.Destination))
	}
}

// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// Meter is a component that measures a run.
type Meter struct {
	Cycles         router.Cycle  // when the last flit of data had been delivered, see Network.ArrivalTime; 0: none was
	MaxBufferFlits int           // most flits in one input buffer at the start of a cycle; 0 when bufferless
	Fullest        router.NodeID // node of the first buffer that held so many
	FullestPort    router.Port   // and its port

	buffers bool
	off     router.Cycle      // when the first message flew by which a buffer got a flit, -1: none has
	first   router.Buffer     // this buffer
	filling []router.Buffer   `snapshot:"-"` // scratch
	fills   [][]router.Buffer // buffers that get a flit, by cycle modulo the time of the longest hop
}

// NewMeter attaches a meter to a network that has not run yet.
func NewMeter(n *Network) *Meter {
	m := &Meter{off: -1, buffers: n.Machine.Switching != machine.Bufferless, fills: make([][]router.Buffer, n.Slowest().Hop)}
	n.Attach(m)
	return m
}

// Evaluate looks at the buffers that got a flit at the end of the last cycle:
// only they can hold more than before.
func (m *Meter) Evaluate(s Signals) {
	if s.takingData() {
		m.Cycles = s.Network().ArrivalTime(s.Now())
	}
	if !m.buffers {
		return
	}
	m.noteFirst(s)
	fills, bank := &m.fills[int(s.Now())%len(m.fills)], s.Network().Bank()
	for _, b := range *fills {
		if held := bank.HeldIn(b); held > m.MaxBufferFlits {
			m.MaxBufferFlits = held
			m.Fullest, m.FullestPort = bank.Locate(b)
		}
	}
	*fills = (*fills)[:0]
}

// noteFirst looks at the first buffer that got a flit of a message that flew.
func (m *Meter) noteFirst(s Signals) {
	if m.MaxBufferFlits == 0 && m.off >= 0 && s.Now() >= m.off+router.Cycle(len(m.fills)) {
		m.MaxBufferFlits = 1
		m.Fullest, m.FullestPort = s.Network().Bank().Locate(m.first)
	}
}

// Update notes which buffers get a flit, a hop later.
func (m *Meter) Update(s Signals) {
	switch {
	case !m.buffers:
	case s.n.fly.on: // messages that fly put one flit into a buffer
		if first, ok := s.n.fly.flights.FirstFilled(); ok && m.MaxBufferFlits == 0 && m.off < 0 {
			m.off, m.first = s.Now(), first
		}
	case s.n.Even():
		fills := &m.fills[int(s.Now())%len(m.fills)]
		*fills = s.Network().Bank().AppendFilling(*fills)
	default:
		bank := s.Network().Bank()
		m.filling = bank.AppendFilling(m.filling[:0])
		for _, b := range m.filling {
			fills := &m.fills[(int(s.Now())+bank.HopInto(b))%len(m.fills)]
			*fills = append(*fills, b)
		}
	}
}

// evaluateAgain replaces Evaluate in a cycle that messages have flown through and that runs again
// flit by flit. A buffer that gets a flit at its start holds no more than one.
func (m *Meter) evaluateAgain(s Signals) {
	if s.takingData() {
		m.Cycles = max(m.Cycles, s.Network().ArrivalTime(s.Now()))
	}
	if m.buffers {
		m.noteFirst(s)
		fills := &m.fills[int(s.Now())%len(m.fills)]
		*fills = (*fills)[:0]
	}
}

// OnlyMessages marks a fabric.Messenger.
func (m *Meter) OnlyMessages() {}

// Wakes lets the clock skip: the meter only watches.
func (m *Meter) Wakes() router.Cycle { return Never }

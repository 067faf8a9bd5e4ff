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
	fills   [][]router.Buffer // buffers that get a flit, by cycle modulo the time of a hop
}

// NewMeter attaches a meter to a network that has not run yet.
func NewMeter(n *Network) *Meter {
	m := &Meter{buffers: n.Machine.Switching != machine.Bufferless, fills: make([][]router.Buffer, n.Machine.Hop)}
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
	fills, bank := &m.fills[int(s.Now())%len(m.fills)], s.Network().Bank()
	for _, b := range *fills {
		if held := bank.HeldIn(b); held > m.MaxBufferFlits {
			m.MaxBufferFlits = held
			m.Fullest, m.FullestPort = bank.Locate(b)
		}
	}
	*fills = (*fills)[:0]
}

// Update notes which buffers get a flit, a hop later.
func (m *Meter) Update(s Signals) {
	if m.buffers {
		fills := &m.fills[int(s.Now())%len(m.fills)]
		*fills = s.Network().Bank().AppendFilling(*fills)
	}
}

// Wakes lets the clock skip: the meter only watches.
func (m *Meter) Wakes() router.Cycle { return Never }

// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// Meter is a component that measures a run.
type Meter struct {
	Cycles         router.Cycle  // when the last flit had been delivered, see Network.ArrivalTime
	MaxBufferFlits int           // most flits in one input buffer at the start of a cycle; 0 when bufferless
	Fullest        router.NodeID // node of the first buffer that held so many
	FullestPort    router.Port   // and its port

	buffers bool
	fills   [][]buffer // buffers that get a flit, by cycle modulo the time of a hop
}

// buffer is an input buffer of a chip.
type buffer struct {
	node router.NodeID
	port router.Port
	vc   router.VC
}

// NewMeter attaches a meter to a network that has not run yet.
func NewMeter(n *Network) *Meter {
	m := &Meter{buffers: n.Machine.Switching != machine.Bufferless, fills: make([][]buffer, n.Machine.Hop)}
	n.Attach(m)
	return m
}

// Evaluate looks at the buffers that got a flit at the end of the last cycle:
// only they can hold more than before.
func (m *Meter) Evaluate(s Signals) {
	if len(s.Flits()) > 0 {
		m.Cycles = s.Network().ArrivalTime(s.Now())
	}
	if !m.buffers {
		return
	}
	fills := &m.fills[int(s.Now())%len(m.fills)]
	for _, b := range *fills {
		if held := s.Network().Bank().Occupancy(b.node, b.port, b.vc); held > m.MaxBufferFlits {
			m.MaxBufferFlits, m.Fullest, m.FullestPort = held, b.node, b.port
		}
	}
	*fills = (*fills)[:0]
}

// Update notes which buffers get a flit, a hop later.
func (m *Meter) Update(s Signals) {
	if !m.buffers {
		return
	}
	t := s.Network().Topology
	fills := &m.fills[int(s.Now())%len(m.fills)]
	for o := range s.Offers() {
		if o.Fired && int(o.Port) < t.Ports(o.Node) {
			*fills = append(*fills, buffer{t.Neighbor(o.Node, o.Port), t.BackPort(o.Node, o.Port), o.Flit.VC})
		}
	}
}

// Wakes lets the clock skip: the meter only watches.
func (m *Meter) Wakes() router.Cycle { return Never }

// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/router"
)

// meter is the component that measures a run.
type meter struct {
	cycles  router.Cycle
	highest int
	buffers bool
	fills   [][]buffer // buffers that get a flit, by cycle modulo the time of a hop
}

// buffer is an input buffer of a chip.
type buffer struct {
	node router.NodeID
	port router.Port
	vc   router.VC
}

func newMeter(n *fabric.Network) *meter {
	return &meter{buffers: n.Machine.Switching != machine.Bufferless, fills: make([][]buffer, n.Machine.Hop)}
}

// Evaluate looks at the buffers that got a flit at the end of the last cycle:
// only they can hold more than before.
func (m *meter) Evaluate(s fabric.Signals) {
	if len(s.Flits()) > 0 {
		m.cycles = s.Now() + 1
	}
	if !m.buffers {
		return
	}
	fills := &m.fills[int(s.Now())%len(m.fills)]
	for _, b := range *fills {
		m.highest = max(m.highest, s.Network().Bank().Occupancy(b.node, b.port, b.vc))
	}
	*fills = (*fills)[:0]
}

// Update notes which buffers get a flit, a hop later.
func (m *meter) Update(s fabric.Signals) {
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
func (m *meter) Wakes() router.Cycle { return fabric.Never }

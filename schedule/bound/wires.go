// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// wires tells for how long flits have a link at least, where buffers may be too small for the full rate.
//
// The buffers at the end of a link have room for b flits, those of all virtual channels together. The room of a flit is taken when the flit leaves, and
// free again hop+1 cycles later at the earliest. So of b+1 flits the last one leaves that much later than the first:
//
//	buffer 4, hop 5, flit 1
//	cycle    0  1  2  3  4  5  6  7  8  9
//	link     0  1  2  3  -  -  4  5  6  7
//
// n flits take n*f cycles and floor((n-1)/b) stalls of hop+1-b*f cycles, however they are divided among messages.
type wires struct {
	flit, burst, stall router.Cycle // burst is 0 where nothing stalls
}

func wiresOf(t *topology.Topology, m machine.Machine) wires {
	w := wires{flit: router.Cycle(m.Flit)}
	if m.PacketSwitched() || m.Switching == machine.Bufferless {
		return w
	}
	resolved, err := m.Resolve(t)
	if err != nil {
		return w
	}
	burst := router.Cycle(resolved.Buffer) * router.Cycle(resolved.VCs)
	if stall := router.Cycle(m.Hop) + 1 - burst*w.flit; stall > 0 && burst > 0 {
		w.burst, w.stall = burst, stall
	}
	return w
}

// time returns the least time in which a link passes so many flits.
func (w wires) time(flits router.Cycle) router.Cycle {
	time := flits * w.flit
	if w.burst > 0 && flits > 0 {
		time += (flits - 1) / w.burst * w.stall
	}
	return time
}

// shared returns the time of the busiest of some links that pass so many flits together.
func (w wires) shared(flits router.Cycle, links int) router.Cycle { return w.time(share(flits, links)) }

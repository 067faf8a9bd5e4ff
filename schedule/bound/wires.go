// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
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

// pausesOf tells for how long an injection channel is busy with flits at least, without the rest behind the last message.
//
// The flits of a message have one virtual channel of the link, so that a message stalls after every b flits, the room of one virtual channel. Between two messages the channel
// rests (see timing.Model.Rest). Messages of x flits stall ceil(x/b)-1 times. Where the last flit of a message comes behind a stall, it waits in the injection register, and the startup
// of the next message goes on meanwhile: stall and rest then take the time of the longer one together. So a message has one pause at least for every b+1 flits, and of n flits, however
// they are divided among messages, ceil(n/(b+1))-1 times or more the next one waits for a stall or for a rest.
func pausesOf(m machine.Machine) wires {
	w := wires{flit: router.Cycle(m.Flit)}
	if m.PacketSwitched() || m.Switching == machine.Bufferless || m.Buffer == 0 {
		return w
	}
	burst := router.Cycle(m.Buffer)
	if pause := min(router.Cycle(m.Hop)+1-burst*w.flit, timing.Of(&m).Rest()); pause > 0 {
		w.burst, w.stall = burst+1, pause
	}
	return w
}

// time returns the least time in which so many flits pass.
func (w wires) time(flits router.Cycle) router.Cycle {
	time := flits * w.flit
	if w.burst > 0 && flits > 0 {
		time += (flits - 1) / w.burst * w.stall
	}
	return time
}

// shared returns the time of the busiest of some links, or channels, that pass so many flits together.
func (w wires) shared(flits router.Cycle, links int) router.Cycle { return w.time(share(flits, links)) }

// sent bounds the time in which words leave a node, those at each distance k or more: the last of them leaves a channel after the time of its share, and has k links to go.
func (r *reached) sent(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	w := pausesOf(m)
	return worst(r.tally(lengths), func(k int, words, _ router.Cycle) router.Cycle {
		return lead(&m) + w.shared(words, channels(t, m, r.root)) + router.Cycle(k*m.Hop)
	})
}

// sentByAll bounds a collective whose nodes send so many words together: some channel sends its share.
func sentByAll(t *topology.Topology, m machine.Machine, words router.Cycle) router.Cycle {
	all := 0
	for n := range router.NodeID(t.Nodes()) {
		all += channels(t, m, n)
	}
	if words == 0 || all == 0 {
		return 0
	}
	return lead(&m) + pausesOf(m).shared(words, all) + router.Cycle(m.Hop)
}

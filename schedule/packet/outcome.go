// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"math/big"
)

// Ticks counts time in units of 1/q cycle, where q is the denominator of beta.
type Ticks int64

// Packet is one packet: for a scatter its destination, for a gather its
// source, and its size.
type Packet struct {
	Node  int
	Flits int
}

// Outcome is the result of a simulation.
type Outcome struct {
	Scale      int64   // ticks a cycle
	Arrival    []Ticks // by packet, as given: when its last flit is at its destination
	Completion Ticks   // the last arrival
	Buffer     int     // most flits that ever waited behind one link for another one
}

// Time is the completion in cycles.
func (o *Outcome) Time() *big.Rat { return big.NewRat(int64(o.Completion), o.Scale) }

// hop is the passage of a packet through a node: its transmission on the link to the node
// began at in, and its transmission on the next link at out.
type hop struct{ in, out, flits int64 }

// crowding returns the most flits of a link's packets that a node holds between two ticks. The
// packets arrive and leave one after the other, in the order given. The flits of a
// transmission that begins at g cross at g + setup + flit, g + setup + 2*flit, ... A flit that
// arrives in the tick in which another one leaves is not counted together with it.
//
// While one packet arrives and another leaves, the number of flits goes up and down by at most
// one in turn. So it suffices to look at two moments: when a packet is complete, and just
// before the first flit of a packet leaves.
func crowding(hops []hop, c clock) int64 {
	most, sum := int64(0), int64(0)
	in := flow{clock: c, hops: hops, start: func(h *hop) int64 { return h.in }}
	out := flow{clock: c, hops: hops, start: func(h *hop) int64 { return h.out }}
	for i := range hops {
		h := &hops[i]
		most = max(most, in.by(h.out+c.setup+c.flit-1)-sum)
		sum += h.flits
		most = max(most, sum-out.by(h.in+c.cost(h.flits)))
	}
	return most
}

// flow counts flits that cross a link.
type flow struct {
	clock
	hops  []hop
	start func(*hop) int64
	next  int   // the first hop that is not complete
	done  int64 // flits of those that are
}

// by returns the flits that crossed up to a tick, which never falls from call
// to call.
func (f *flow) by(tick int64) int64 {
	for ; f.next < len(f.hops); f.next++ {
		h := &f.hops[f.next]
		start := f.start(h)
		if start+f.cost(h.flits) > tick {
			return f.done + max(0, tick-start-f.setup)/f.flit
		}
		f.done += h.flits
	}
	return f.done
}

// SPDX-License-Identifier: Apache-2.0

package router

import "meshwright/internal/bitset"

// shared is what every engine works with besides its own state: the wiring, the
// worms, the injection registers and the counters.
type shared struct {
	wiring `snapshot:"start"`
	wormTable
	losses
	now         Cycle
	filled      bitset.Set // injection registers that hold a flit, by channel
	carried     counters   // per link port: flits of worms that have crossed its outgoing link to the tail
	blocked     counters   // per link port: cycles in which a flit was offered and did not cross
	keepBlocked bool       // offers shows blocked flits too
}

func newShared(cfg Config) *shared {
	s := &shared{wiring: newWiring(cfg)}
	s.filled = bitset.New(int(s.channelBase[s.chips]))
	s.carried = newCounters(s.ports)
	s.blocked = newCounters(s.ports)
	if cfg.Faulty {
		s.losses.worms = make([]uint32, s.linkInputs)
	}
	return s
}

// engine evaluates the cycles of a bank. Every kind of switching has one, with its own
// state; each of them embeds the bank's shared state.
//
// A cycle is eject, any number of calls of place, link, then update. In between, the
// decisions of the cycle can be read.
type engine interface {
	eject() int            // decides which flits PEs take; returns their number
	place(i int32, f Flit) // puts a flit into injection register i, an input; it is marked as filled already
	link()                 // decides which flits cross links
	update()               // carries out the decisions

	// The decisions of the cycle: ejections from eject on, the others from link on.
	deliveries(list []Delivery) []Delivery // appends the flits that PEs take
	tails(worms []uint32) []uint32         // appends the worms whose tails PEs take
	landing(worms []uint32) []uint32       // appends the worms whose heads PEs take
	show(yield func(Offer) bool)           // ranges over the offers, ejections first
	filling(list []Buffer) []Buffer        // appends the buffers that get the flits which cross
	moved() int                            // flits that cross, ejections included
	crossing() bool                        // whether a flit crosses a link

	// The state at the start of the cycle.
	held(i int32) int                 // flits in the buffer of link input i
	front(i int32) (Flit, bool)       // the flit at the front of an input; false: it is empty
	waitsFor(i int32) (int32, Reason) // the input whose progress input i needs; -1: none
	underway() int                    // flits in neither a buffer nor a register
	crossed(port int32) uint64        // flits of worms in flight that have crossed a port's outgoing link
	blockedSince(port int32) uint64   // cycles of waits at a port's link that are not in the counters
	bytes() uintptr                   // memory of the state
}

// streamer is an engine of banks that stream.
type streamer interface {
	engine
	begin(k int32, worm uint32) // lets a worm into injection register k
	cycle(place func(k int))    // is link and update at once, with what the caller has to do for the registers of each part before
}

// newEngine returns the engine of a configuration: the one place that decides.
func newEngine(s *shared) engine {
	switch {
	case s.cfg.Packet > 0:
		return newPackets(s)
	case s.cfg.Bufferless:
		return newBufferless(s)
	case streams(&s.cfg):
		if e := newPlanes(s); e != nil {
			return e
		}
		return newStreaming(s)
	}
	return newReference(s)
}

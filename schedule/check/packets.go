// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule"
)

// PacketReport is the account of a schedule on a machine that switches packets.
// Times are in ticks, of which machine.Machine.Ticks are a cycle.
type PacketReport struct {
	// OK says that every message arrives that faults do not lose. With a single port it also says
	// that no buffer holds more than the largest packet.
	OK bool

	Cycles     router.Cycle // when the last flit of data that arrives is off its last link
	Quiet      router.Cycle // when the last packet of any kind is off a link: later than Cycles only with control words, or when messages never arrive
	LowerBound router.Cycle // no schedule of these messages takes less
	Ratio      float64      // Cycles / LowerBound, 0 when there is no bound

	Messages int
	Flits    uint64         // of the messages that arrive, header flits included
	Sent     []router.Cycle // by row: tick in which the channel takes the message from the PE, -1: never
	Hops     []int32        // by row: links that it has crossed
	Entered  []router.Cycle // by row: tick in which the first flit stands in the injection register, -1: never
	Arrivals []router.Cycle // by row: tick in which the PE has the last flit, -1: never
	Missing  int            // messages that never arrive: they wait for one another for ever
	Stuck    []int32        // the first Listed of them, by row
	Late     int            // messages that enter after their dispatch
	Losses   []Loss         // messages that faults of the machine lose, by tick of their tails

	Largest        int           // flits of data of the machine's largest packet
	MaxBufferFlits int           // most flits in one link's buffer at the start of a tick
	Fullest        router.NodeID // node of a buffer that holds so many, None when all stay empty
	FullestPort    router.Port   // and its port

	Turns  Waits // in chips' queues, for those that came before
	Grants Waits // at the head of the queue, for the chip behind the link

	Links   []LinkUse // every directed link, in the order of Topology.Links; set-ups are busy time
	Hottest int       // index in Links: see hottestOf
}

// Waits says how many packets wait somewhere, and how long one does in one
// chip at most, if not for ever.
type Waits struct {
	Packets int
	Longest router.Cycle // ticks
}

// Packets accounts for schedule s on topology t and a machine m that switches
// packets: when every message enters, crosses each of its links, and arrives.
// A row is a packet, and the longest is the largest unless m says more. Each
// message is handed to its source's channel, with all ports to that of its first link,
// at its dispatch, or when the channel is free; a row's dispatch is the tick in which
// its first flit then stands in the injection register. A route that passes its
// destination before it ends there is not followed further: the chip takes what is
// addressed to it.
// Its errors are *input.Error, and that of the context.
func Packets(s *schedule.Schedule, t *topology.Topology, m machine.Machine, opts ...Option) (*PacketReport, error) {
	if !m.PacketSwitched() {
		return nil, input.Errorf("expected switching store-forward or cut-through", "switching %s: no packets", m.Switching)
	}
	if err := s.Validate(t); err != nil {
		return nil, err
	}
	m = routed(m, s)
	m, err := m.FitPackets(s.Longest())
	if err != nil {
		return nil, err
	}
	if m, err = m.Resolve(t); err != nil {
		return nil, err
	}
	if err := s.FitsHeaders(t, m); err != nil {
		return nil, err
	}
	if err := memory.Need(optionsOf(opts).ctx, "a check of "+input.Count(len(s.Rows), "packet"), needed(s, t, packetBytes)); err != nil {
		return nil, err
	}
	a, err := newAccount(s, t, m)
	if err != nil {
		return nil, err
	}
	phase := progress.Begin(optionsOf(opts).ctx, "check "+input.Count(len(s.Rows), "packet")+", entered", len(s.Rows))
	defer phase.End()
	if err := a.run(phase); err != nil {
		return nil, err
	}
	return a.finish(), nil
}

// finish sums the account up.
func (a *account) finish() *PacketReport {
	r := a.report
	r.Messages = len(a.s.Rows)
	lost := make(map[int]bool, len(r.Losses))
	for _, loss := range r.Losses {
		lost[loss.Row] = true
	}
	for row := range a.s.Rows {
		at := &a.s.Rows[row]
		if r.Entered[row] > at.Dispatch {
			r.Late++
		}
		if r.Arrivals[row] >= 0 {
			if !at.Control {
				r.Cycles = max(r.Cycles, r.Arrivals[row])
			}
			r.Flits += uint64(a.m.WithHeader(at.Flits))
			continue
		}
		if lost[row] {
			continue
		}
		if r.Missing++; r.Missing <= Listed {
			r.Stuck = append(r.Stuck, at.Message)
		}
	}
	a.waitForEver()
	r.Largest = a.m.Packet
	r.OK = r.Missing == 0 && (!a.single() || r.MaxBufferFlits <= a.m.LargestPacket())
	r.LowerBound = floorOf(a.s, a.t, a.m, a.lines.tree)
	if r.LowerBound > 0 {
		r.Ratio = float64(r.Cycles) / float64(r.LowerBound)
	}
	r.Links = make([]LinkUse, len(a.links))
	for slot := range a.links {
		l := &a.links[slot]
		r.Links[a.lines.link[slot]] = LinkUse{Flits: l.flits, Busy: a.m.BusyTicks(l.flits, l.packets)}
	}
	r.Hottest = hottestOf(r.Links)
	return r
}

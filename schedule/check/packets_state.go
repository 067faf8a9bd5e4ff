// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

// none stands for no packet, no slot.
const none = -1

// account follows packets through chips: an event for every packet that is
// placed, heads that come (cut-through), tails that have crossed, and room.
type account struct {
	s      *schedule.Schedule
	t      *topology.Topology
	m      machine.Machine
	lines  *lines
	report *PacketReport
	faults *fault.Faults // nil: none

	setup, flit, startup router.Cycle // ticks
	room                 int64        // flits that a buffer may hold and still have room for the largest packet

	now     router.Cycle
	entered int // packets, so far
	events  events
	packets []packet // by row
	ways    []stretch
	units   []transceiver
	links   []link  // by slot
	rows    []int32 // by transceiver of the source, in the order in which they leave

	senders   []int32 // transceivers that may have a new candidate in this tick
	receivers []int32 // transceivers that may grant in this tick
	placed    []int32 // transceivers whose PE places a head in this tick
	fronts    []int32 // all ports: slots of buffers with a new first packet in this tick
}

// packet is a row in flight. It repeats the data that it needs of the row and of a link of
// the lines: events jump about, and every look elsewhere would be a look at far memory.
type packet struct {
	flits   int64
	to      router.NodeID
	way     int          // the stretch of routes that it is on
	out     int32        // slot of the link that it takes next
	left    int32        // links of the stretch from out on
	in      int32        // slot of the link by which its head came, none at its source
	behind  int32        // next in the order queue
	next    int32        // all ports: next of those that wait in its buffer
	since   router.Cycle // tick from which on it may be sent on from where it is
	delayed [2]bool      // it is counted in Waits: turns, grants
}

// transceiver sends one packet and receives one packet at a time, and has an injection
// channel with what the PE has still to send by it. It is a chip with a single port, or,
// with all ports, a link: sending at the one end and receiving at the other.
type transceiver struct {
	first, last int32 // order queue: packets whose turn to be sent comes
	head        int32 // packet whose head was placed in this very tick and is not in the queue
	row, rows   int32 // rows of account.rows that the PE has still to place: row to rows-1

	sending   bool
	receiving bool
	asking    bool         // it requests a link
	packet    int32        // that is being sent, or was last
	from      int32        // slot of the input it is sent from, none: the injection register
	granted   router.Cycle // when its sending began
	asked     router.Cycle // when the request began

	waiting []request // a heap: requests by neighbours whose buffer here has room
}

// request is a neighbour's for a link; earlier ones come first, then lower ports.
type request struct {
	asked router.Cycle
	port  int32 // of the chip that is asked
	slot  int32
}

func (r request) before(o request) bool {
	return r.asked < o.asked || r.asked == o.asked && r.port < o.port
}

// link is a link and the buffer behind it.
type link struct {
	from    int32 // the transceiver that sends over it
	to      int32 // the transceiver that receives by it
	head    int32 // the chip behind it
	port    int32 // of that chip
	drain   int32 // transceiver that sends from the buffer, none
	first   int32 // all ports: packets that have come to the buffer and are not sent yet, none
	last    int32
	packet  int32 // that crosses, or was last to
	parked  bool  // requested, and the buffer has no room
	held    int64 // flits of the packets in the buffer, whole ones
	flits   uint64
	packets uint64
}

func newAccount(s *schedule.Schedule, t *topology.Topology, m machine.Machine) (*account, error) {
	p, err := layOut(s, t, m)
	if err != nil {
		return nil, err
	}
	a := &account{
		s: s, t: t, m: m, lines: p.lines,
		setup: router.Cycle(m.SetupTicks()), flit: router.Cycle(m.FlitTicks()), startup: router.Cycle(m.StartupTicks()),
		room:    int64(m.Buffer) - int64(m.LargestPacket()),
		packets: make([]packet, len(s.Rows)), units: make([]transceiver, t.Nodes()), links: make([]link, len(p.lines.link)),
		report: &PacketReport{Sent: make([]router.Cycle, len(s.Rows)), Hops: make([]int32, len(s.Rows)), Entered: make([]router.Cycle, len(s.Rows)), Arrivals: make([]router.Cycle, len(s.Rows)), Fullest: router.None},
	}
	if !a.single() {
		a.units = make([]transceiver, len(p.lines.link))
	}
	for row := range s.Rows {
		first, at := len(a.ways), &s.Rows[row]
		a.ways = append(a.ways, p.route(at.Source, at.Destination, at.Route)...)
		a.packets[row] = packet{flits: int64(m.WithHeader(at.Flits)), to: at.Destination, way: first, out: a.ways[first].slot, left: a.ways[first].steps, in: none, behind: none}
		a.report.Sent[row], a.report.Entered[row], a.report.Arrivals[row] = none, none, none
	}
	for v := range router.NodeID(t.Nodes()) {
		for port := range router.Port(t.Ports(v)) {
			if slot := p.lines.portSlot(v, port); slot >= 0 {
				l := link{from: slot, to: slot, head: int32(t.Neighbor(v, port)), port: int32(t.BackPort(v, port)), drain: none, first: none}
				if a.single() {
					l.from, l.to = int32(v), l.head
				}
				a.links[slot] = l
			}
		}
	}
	if m.Faults != nil {
		if a.faults, err = m.Faults.On(t, m.Ticks(), m.Width, m.StoredBits()); err != nil {
			return nil, err
		}
	}
	a.line()
	return a, nil
}

// line puts every PE's rows in the order in which they leave, and the first
// ones on the clock.
func (a *account) line() {
	var sort sorter
	order := sort.sort(len(a.s.Rows), func(i int) uint64 { return uint64(a.s.Rows[i].Dispatch) })
	begin, rows := group(len(a.units), len(order), func(from, to int, yield func(group, member int32)) {
		for _, row := range order[from:to] {
			yield(a.links[a.packets[row].out].from, row)
		}
	})
	a.rows = rows
	for v := range a.units {
		a.units[v] = transceiver{first: none, last: none, head: none, row: begin[v], rows: begin[v+1]}
		a.schedule(int32(v), 0, 0)
	}
}

// single reports whether a chip has one transceiver for all its links.
func (a *account) single() bool { return a.m.Ports == machine.SinglePort }

// schedule puts the next row of a PE's channel on the clock: it is handed over no
// sooner than in tick free, and its head can enter no sooner than in tick empty.
func (a *account) schedule(v int32, free, empty router.Cycle) {
	c := &a.units[v]
	if c.row == c.rows {
		return
	}
	row := a.rows[c.row]
	sent := max(free, a.s.Rows[row].Dispatch-a.startup)
	a.report.Sent[row] = sent
	a.events.add(event{max(sent+a.startup, empty), v, placing})
}

// cutThrough reports whether heads go on before their tails have come.
func (a *account) cutThrough() bool { return a.m.Switching == machine.CutThrough }

// forward moves a packet's head over the link it takes next, which is not the last.
func (a *account) forward(row int32) {
	p := &a.packets[row]
	p.in = p.out
	if p.left--; p.left > 0 {
		p.out = a.lines.next(p.out)
		return
	}
	p.way++
	p.out, p.left = a.ways[p.way].slot, a.ways[p.way].steps
}

// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule"
)

// row is what the check needs of a row of the schedule, at one place: rows of large schedules are all over the memory.
type row struct {
	dispatch            router.Cycle
	source, destination router.NodeID
	flits               int32
	of                  int32 // its number in Schedule.Rows
}

// piece is a part of a message's route without a turn: slots first to last-1 of
// one line, the first taken in cycle at, each next one a hop later.
type piece struct {
	at          router.Cycle
	first, last int32
	row         int32
	corners     corners
}

// corners are what a message does at the ends of a piece, besides its flits.
type corners uint32

const (
	firstCorner corners = 1 << iota // the message turns, or starts, at the first node
	lastCorner                      // the message turns, or ends, at the last node

	oneFlit // the flits but the first
)

func (part *piece) turns() bool { return part.corners&firstCorner != 0 }

func (part *piece) stops() bool { return part.corners&lastCorner != 0 }

// flits returns the message's flits of data.
func (part *piece) flits() int32 { return int32(part.corners/oneFlit) + 1 }

// plan is a schedule laid out in space and time.
type plan struct {
	s      *schedule.Schedule
	rows   []row // of s, by dispatch; rows that are dispatched at the same time as in s
	routed bool  // some prescribe their routes
	t      *topology.Topology
	axes   []topology.Axis // of t
	m      machine.Machine
	model  timing.Model
	hop    router.Cycle
	frame  router.Cycle // for how long a link is kept besides the time of the data
	lines  *lines
	pieces []piece // by row, in the order of the route
	begin  []int32 // pieces of row i: begin[i] to begin[i+1]
	load   []int64 // by slot: change in the number of flits from the slot before
	hops   int64   // links that all heads cross
	walk   *walk   // that finds collisions; nil: straight sections are compared

	cut *stripes // see stripes; nil: not cut yet

	batch   int            // uses of nodes to list at a time
	stripe  int            // uses that a stripe should have
	early   int            // rows among which collisions are searched first
	how     approach       // to the verdict
	windows int            // of type walk; 0: as many as pay
	net     *fabric.Routes // routes that are neither those of a grid nor of a tree
	way     []stretch      // of the row at hand
	parts   []piece        // of the row at hand
}

// layOut returns a plan that knows routes, and no pieces yet.
func layOut(s *schedule.Schedule, t *topology.Topology, m machine.Machine) (*plan, error) {
	p := &plan{s: s, t: t, axes: t.Axes(), m: m, model: timing.Of(&m), hop: router.Cycle(m.Hop), lines: newLines(t), routed: s.HasRoutes()}
	p.frame = p.model.Overhead()
	if (m.Tabled() || !t.IsGrid()) && p.lines.tree == nil && p.needsTable() {
		net, err := fabric.NewRoutes(t, m)
		if err != nil {
			return nil, err
		}
		p.net = net
	}
	return p, nil
}

// newPlan returns the plan of a schedule.
func newPlan(ctx context.Context, s *schedule.Schedule, t *topology.Topology, m machine.Machine) (*plan, error) {
	phase := progress.Begin(ctx, "check the routes of "+input.Count(len(s.Rows), "message"), 0)
	defer phase.End()
	p, err := layOut(s, t, m)
	if err != nil {
		return nil, err
	}
	p.sort()
	p.begin, p.load = make([]int32, len(s.Rows)+1), make([]int64, len(p.lines.link)+1)
	p.pieces = make([]piece, 0, p.expected())
	if err := p.traceAll(ctx, phase); err != nil {
		return nil, err
	}
	return p, nil
}

// expected returns about how many pieces the rows have, rather more: an array of pieces that grows would for a while take
// twice the room.
func (p *plan) expected() int {
	const sample = 1 << 12
	step, count, rows := len(p.rows)/sample+1, 0, 0
	for row := 0; row < len(p.rows); row += step {
		count += len(p.trace(row))
		rows++
	}
	if step == 1 {
		return count
	}
	return int(float64(count) / float64(rows) * float64(len(p.rows)) * 1.02)
}

// traceAll makes the pieces of all rows, on several cores. Each worker has a copy of the plan, with its own load and hops, which are
// added up in the end.
func (p *plan) traceAll(ctx context.Context, phase *progress.Phase) error {
	const rows = 1 << 14 // at a time
	workers := parallel.Workers()
	if p.net != nil {
		workers = 1 // the network keeps the routes that it looked up
	}
	var lock sync.Mutex
	turn, next := sync.NewCond(&lock), 0 // the part whose pieces are appended next
	var copies []*plan
	err := parallel.Each(ctx, phase, workers, (len(p.rows)+rows-1)/rows, func() func(int) error {
		q := *p
		q.pieces, q.way, q.parts, q.hops, q.load = nil, nil, nil, 0, make([]int64, len(p.load))
		lock.Lock()
		copies = append(copies, &q)
		lock.Unlock()
		return func(part int) error {
			from, to := part*rows, min((part+1)*rows, len(p.rows))
			q.tracePart(from, to)
			lock.Lock()
			for next != part { // a worker has taken it before, and will end it
				turn.Wait()
			}
			before := int32(len(p.pieces))
			p.pieces = append(p.pieces, q.pieces...)
			next++
			turn.Broadcast()
			lock.Unlock()
			for row := from; row < to; row++ {
				p.begin[row+1] += before
			}
			return nil
		}
	})
	for _, q := range copies {
		p.hops += q.hops
		for slot, change := range q.load {
			p.load[slot] += change
		}
	}
	return err
}

// tracePart makes the pieces of some rows, in place of those that the plan has.
func (p *plan) tracePart(from, to int) {
	p.pieces = p.pieces[:0]
	for row := from; row < to; row++ {
		parts := p.trace(row)
		for i := range parts {
			p.bear(&parts[i])
		}
		p.pieces = append(p.pieces, parts...)
		p.begin[row+1] = int32(len(p.pieces))
	}
}

// bear adds a piece to the hops and to the load of its links.
func (p *plan) bear(part *piece) {
	flits := int64(p.m.WithHeader(int(part.flits())))
	p.load[part.first] += flits
	p.load[part.last] -= flits
	p.hops += int64(part.last - part.first)
}

// needsTable reports whether some row leaves its route to the machine.
func (p *plan) needsTable() bool {
	return slices.ContainsFunc(p.s.Rows, func(r schedule.Row) bool { return r.Route == nil })
}

// sort puts the rows in the order of dispatch, if they are not.
func (p *plan) sort() {
	rows := p.s.Rows
	p.rows = make([]row, len(rows))
	var order []int32
	if !slices.IsSortedFunc(rows, func(a, b schedule.Row) int { return cmp.Compare(a.Dispatch, b.Dispatch) }) {
		order = (&sorter{}).sort(len(rows), func(i int) uint64 { return uint64(rows[i].Dispatch) })
	}
	inParts(len(rows), partsOf(len(rows)), func(_, from, to int) {
		for i := from; i < to; i++ {
			of := int32(i)
			if order != nil {
				of = order[i]
			}
			r := &rows[of]
			p.rows[i] = row{r.Dispatch, r.Source, r.Destination, int32(r.Flits), of}
		}
	})
}

// trace returns the pieces of a row; they are valid until the next call.
func (p *plan) trace(row int) []piece {
	r := &p.rows[row]
	p.parts = p.parts[:0]
	at := r.dispatch
	for _, straight := range p.route(r.source, r.destination, p.prescribed(row)) {
		at = p.add(int32(row), straight, at)
	}
	return p.parts
}

// prescribed returns the route that a row prescribes, nil for none.
func (p *plan) prescribed(row int) []router.NodeID {
	if !p.routed {
		return nil
	}
	return p.s.Rows[p.rows[row].of].Route
}

// route returns the stretches of a route, a prescribed one or the machine's own; they are valid until the next call.
func (p *plan) route(from, to router.NodeID, prescribed []router.NodeID) []stretch {
	way := p.way[:0]
	switch {
	case prescribed != nil:
		way = p.alongNodes(way, prescribed)
	case p.net != nil:
		way = p.byTable(way, from, to)
	case p.t.IsGrid():
		way = p.acrossGrid(way, from, to)
	case p.lines.tree != nil:
		way = p.lines.tree.route(way, from, to)
	}
	p.way = way
	return way
}

// add adds a straight stretch of a row that begins in cycle at to its pieces, cut
// where a ring closes, and returns the cycle in which it ends.
func (p *plan) add(row int32, way stretch, at router.Cycle) router.Cycle {
	for slot, left := way.slot, way.steps; left > 0; {
		steps := left
		if p.lines.closed {
			steps = min(left, p.lines.end(slot)-slot)
		}
		ends := oneFlit * corners(p.rows[row].flits-1)
		if left == way.steps {
			ends |= firstCorner
		}
		if left == steps {
			ends |= lastCorner
		}
		p.parts = append(p.parts, piece{at: at, first: slot, last: slot + steps, row: row, corners: ends})
		at += router.Cycle(steps) * p.hop
		left -= steps
		if left > 0 {
			slot = p.lines.start[p.lines.line[slot]]
		}
	}
	return at
}

// alongNodes joins the links of a prescribed route into stretches.
func (p *plan) alongNodes(way []stretch, route []router.NodeID) []stretch {
	previous := int32(-1)
	for i, to := range route[1:] {
		port, _ := p.t.PortTo(route[i], to)
		slot := p.lines.portSlot(route[i], port)
		way = p.onward(way, previous, slot)
		previous = slot
	}
	return way
}

// acrossGrid is dimension order, the highest dimension first where the machine says so: see
// router.DimensionOrder.
func (p *plan) acrossGrid(way []stretch, from, to router.NodeID) []stretch {
	at, grid := from, p.lines.grid
	for k := range grid {
		d := k
		if p.m.Routing == machine.ReverseOrder {
			d = len(grid) - 1 - k
		}
		g := &grid[d]
		here, line := g.place(at)
		steps, direction := int32(g.coordinate(to)-here), uint32(0)
		if steps == 0 {
			continue
		}
		at += router.NodeID(steps * int32(g.stride))
		if size := int32(g.size); g.ring {
			if steps < 0 {
				steps += size
			}
			if 2*steps > size {
				steps -= size
			}
		}
		if steps < 0 {
			steps, direction = -steps, 1
		}
		way = append(way, stretch{g.slot(line, here, direction), steps})
	}
	return way
}

// byTable follows the network's next hops, one stretch a link.
func (p *plan) byTable(way []stretch, from, to router.NodeID) []stretch {
	previous := int32(-1)
	for at := from; ; {
		port := p.net.Next(at, to)
		if port == router.Here {
			return way
		}
		slot := p.lines.portSlot(at, port)
		way = p.onward(way, previous, slot)
		at, previous = p.t.Neighbor(at, port), slot
	}
}

// onward adds the link of a slot to a route whose last link is that of the previous slot, -1: none.
func (p *plan) onward(way []stretch, previous, slot int32) []stretch {
	if previous >= 0 && p.lines.follows(previous, slot) {
		way[len(way)-1].steps++
		return way
	}
	return append(way, stretch{slot, 1})
}

// firstSlot and lastSlot are the slots of a row's first and last link.
func (p *plan) firstSlot(row int) int32 { return p.pieces[p.begin[row]].first }

func (p *plan) lastSlot(row int) int32 { return p.pieces[p.begin[row+1]-1].last - 1 }

// work returns for how long a message with so many flits of data keeps a link: [timing.Model.Work] without packets.
func (p *plan) work(flits int32) router.Cycle { return p.frame + router.Cycle(flits)*p.model.Flit }

// span returns for how long a row keeps a link.
func (p *plan) span(row int32) router.Cycle { return p.work(p.rows[row].flits) }

// spanOf returns for how long the row of a piece keeps a link.
func (p *plan) spanOf(part *piece) router.Cycle { return p.work(part.flits()) }

// hold returns for how long a row has its injection channel.
func (p *plan) hold(row int32) router.Cycle { return p.model.Hold(int(p.rows[row].flits)) }

// arrival returns the cycle in which a row's first flit is at its destination.
func (p *plan) arrival(row int) router.Cycle {
	last := &p.pieces[p.begin[row+1]-1]
	return last.at + router.Cycle(last.last-last.first)*p.hop
}

// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/schedule"
	"meshwright/router"
)

// piece is a part of a message's way without a turn: slots first to last-1 of
// one line, the first taken in cycle at, each next one a hop later.
type piece struct {
	at          router.Cycle
	first, last int32
	row         int32
	turns       bool // the message turns, or starts, at its first node
	stops       bool // the message turns, or ends, at its last node
}

// plan is a schedule laid out in space and time.
type plan struct {
	s      *schedule.Schedule
	t      *topology.Topology
	m      machine.Machine
	hop    router.Cycle
	lines  *lines
	pieces []piece // by row, in the order of the way
	begin  []int32 // pieces of row i: begin[i] to begin[i+1]
	load   []int64 // by slot: change in the number of flits from the slot before

	batch   int             // uses of nodes to list at a time
	net     *fabric.Network // routes of networks that are neither grid nor tree
	scratch []stretch
}

// newPlan traces every row's route.
func newPlan(s *schedule.Schedule, t *topology.Topology, m machine.Machine) (*plan, error) {
	p := &plan{
		s: s, t: t, m: m, hop: router.Cycle(m.Hop), lines: newLines(t),
		pieces: make([]piece, 0, len(s.Rows)), begin: make([]int32, len(s.Rows)+1),
	}
	p.load = make([]int64, len(p.lines.link)+1)
	for row := range s.Rows {
		if err := p.trace(&s.Rows[row], int32(row)); err != nil {
			return nil, err
		}
		p.begin[row+1] = int32(len(p.pieces))
	}
	return p, nil
}

// trace appends the pieces of a row.
func (p *plan) trace(r *schedule.Row, row int32) error {
	at, way := r.Dispatch, p.scratch[:0]
	switch {
	case r.Route != nil:
		way = p.alongNodes(way, r.Route)
	case p.t.IsGrid():
		way = p.acrossGrid(way, r.Source, r.Destination)
	case p.lines.tree != nil:
		way = p.lines.tree.route(way, r.Source, r.Destination)
	default:
		if p.net == nil {
			net, err := fabric.New(p.t, p.m)
			if err != nil {
				return err
			}
			p.net = net
		}
		way = p.byTable(way, r.Source, r.Destination)
	}
	for _, straight := range way {
		at = p.add(row, straight, at, int64(r.Flits))
	}
	p.scratch = way
	return nil
}

// add appends a straight stretch of a row that begins in cycle at, cut where a
// ring closes, and returns the cycle in which it ends.
func (p *plan) add(row int32, way stretch, at router.Cycle, flits int64) router.Cycle {
	for slot, left := way.slot, way.steps; left > 0; {
		steps := min(left, p.lines.end(slot)-slot)
		p.pieces = append(p.pieces, piece{
			at: at, first: slot, last: slot + steps, row: row, turns: left == way.steps, stops: left == steps,
		})
		p.load[slot] += flits
		p.load[slot+steps] -= flits
		at += router.Cycle(steps) * p.hop
		left -= steps
		slot = p.lines.start[p.lines.line[slot]]
	}
	return at
}

// alongNodes joins the links of a prescribed route into stretches.
func (p *plan) alongNodes(way []stretch, route []router.NodeID) []stretch {
	previous := int32(-1)
	for i, to := range route[1:] {
		port, _ := p.t.PortTo(route[i], to)
		slot := p.lines.portSlot(route[i], port)
		if previous >= 0 && p.lines.follows(previous, slot) {
			way[len(way)-1].steps++
		} else {
			way = append(way, stretch{slot, 1})
		}
		previous = slot
	}
	return way
}

// acrossGrid is dimension order: see router.DimensionOrder.
func (p *plan) acrossGrid(way []stretch, from, to router.NodeID) []stretch {
	at, stride := from, 1
	for d, size := range p.t.Dims {
		here, there := int(from)/stride%size, int(to)/stride%size
		steps, direction := there-here, 0
		if p.t.Wrap[d] {
			if steps = (steps + size) % size; 2*steps > size {
				steps -= size
			}
		}
		if steps < 0 {
			steps, direction = -steps, 1
		}
		if steps > 0 {
			way = append(way, stretch{p.lines.portSlot(at, router.Port(2*d+direction)), int32(steps)})
		}
		at += router.NodeID((there - here) * stride)
		stride *= size
	}
	return way
}

// byTable follows the network's next hops, one stretch a link.
func (p *plan) byTable(way []stretch, from, to router.NodeID) []stretch {
	for at := from; ; {
		port := p.net.Next(at, to)
		if port == router.Here {
			return way
		}
		way = append(way, stretch{p.lines.portSlot(at, port), 1})
		at = p.t.Neighbor(at, port)
	}
}

// span returns for how many cycles a row keeps a link.
func (p *plan) span(row int) router.Cycle {
	return router.Cycle(p.s.Rows[row].Flits) * router.Cycle(p.m.Flit)
}

// firstSlot and lastSlot are those of a row's first and last link.
func (p *plan) firstSlot(row int) int32 { return p.pieces[p.begin[row]].first }

func (p *plan) lastSlot(row int) int32 { return p.pieces[p.begin[row+1]-1].last - 1 }

// arrival returns the cycle in which a row's first flit is at its destination.
func (p *plan) arrival(row int) router.Cycle {
	last := &p.pieces[p.begin[row+1]-1]
	return last.at + router.Cycle(last.last-last.first)*p.hop
}

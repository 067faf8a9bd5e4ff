// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// Timetable says when every message of a total exchange leaves and which route it
// goes, so that no two ever want the same thing.
type Timetable struct {
	Topology *topology.Topology
	Lengths  []int        // flits that a node has for each other one, by source
	Cycles   router.Cycle // the time: 1 + the cycle of the last delivery
	Bound    router.Cycle // no exchange on the machine takes less
	Rounds   int          // messages from a node to another: 1, or one a flit
	Stopped  bool         // the search ended before its time, see FindLengths
	Period   router.Cycle // from the start of a round to that of the next

	lattice *lattice // nil: ways has every pair of nodes
	ways    []way    // of node 0 if there is a lattice
}

// way is the route of one message, or, with a lattice, of one message of each node.
type way struct {
	source, destination router.NodeID
	start               router.Cycle
	path                []router.Port // on a lattice: directions
}

// Message is one row of a timetable.
type Message struct {
	Source, Destination router.NodeID
	First, Flits        int          // of the source's words for the destination: words First to First+Flits-1
	Start               router.Cycle // in which its first flit stands in the injection register
	Route               []router.Port
}

// Symmetric reports whether all nodes do the same at the same time.
func (t *Timetable) Symmetric() bool { return t.lattice != nil }

// Messages lists all messages by start, and by source where it is the same.
func (t *Timetable) Messages() []Message {
	var list []Message
	for _, w := range t.ways {
		sources := 1
		if t.lattice != nil {
			sources = t.Topology.Nodes()
		}
		for n := range sources {
			m := Message{Source: w.source, Destination: w.destination, Start: w.start, Route: w.path}
			if t.lattice != nil {
				m.Source = router.NodeID(n)
				m.Destination, m.Route = t.lattice.walk(t.Topology, m.Source, w.path)
			}
			m.Flits = t.Lengths[m.Source] / t.Rounds
			for r := range t.Rounds {
				m.First = r * m.Flits
				m.Start = w.start + router.Cycle(r)*t.Period
				list = append(list, m)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Message) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Source, b.Source))
	})
	return list
}

// Schedule returns the timetable in the form that package check takes. Its rows say which blocks they carry, or which parts
// of blocks.
func (t *Timetable) Schedule() *schedule.Schedule {
	s := &schedule.Schedule{}
	for i, m := range t.Messages() {
		route := []router.NodeID{m.Source}
		at := m.Source
		for _, p := range m.Route {
			at = t.Topology.Neighbor(at, p)
			route = append(route, at)
		}
		row := schedule.Row{Message: int32(i), Source: m.Source, Destination: m.Destination, Flits: m.Flits, Dispatch: m.Start, Route: route}
		block := schedule.PairOf(m.Source, m.Destination)
		if t.Rounds > 1 {
			block = block.Words(m.First, m.Flits)
		}
		row.Blocks = schedule.Blocks{block}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// Verify demands that package check finds no collision and the same time. Package check knows no stalls for room in small buffers: with them the time may be
// longer.
func (t *Timetable) Verify(m machine.Machine) error {
	if m.Claim != 0 {
		m = m.Paced()
	}
	stalls := timing.Stalling(&m).Stall() > 0
	m = m.WithoutBuffers()
	m.Routing = machine.Source
	r, err := check.Check(t.Schedule(), t.Topology, m)
	switch {
	case err != nil:
		return err
	case !r.OK:
		c := r.First[0]
		return fmt.Errorf("timetable of %s: messages %d and %d collide in cycle %d (%s)", t.Topology, c.First, c.Second, c.Cycle, c.Conflict)
	case r.Cycles != t.Cycles && !(stalls && r.Cycles < t.Cycles):
		return fmt.Errorf("timetable of %s: %d cycles, not %d", t.Topology, r.Cycles, t.Cycles)
	}
	return nil
}

// walk follows directions from a node; it returns the end and the ports.
func (l *lattice) walk(t *topology.Topology, from router.NodeID, path []router.Port) (router.NodeID, []router.Port) {
	ports := make([]router.Port, len(path))
	for k, d := range path {
		to := l.directions[d]
		port := router.Port(2 * to.dim)
		if to.step < 0 || t.Neighbor(from, port) == router.None {
			port++ // the other of two nodes has its only link in - direction
		}
		ports[k], from = port, t.Neighbor(from, port)
	}
	return from, ports
}

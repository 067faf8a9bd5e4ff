// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"strconv"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// Validate reports the first row that makes no sense on topology t: unknown
// nodes, a message to oneself, a length or a time out of bounds, a number that
// another row has, a route that does not lead from source to destination along
// links, blocks of nodes that are not there. The error is an *input.Error with the row's line.
func (s *Schedule) Validate(t *topology.Topology) error {
	if err := t.Valid(); err != nil {
		return err
	}
	if s == nil {
		return input.Errorf("expected a schedule", "no schedule")
	}
	for i := range s.Rows {
		if fault := s.Rows[i].validate(t); fault != nil {
			return s.locate(i, fault)
		}
	}
	if again, first := s.repeated(); again >= 0 {
		const want = "expected each number once"
		if line := s.Rows[first].Line; line > 0 {
			return s.locate(again, input.Errorf(want, "the number is taken, by line %d", line))
		}
		return input.At(s.File, 0, want, "rows %d and %d both have message %d", first, again, s.Rows[again].Message)
	}
	return nil
}

// locate adds the row to a fault: its line if it has one, its number always.
func (s *Schedule) locate(row int, fault *input.Error) error {
	r := &s.Rows[row]
	return input.At(s.File, r.Line, fault.Want, "message %d: %s", r.Message, fault.What)
}

func (r *Row) validate(t *topology.Topology) *input.Error {
	nodes := router.NodeID(t.Nodes())
	switch {
	case r.Message < 0:
		return input.Errorf("expected 0 or more", "the number is negative")
	case r.Source < 0 || r.Source >= nodes:
		return notANode("source", r.Source, nodes)
	case r.Destination < 0 || r.Destination >= nodes:
		return notANode("destination", r.Destination, nodes)
	case r.Source == r.Destination:
		return input.Errorf("expected two different nodes", "source and destination are both %d", r.Source)
	case r.Flits < 1:
		return input.Errorf("expected at least 1", "flits %d", r.Flits)
	case r.Flits > MaxFlits:
		return input.Errorf("expected at most "+decimal(MaxFlits), "flits %d", r.Flits)
	case r.Dispatch < 0:
		return input.Errorf("expected 0 or more", "dispatch %d", r.Dispatch)
	case r.Dispatch > MaxDispatch:
		return input.Errorf("expected at most "+decimal(int64(MaxDispatch)), "dispatch %d", r.Dispatch)
	case r.Route != nil:
		if fault := r.validateRoute(t); fault != nil {
			return fault
		}
	}
	return r.validateBlocks(t)
}

func notANode(column string, n, nodes router.NodeID) *input.Error {
	return input.Errorf("expected a node from 0 to "+strconv.Itoa(int(nodes)-1), "%s %d", column, n)
}

func (r *Row) validateRoute(t *topology.Topology) *input.Error {
	last := len(r.Route) - 1
	if last < 0 || r.Route[0] != r.Source {
		at := router.None
		if last >= 0 {
			at = r.Route[0]
		}
		return input.Errorf("expected the source, "+strconv.Itoa(int(r.Source)), "the route begins at %d", at)
	}
	for i, n := range r.Route {
		if n < 0 || int(n) >= t.Nodes() {
			return notANode("route: node", n, router.NodeID(t.Nodes()))
		}
		if i == 0 {
			continue
		}
		if _, ok := t.PortTo(r.Route[i-1], n); !ok {
			return input.Errorf("expected a route along the links of "+t.String(), "no link from %d to %d", r.Route[i-1], n)
		}
	}
	if r.Route[last] != r.Destination {
		return input.Errorf("expected the destination, "+strconv.Itoa(int(r.Destination)), "the route ends at %d", r.Route[last])
	}
	if last >= 1<<16 {
		return input.Errorf("expected at most 65535", "the route has %d links", last)
	}
	return nil
}

// repeated returns a row whose message number an earlier row has, and that
// row; -1 when all differ.
func (s *Schedule) repeated() (again, first int) {
	most := int32(0)
	for i := range s.Rows {
		most = max(most, s.Rows[i].Message)
	}
	if int(most) > 8*len(s.Rows)+1024 {
		return s.repeatedSparse()
	}
	seen := make([]int32, most+1) // row+1
	for i := range s.Rows {
		at := &seen[s.Rows[i].Message]
		if *at != 0 {
			return i, int(*at) - 1
		}
		*at = int32(i) + 1
	}
	return -1, -1
}

func (s *Schedule) repeatedSparse() (again, first int) {
	seen := make(map[int32]int, len(s.Rows))
	for i := range s.Rows {
		if at, ok := seen[s.Rows[i].Message]; ok {
			return i, at
		}
		seen[s.Rows[i].Message] = i
	}
	return -1, -1
}

// FitsHeaders refuses a schedule with a message whose tag or route is too large for the flit that holds the header, as a
// run does. The schedule is valid on topology t, the machine resolved. Its error is an *input.Error.
func (s *Schedule) FitsHeaders(t *topology.Topology, m machine.Machine) error {
	if m.HeaderFlits() == 0 {
		return nil
	}
	routes, err := fabric.NewRoutes(t, m)
	if err != nil {
		return err
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		hops := len(r.Route) - 1
		if r.Route == nil && m.Routing == machine.Source {
			hops = routes.Distance(r.Source, r.Destination)
		}
		if err := m.FitsHeader(t, uint32(r.Message), hops); err != nil {
			return err
		}
	}
	return nil
}

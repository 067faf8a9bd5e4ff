// SPDX-License-Identifier: Apache-2.0

// Package schedule holds communication schedules: which message is dispatched where,
// and in which cycle. The file format is CSV, one message a row,
//
//	message,source,destination,flits,dispatch[,route][,blocks]
//
// The route is a list of nodes such as 0>1>5, or empty for the machine's own routing. The blocks
// say what a message carries, see [Blocks]; package flow follows them.
// The header line is optional, and # starts a comment. A [Player] sends the messages
// of a schedule through a network. Package check says without a run whether a schedule
// is free of collisions.
package schedule

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// header is the header line of the exchange form; last columns for routes and blocks are optional.
const header, withRoutes, withAll = "message,source,destination,flits,dispatch", header + ",route", withRoutes + ",blocks"

// columnsShown shows the header of the exchange form.
const columnsShown = header + "[,route][,blocks]"

// Bounds of a row. They keep every sum of times far inside a router.Cycle.
const (
	MaxFlits    = 1 << 30
	MaxDispatch = router.Cycle(1) << 40
)

// Row is one message.
type Row struct {
	Message             int32 // its number, unique in the schedule, from 0
	Source, Destination router.NodeID
	Control             bool            // a control word of a traced run; the exchange form does not tell, all of its rows are data
	Flits               int             // length, at least 1
	Dispatch            router.Cycle    // cycle (of packets: tick) in which the first flit is in the source's injection register
	Route               []router.NodeID // source to destination; nil: the machine's own route
	Blocks              Blocks          `snapshot:"-"` // what it carries; nil: nothing is said of it
	Line                int             `snapshot:"-"` // in the file, 0 when the row came from none
}

// Schedule is a list of messages.
type Schedule struct {
	File string `snapshot:"-"` // where it came from, for errors
	Rows []Row
}

// HasRoutes reports whether a row prescribes its route. A network that plays
// such a schedule needs routing "source".
func (s *Schedule) HasRoutes() bool {
	for i := range s.Rows {
		if s.Rows[i].Route != nil {
			return true
		}
	}
	return false
}

// Messages ranges over the rows as messages without content. The schedule must be valid on the
// topology, see Validate.
func (s *Schedule) Messages(t *topology.Topology) iter.Seq[fabric.Message] {
	return func(yield func(fabric.Message) bool) {
		for i := range s.Rows {
			r := &s.Rows[i]
			if !yield(fabric.Message{Source: r.Source, Destination: r.Destination, Tag: uint32(r.Message), Length: r.Flits, Route: r.ports(t)}) {
				return
			}
		}
	}
}

// ports translates the route from nodes to output ports; nil if the row has no route.
func (r *Row) ports(t *topology.Topology) []router.Port {
	if r.Route == nil {
		return nil
	}
	ports := make([]router.Port, len(r.Route)-1)
	for i := range ports {
		ports[i] = portTo(t, r.Route[i], r.Route[i+1])
	}
	return ports
}

func portTo(t *topology.Topology, from, to router.NodeID) router.Port {
	port, ok := t.PortTo(from, to)
	if !ok {
		panic(fmt.Sprintf("schedule: no link from %d to %d", from, to))
	}
	return port
}

// Data returns the schedule without control words.
func (s *Schedule) Data() *Schedule {
	control := func(r Row) bool { return r.Control }
	if !slices.ContainsFunc(s.Rows, control) {
		return s
	}
	return &Schedule{File: s.File, Rows: slices.DeleteFunc(slices.Clone(s.Rows), control)}
}

// Write prints the exchange form; Parse reads it back.
func (s *Schedule) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	routes, blocks := s.HasRoutes(), s.HasBlocks()
	out.WriteString(header)
	if routes {
		out.WriteString(",route")
	}
	if blocks {
		out.WriteString(",blocks")
	}
	out.WriteByte('\n')
	var line []byte
	for i := range s.Rows {
		line = s.Rows[i].append(line[:0], routes, blocks)
		out.Write(line)
	}
	return out.Flush()
}

// append adds the row as a line of CSV.
func (r *Row) append(line []byte, routes, blocks bool) []byte {
	line = append(strconv.AppendInt(line, int64(r.Message), 10), ',')
	line = append(strconv.AppendInt(line, int64(r.Source), 10), ',')
	line = append(strconv.AppendInt(line, int64(r.Destination), 10), ',')
	line = append(strconv.AppendInt(line, int64(r.Flits), 10), ',')
	line = strconv.AppendInt(line, int64(r.Dispatch), 10)
	if routes {
		line = append(line, ',')
	}
	for i, n := range r.Route {
		if i > 0 {
			line = append(line, '>')
		}
		line = strconv.AppendInt(line, int64(n), 10)
	}
	if blocks {
		line = r.Blocks.append(append(line, ','))
	}
	return append(line, '\n')
}

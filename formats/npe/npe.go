// SPDX-License-Identifier: Apache-2.0

// Package npe reads traces of the networks of Tenstorrent's chips (JSON) as timed messages.
//
// A trace is a list of events, each of one processor at coordinates (sx, sy) and with a timestamp
// in cycles. What moves data becomes a message:
//
//	WRITE…     num_bytes from (sx, sy) to (dx, dy), or to every node of a rectangle (mcast_…)
//	READ…      num_bytes from (dx, dy) to (sx, sy); the request itself is not modelled
//	SEMAPHORE… an increment at (dx, dy): one flit
//
// Everything else waits, names a state for later events, or moves nothing; it is counted. Source of the form:
// tenstorrent/tt-npe, tt_npe/doc/noc_trace_format.md (2026).
package npe

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/jsontree"
	"meshwright/router"
	"meshwright/schedule"
)

// Trace is the messages of a file.
type Trace struct {
	File          string
	Columns, Rows int // of the smallest grid with all coordinates
	Facts         Facts
	moves         []move
}

// Facts count the events of a trace.
type Facts struct {
	Events, Reads, Writes, Multicasts, Semaphores int
	Local                                         int // within one node
	Still                                         int // move nothing: barriers, states, zones
	OtherNetwork                                  int // of a network that was not asked for
}

// move is one message.
type move struct {
	cycle  int64
	sx, sy int
	dx, dy int
	bytes  int
	line   int
}

// The bounds of a trace.
const (
	maxCoordinate = 1023
	maxEventBytes = 1 << 30
	maxCycle      = 1 << 40
	maxMoves      = 1 << 22
)

// Networks are the names of the two networks of a chip.
var networks = []string{"NOC_0", "NOC_1"}

// Parse reads a trace: all events, or those of one network, NOC_0 or NOC_1; file is for errors, which are *input.Error.
func Parse(file string, text []byte, network string) (*Trace, error) {
	v, err := jsontree.Parse(file, text)
	if err != nil {
		return nil, err
	}
	if network != "" && !slices.Contains(networks, network) {
		return nil, input.At("--noc", 0, "expected "+input.Or(networks), "%q", network)
	}
	if v.Kind != jsontree.List {
		return nil, v.Fault("expected a list of events", "%s", v.Kind)
	}
	t := &Trace{File: file}
	for i := range v.Items {
		if err := t.event(&v.Items[i], network); err != nil {
			return nil, err
		}
		if len(t.moves) > maxMoves {
			return nil, v.Items[i].Fault(fmt.Sprintf("expected at most %d", maxMoves), "more messages")
		}
	}
	if len(t.moves) == 0 {
		return nil, input.At(file, 0, "expected events that move data between nodes", "no messages")
	}
	slices.SortStableFunc(t.moves, func(a, b move) int {
		switch {
		case a.cycle < b.cycle:
			return -1
		case a.cycle > b.cycle:
			return 1
		}
		return 0
	})
	return t, nil
}

// event reads one event.
func (t *Trace) event(e *jsontree.Value, network string) error {
	if e.Kind != jsontree.Object {
		return e.Fault("expected an event, an object", "%s", e.Kind)
	}
	t.Facts.Events++
	if e.Field("zone") != nil {
		t.Facts.Still++
		return nil
	}
	kind, err := e.Need("type", jsontree.String)
	if err != nil {
		return err
	}
	if kind.Text == "" {
		return kind.Fault("expected READ, WRITE, SEMAPHORE … or a barrier", "an empty type")
	}
	if strings.HasPrefix(kind.Text, "FABRIC_") {
		return kind.Fault("expected events within one chip", "%s is between chips", input.Clip(kind.Text))
	}
	noc, err := e.Need("noc", jsontree.String)
	if err != nil {
		return err
	}
	if !slices.Contains(networks, noc.Text) {
		return noc.Fault("expected "+input.Or(networks), "noc %q", input.Clip(noc.Text))
	}
	if network != "" && noc.Text != network {
		t.Facts.OtherNetwork++
		return nil
	}
	return t.moving(e, kind)
}

// action is what the type of an event does with data.
type action uint8

const (
	unknown action = iota
	still
	reads
	writes
	increments
)

// actionOf tells the types apart by their beginnings, as the format names them.
func actionOf(kind string) action {
	switch {
	case strings.Contains(kind, "BARRIER"), strings.HasSuffix(kind, "_FLUSH"), strings.Contains(kind, "SET_STATE"), strings.HasSuffix(kind, "SET_TRID"),
		kind == "SEMAPHORE_WAIT", kind == "SEMAPHORE_SET":
		return still
	case strings.HasPrefix(kind, "READ"):
		return reads
	case strings.HasPrefix(kind, "WRITE"):
		return writes
	case kind == "SEMAPHORE_INC":
		return increments
	}
	return unknown
}

// moving reads an event that may move data.
func (t *Trace) moving(e, kind *jsontree.Value) error {
	what := actionOf(kind.Text)
	switch what {
	case unknown:
		return kind.Fault("expected READ…, WRITE…, SEMAPHORE… or a barrier", "unknown type %q", input.Clip(kind.Text))
	case still:
		t.Facts.Still++
		return nil
	}
	m := move{line: e.Line, bytes: 1}
	cycle, err := e.Int("timestamp", 0, 1<<62)
	if err != nil {
		return err
	}
	m.cycle = int64(cycle)
	if what != increments {
		if m.bytes, err = e.Int("num_bytes", 0, maxEventBytes); err != nil {
			return err
		}
	}
	if m.sx, m.sy, err = coordinates(e, "sx", "sy"); err != nil {
		return err
	}
	if e.Field("mcast_start_x") != nil {
		return t.multicast(e, m)
	}
	if m.dx, m.dy, err = coordinates(e, "dx", "dy"); err != nil {
		return err
	}
	switch what {
	case reads:
		t.Facts.Reads++
		m.sx, m.sy, m.dx, m.dy = m.dx, m.dy, m.sx, m.sy
	case writes:
		t.Facts.Writes++
	case increments:
		t.Facts.Semaphores++
	}
	t.add(m)
	return nil
}

func coordinates(e *jsontree.Value, nameX, nameY string) (x, y int, err error) {
	if x, err = e.Int(nameX, 0, maxCoordinate); err == nil {
		y, err = e.Int(nameY, 0, maxCoordinate)
	}
	return x, y, err
}

// multicast makes a message to every node of a rectangle.
func (t *Trace) multicast(e *jsontree.Value, m move) error {
	x0, y0, err := coordinates(e, "mcast_start_x", "mcast_start_y")
	if err != nil {
		return err
	}
	x1, y1, err := coordinates(e, "mcast_end_x", "mcast_end_y")
	if err != nil {
		return err
	}
	t.Facts.Multicasts++
	for x := min(x0, x1); x <= max(x0, x1); x++ {
		for y := min(y0, y1); y <= max(y0, y1); y++ {
			if m.dx, m.dy = x, y; len(t.moves) <= maxMoves {
				t.add(m)
			}
		}
	}
	return nil
}

// add notes a message; what stays within a node, and what has no bytes, is only counted.
func (t *Trace) add(m move) {
	t.Columns, t.Rows = max(t.Columns, m.sx+1, m.dx+1), max(t.Rows, m.sy+1, m.dy+1)
	switch {
	case m.bytes == 0:
		t.Facts.Still++
	case m.sx == m.dx && m.sy == m.dy:
		t.Facts.Local++
	default:
		t.moves = append(t.moves, m)
	}
}

// Topology is the smallest mesh with all nodes of the trace.
func (t *Trace) Topology() string { return fmt.Sprintf("mesh:%dx%d", t.Columns, t.Rows) }

// Schedule returns the messages on a grid, where column x and row y is node x + y·columns. The first event is in cycle
// first. The error is an *input.Error.
func (t *Trace) Schedule(net *topology.Topology, bytesPerFlit int, first router.Cycle) (*schedule.Schedule, error) {
	if !net.IsGrid() || len(net.Dims) != 2 || net.Dims[0] < t.Columns || net.Dims[1] < t.Rows {
		return nil, input.At(t.File, 0, fmt.Sprintf("expected a mesh or torus of two dimensions, at least %dx%d", t.Columns, t.Rows), "events on %s", net)
	}
	s := &schedule.Schedule{File: t.File}
	start := t.moves[0].cycle
	for i, m := range t.moves {
		if m.cycle-start > maxCycle {
			return nil, input.At(t.File, m.line, fmt.Sprintf("expected at most %d cycles after the first event", int64(maxCycle)), "timestamp %d", m.cycle)
		}
		s.Rows = append(s.Rows, schedule.Row{
			Message: int32(i + 1), Source: net.At([]int{m.sx, m.sy}), Destination: net.At([]int{m.dx, m.dy}),
			Flits: (m.bytes + bytesPerFlit - 1) / bytesPerFlit, Dispatch: first + router.Cycle(m.cycle-start), Line: m.line,
		})
	}
	return s, nil
}

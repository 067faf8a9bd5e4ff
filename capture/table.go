// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"

	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/router"
)

// Event is a flit at a node in a cycle, from whatever witness: the model or a
// simulator's log.
type Event struct {
	Cycle   router.Cycle
	Node    router.NodeID
	Arrival bool // it arrived over a link in this cycle; otherwise it stands in an injection register
	Kind    router.Kind
	Message int64  // the message's name
	Flit    uint32 // position in the message, from 1
	Value   uint32 // payload word
}

// Cell returns how tables show the event's flit: m5.1, (3), [*] or <3>.
func (e Event) Cell() string { return string(e.appendCell(nil)) }

func (e Event) appendCell(b []byte) []byte {
	switch e.Kind {
	case router.Order:
		return append(strconv.AppendUint(append(b, '('), uint64(e.Value), 10), ')')
	case router.Token:
		return append(b, "[*]"...)
	case router.Certificate:
		return append(strconv.AppendUint(append(b, '<'), uint64(e.Value), 10), '>')
	}
	b = strconv.AppendInt(append(b, 'm'), e.Message, 10)
	return strconv.AppendUint(append(b, '.'), uint64(e.Flit), 10)
}

// maxCells bounds a table: beyond it nobody reads it, and it fills the disk.
const maxCells = 1 << 28

// TableBuilder makes the table of a run from events, which come in any order.
type TableBuilder struct {
	columns []router.NodeID // rising
	events  []Event
}

// NewTableBuilder returns a builder for a network with nodes 0 to nodes-1.
func NewTableBuilder(nodes int) *TableBuilder {
	columns := make([]router.NodeID, nodes)
	for n := range columns {
		columns[n] = router.NodeID(n)
	}
	return NewTableBuilderOf(columns)
}

// NewTableBuilderOf returns a builder for a table with columns for some nodes
// only; events at other nodes are passed over.
func NewTableBuilderOf(columns []router.NodeID) *TableBuilder {
	return &TableBuilder{columns: slices.Compact(slices.Sorted(slices.Values(columns)))}
}

// Add enters an event.
func (b *TableBuilder) Add(e Event) {
	if !e.Arrival && e.Kind != router.Data {
		return // control flits are shown only where they arrive
	}
	if _, found := slices.BinarySearch(b.columns, e.Node); found {
		b.events = append(b.events, e)
	}
}

// Write writes the table as CSV. It may be called again after further events.
func (b *TableBuilder) Write(w io.Writer) error {
	slices.SortStableFunc(b.events, compareEvents)
	if err := b.checkSize(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	line := []byte("step")
	for _, n := range b.columns {
		line = strconv.AppendInt(append(line, ",P"...), int64(n), 10)
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := b.writeRows(out, line); err != nil {
		return err
	}
	return out.Flush()
}

// compareEvents orders by cell; within a cell arrivals come first, then rising
// names, so that every witness writes the same text.
func compareEvents(x, y Event) int {
	return cmp.Or(
		cmp.Compare(x.Cycle, y.Cycle), cmp.Compare(x.Node, y.Node), arrivalsFirst(x, y), cmp.Compare(x.Kind, y.Kind),
		cmp.Compare(x.Message, y.Message), cmp.Compare(x.Flit, y.Flit), cmp.Compare(x.Value, y.Value),
	)
}

func arrivalsFirst(x, y Event) int {
	switch {
	case x.Arrival == y.Arrival:
		return 0
	case x.Arrival:
		return -1
	}
	return 1
}

func (b *TableBuilder) checkSize() error {
	if len(b.events) == 0 {
		return nil
	}
	rows := int64(b.events[len(b.events)-1].Cycle - b.events[0].Cycle + 1)
	if columns := int64(len(b.columns)); rows > maxCells/columns {
		return input.Errorf("expected at most 2^28 cells: a window of cycles or nodes, or a trace of crossings",
			"a table of %d cycles and %d nodes is too large", rows, columns)
	}
	return nil
}

func (b *TableBuilder) writeRows(out *bufio.Writer, line []byte) error {
	rest := b.events
	if len(rest) == 0 {
		return nil
	}
	for cycle := rest[0].Cycle; len(rest) > 0; cycle++ {
		line = strconv.AppendInt(line[:0], int64(cycle), 10)
		for _, n := range b.columns {
			line, rest = appendCells(append(line, ','), rest, cycle, n)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// appendCells writes the cell at a cycle and node and returns the events after it.
func appendCells(line []byte, rest []Event, cycle router.Cycle, n router.NodeID) ([]byte, []Event) {
	for k := 0; len(rest) > 0 && rest[0].Cycle == cycle && rest[0].Node == n; k++ {
		first := rest[0]
		if k > 0 {
			line = append(line, ' ')
		}
		line = first.appendCell(line)
		for rest = rest[1:]; first.Arrival && len(rest) > 0 && rest[0].Cycle == cycle && rest[0].Node == n && !rest[0].Arrival; {
			rest = rest[1:] // an arrival hides what waits
		}
	}
	return line, rest
}

// Table is a monitor that collects the table of a run.
type Table struct {
	*observer
	builder *TableBuilder
}

// NewTable returns a monitor for a network; Attach it before the first cycle.
// Its errors are *input.Error.
func NewTable(net *fabric.Network, opts Options) (*Table, error) {
	opts, err := opts.resolve(net.Topology)
	if err != nil {
		return nil, err
	}
	t := &Table{observer: newObserver(net, opts), builder: NewTableBuilder(net.Topology.Nodes())}
	if opts.Nodes != nil {
		t.builder = NewTableBuilderOf(opts.Nodes)
	}
	return t, nil
}

// Update enters the flits of the cycle.
func (t *Table) Update(s fabric.Signals) {
	t.lookAtLinks(s)
	t.lookAtNodes(s)
	if now := s.Now(); t.opts.inWindow(now) {
		for _, f := range t.waiting {
			t.builder.Add(f.event(now, f.Node, false))
		}
	}
	if at := s.Now() + t.hop; t.opts.inWindow(at) {
		for _, c := range t.crossings {
			t.builder.Add(c.event(at, c.To, true))
		}
	}
}

// Write writes the table of the cycles so far.
func (t *Table) Write(w io.Writer) error { return t.builder.Write(w) }

func (f *flitView) event(cycle router.Cycle, node router.NodeID, arrival bool) Event {
	return Event{cycle, node, arrival, f.Kind, f.Message, f.Flit, f.Value}
}

// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bufio"
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"

	"meshwright/capture/queue"
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
	Message int64  // what Options.Label calls the message
	Flit    uint32 // position in the message, from 1
	Value   uint32 // the lowest 32 bits of the payload
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
	still   []stretch    // rising
	waits   queue.Record // flits in buffers
	until   router.Cycle // the rows end before this cycle; 0: no bound
}

// stretch is cycles in which nothing but arrivals happens, and some flits wait.
type stretch struct {
	from, until router.Cycle
	waiting     []Event // by node
}

// NewTableBuilder returns a builder for a network with nodes 0 to nodes-1.
func NewTableBuilder(nodes int) *TableBuilder {
	nodes = max(0, nodes)
	columns := make([]router.NodeID, nodes)
	for n := range columns {
		columns[n] = router.NodeID(n)
	}
	return newTableBuilder(columns)
}

// newTableBuilder returns a builder for a table with columns for some nodes
// only; events at other nodes are passed over.
func newTableBuilder(columns []router.NodeID) *TableBuilder {
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

// stand enters flits that wait in injection registers from one cycle until
// before another, in which no others come or go.
func (b *TableBuilder) stand(from, until router.Cycle, waiting []Event) {
	data := slices.DeleteFunc(waiting, func(e Event) bool {
		_, found := slices.BinarySearch(b.columns, e.Node)
		return e.Kind != router.Data || !found
	})
	if from < until && len(data) > 0 {
		slices.SortStableFunc(data, compareEvents)
		b.still = append(b.still, stretch{from, until, data})
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

// span returns the first and the last cycle with a filled cell; false: there is none.
func (b *TableBuilder) span() (first, last router.Cycle, ok bool) {
	first, last = math.MaxInt64, -1
	if len(b.events) > 0 {
		first, last = b.events[0].Cycle, b.events[len(b.events)-1].Cycle
	}
	if len(b.still) > 0 {
		first, last = min(first, b.still[0].from), max(last, b.still[len(b.still)-1].until-1)
	}
	if from, to, ok := b.waits.Span(); ok {
		first, last = min(first, from), max(last, to)
	}
	if b.until > 0 {
		last = min(last, b.until-1)
	}
	return first, last, first <= last
}

func (b *TableBuilder) checkSize() error {
	first, last, ok := b.span()
	if !ok {
		return nil
	}
	rows := int64(last - first + 1)
	if columns := int64(len(b.columns)); rows > maxCells/columns {
		return input.Errorf("expected at most 2^28 cells: a window of cycles or nodes, or a trace of crossings",
			"a table of %d cycles and %d nodes is too large", rows, columns)
	}
	return nil
}

func (b *TableBuilder) writeRows(out *bufio.Writer, line []byte) error {
	first, last, ok := b.span()
	if !ok {
		return nil
	}
	rest, still, queues := b.events, b.still, b.waits.Walk()
	for cycle := first; cycle <= last; cycle++ {
		for len(still) > 0 && still[0].until <= cycle {
			still = still[1:]
		}
		var waiting []Event
		if len(still) > 0 && still[0].from <= cycle {
			waiting = still[0].waiting
		}
		queues.To(cycle)
		line = strconv.AppendInt(line[:0], int64(cycle), 10)
		for _, n := range b.columns {
			line = append(line, ',')
			var here []Event
			here, waiting = atNode(waiting, n)
			before := len(rest)
			if line, rest = appendCells(line, rest, cycle, n); len(rest) == before {
				line = appendWaiting(line, here)
			}
			if n := queues.At(n); n > 0 {
				line = strconv.AppendInt(append(line, '+'), int64(n), 10)
			}
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// atNode splits events that rise by node into those at a node and those after it.
func atNode(events []Event, n router.NodeID) (here, rest []Event) {
	k := 0
	for k < len(events) && events[k].Node == n {
		k++
	}
	return events[:k], events[k:]
}

// appendWaiting writes a cell in which flits wait.
func appendWaiting(line []byte, waiting []Event) []byte {
	for k, e := range waiting {
		if k > 0 {
			line = append(line, ' ')
		}
		line = e.appendCell(line)
	}
	return line
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
	opts, err := opts.resolve(net, ByTag)
	if err != nil {
		return nil, err
	}
	t := &Table{observer: newObserver(net, opts), builder: NewTableBuilder(net.Topology.Nodes())}
	if opts.Nodes != nil {
		t.builder = newTableBuilder(opts.Nodes)
	}
	t.builder.waits.From, t.builder.until = opts.From, opts.Until
	return t, nil
}

// Update enters the flits of the cycle.
func (t *Table) Update(s fabric.Signals) {
	t.lookAtLinks(s)
	t.lookAtNodes(s)
	t.standStill(s.Now())
	if t.opts.Until == 0 || s.Now() < t.opts.Until {
		t.lookAtBuffers(s, &t.builder.waits)
	}
	if now := s.Now(); t.opts.inWindow(now) {
		for _, f := range t.waiting {
			t.builder.Add(f.event(now, f.Node, false))
		}
	}
	for _, c := range t.crossings {
		if at := s.Now() + c.Hop; t.opts.inWindow(at) {
			t.builder.Add(c.event(at, c.To, true))
		}
	}
}

// standStill enters what waited in the cycles before this one that the clock skipped.
func (t *Table) standStill(now router.Cycle) {
	if len(t.still) == 0 {
		return
	}
	from, until := max(now-t.skipped, t.opts.From), now
	if t.opts.Until > 0 {
		until = min(until, t.opts.Until)
	}
	waiting := make([]Event, len(t.still))
	for i, f := range t.still {
		waiting[i] = f.event(from, f.Node, false)
	}
	t.builder.stand(from, until, waiting)
}

// Write writes the table of the cycles so far.
func (t *Table) Write(w io.Writer) error { return t.builder.Write(w) }

func (f *flitView) event(cycle router.Cycle, node router.NodeID, arrival bool) Event {
	return Event{cycle, node, arrival, f.Kind, f.Message, f.Flit, f.Value}
}

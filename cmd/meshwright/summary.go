// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// summary is the report of a run; its JSON names are a contract.
type summary struct {
	Collective string `json:"collective"`
	Algorithm  string `json:"algorithm"`
	Ordered    bool   `json:"order_given,omitempty"`
	Topology   string `json:"topology"`
	Nodes      int    `json:"nodes"`
	jobRecord
	Messages       int               `json:"messages"`
	Flits          int               `json:"flits"`
	Arrived        *uint64           `json:"flits_delivered,omitempty"` // of a run that failed
	Cycles         duration          `json:"cycles"`
	Quiet          duration          `json:"quiet_cycles"`
	LowerBound     duration          `json:"lower_bound"`
	BoundBy        bound.Proof       `json:"lower_bound_by,omitempty"`
	Ratio          quotient          `json:"ratio"`
	OptimalBy      bound.Proof       `json:"optimal_by,omitempty"`
	Collisions     int               `json:"collisions"`
	Unlisted       int               `json:"collisions_not_listed"`
	MaxBufferFlits int               `json:"max_buffer_flits"`
	Delivered      bool              `json:"delivered"`
	Auto           bool              `json:"auto,omitempty"`        // the algorithm was chosen
	ChosenFrom     []weighed         `json:"chosen_from,omitempty"` // the winner first
	Stopped        bool              `json:"stopped,omitempty"`     // by --limit
	Root           *int              `json:"root,omitempty"`
	Late           *int              `json:"late_messages,omitempty"`
	Hottest        *hottest          `json:"hottest_link,omitempty"`
	LinkCycles     linkCycles        `json:"link_cycles"`
	First          []collision       `json:"first_collisions,omitempty"`
	Faults         *faultCounts      `json:"faults,omitempty"`
	BufferErrors   *bufferErrors     `json:"buffer_errors,omitempty"`
	Arrivals       *arrivals         `json:"arrivals,omitempty"`
	Flow           *dataFlow         `json:"data_flow,omitempty"`
	Failure        string            `json:"failure,omitempty"`
	Circle         []waitingChannel  `json:"deadlock_cycle,omitempty"`
	PayloadFiles   int               `json:"payload_files,omitempty"`
	PayloadBytes   int               `json:"payload_bytes,omitempty"`
	Machine        map[string]string `json:"machine"`
	Version        string            `json:"version"`

	title    string
	remedy   string // what avoids a deadlock or losses that ended the run, if it is known
	copies   bool   // messages travel in several copies, and the bound is one of one copy
	counted  string // whether messages and flits are those that were planned, or that programs sent
	compared string // what was compared
	lost     string // what collisions cost
	byItself bool   // the bound is that of the messages, each by itself
	sending  string // what messages are called on the machine
	facts    []fact // the algorithm's own fields
	choice   string // what auto chose, and why
	slow     string // that buffers are too small for the full rate of links
}

// stoppedText says that a plan may not be the best.
const stoppedText = "the limit ended its search: the best so far"

// fact is a figure that only some algorithms have.
type fact struct{ key, name, text, json string }

// shownOnly is a fact of the table alone.
func shownOnly(name, text string) fact { return fact{name: name, text: text} }

// quotient is a time by a bound; not a number when time was spent on nothing.
type quotient float64

// String prints three decimals.
func (q quotient) String() string {
	if math.IsNaN(float64(q)) {
		return "none"
	}
	return fmt.Sprintf("%.3f", float64(q))
}

// MarshalJSON writes a number, or null.
func (q quotient) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(q)) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(q))
}

// hottest is the link that was busy for longest.
type hottest struct {
	Link  string  `json:"link"`
	Flits uint64  `json:"flits"`
	Busy  float64 `json:"busy_fraction"`

	name string // of the link, for people
}

// newHottest describes a link of a topology.
func newHottest(t *topology.Topology, link topology.Link, flits uint64, busy float64) *hottest {
	return &hottest{linkName(link), flits, busy, t.LinkText(link.From, link.To, ">")}
}

// String says how much crossed the link, and for how much of the time.
func (h *hottest) String() string {
	return fmt.Sprintf("%s (%s, %.1f%% busy)", h.name, input.Count(int(h.Flits), "flit"), 100*h.Busy)
}

// linkCycles sums the states of all links, in link cycles; see fabric.LinkUse.
type linkCycles struct {
	Busy    duration `json:"busy"`
	Blocked duration `json:"blocked"`
	Idle    duration `json:"idle"`
}

// collision is a lost flit.
type collision struct {
	Cycle    router.Cycle `json:"cycle"`
	Node     int          `json:"node"`
	Conflict string       `json:"conflict"`
	Lost     int32        `json:"lost_message"`
	Holder   int32        `json:"holder_message"`

	at    string // the node, for people
	early bool   // its startup would begin before cycle 0
}

func newSummary(o *outcome) *summary {
	s := &summary{
		Collective: o.collective, Algorithm: o.algorithm, Ordered: o.ordered, Topology: o.topology.String(), Nodes: o.topology.Nodes(), jobRecord: o.job,
		Messages: o.messages, Flits: o.flits, Cycles: o.time(o.cycles), Quiet: o.time(o.network.Quiet()), LowerBound: o.time(o.lowerBound), BoundBy: o.proof, Ratio: o.ratio(), OptimalBy: o.optimalBy(),
		Collisions: o.collisionCount, MaxBufferFlits: o.maxBufferFlits, Delivered: o.delivered,
		Machine: machineSettings(o.machine), Version: version(), PayloadFiles: len(o.files), Root: o.root, Late: o.late,
	}
	s.compared, s.lost, s.byItself, s.Flow = o.compared(), o.lost(), o.byItself, o.flow
	s.counted = "planned"
	if o.firmware != nil {
		s.counted = "sent"
	}
	if !o.delivered {
		arrived := o.network.Delivered()
		s.Arrived = &arrived
	}
	if o.failure != nil {
		s.Failure, s.compared = o.failure.Error(), "NO"
		if locked := new(router.Deadlock); errors.As(o.failure, &locked) {
			s.remedy, s.Circle = remedyOf(o.topology, o.machine), newWaitingChannels(o.topology, locked)
		}
		if stuck := new(collective.Stuck); errors.As(o.failure, &stuck) {
			s.remedy = o.againstLosses(stuck)
		}
	}
	if o.firmware != nil && o.firmware.ComparedWords == 0 {
		s.Delivered = false
	}
	for _, f := range o.files {
		s.PayloadBytes += f.Bytes
	}
	s.Faults, s.BufferErrors = newFaultCounts(o.network), newBufferErrors(o.network)
	if s.Arrivals = newArrivals(o.arrivals, o.root != nil); s.Arrivals != nil && s.Failure == "" {
		s.compared = s.Arrivals.compared()
	}
	s.countLinks(o.network)
	s.copies = o.plan != nil && o.plan.Fact("copies") > 1
	s.facts, s.title, s.sending = o.facts(), o.title(), "messages"
	s.ChosenFrom, s.choice = o.weighed(), o.choice()
	s.Auto, s.Stopped = s.choice != "", o.plan != nil && o.plan.Stopped
	s.slow = o.machine.BelowFullRate(o.topology)
	if o.machine.PacketSwitched() {
		s.sending = "packets"
	}
	s.Unlisted = o.collisionCount - len(o.collisions)
	for _, c := range o.collisions {
		s.First = append(s.First, collision{c.Cycle, int(c.Node), string(c.Conflict), c.Lost, c.Holder, o.topology.NodeText(c.Node), c.Cycle < router.Cycle(o.machine.StartupTicks())})
	}
	return s
}

// countLinks sums up the work of the links, and finds the hottest link.
func (s *summary) countLinks(n *fabric.Network) {
	var sum fabric.LinkUse
	for _, u := range n.LinkUses() {
		sum.Busy += u.Busy
		sum.Blocked += u.Blocked
		sum.Idle += u.Idle
	}
	if link, u, ok := n.Hottest(); ok {
		s.Hottest = newHottest(n.Topology, link, u.Flits, n.BusyShare(u))
	}
	time := func(ticks uint64) duration { return duration{router.Cycle(ticks), n.Machine.Ticks()} }
	s.LinkCycles = linkCycles{time(sum.Busy), time(sum.Blocked), time(sum.Idle)}
}

func machineSettings(m machine.Machine) map[string]string {
	settings := map[string]string{"name": m.Name}
	for _, k := range machine.Keys() {
		if value := k.Get(&m); value != k.Unsaid || value == "" {
			settings[k.Name] = value
		}
	}
	if m.Faults != nil {
		settings["faults"] = m.Faults.String()
	}
	return settings
}

func (s *summary) printJSON(w io.Writer) error { return printJSON(w, s) }

// MarshalJSON writes the algorithm's own fields behind those that all runs have.
func (s *summary) MarshalJSON() ([]byte, error) {
	type common summary
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode((*common)(s)); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(b.Bytes())
	for _, f := range s.facts {
		if f.key == "" {
			continue // of the table alone
		}
		text = fmt.Appendf(text[:len(text)-1], ",%q:%s}", f.key, f.json)
	}
	return text, nil
}

func printJSON(w io.Writer, v any) error {
	text, err := escape.MarshalJSON(v, "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// ratioText is the ratio, or why there is none.
func (s *summary) ratioText() string {
	switch {
	case !math.IsNaN(float64(s.Ratio)):
		if s.byItself {
			return s.Ratio.String() + ofMessages
		}
		return s.Ratio.String() + s.ofOneCopy("against") + optimalText(s.OptimalBy)
	case !s.Delivered:
		return "none: not every word was delivered"
	case s.Failure != "":
		return "none: the run failed"
	case s.Flow.failed():
		return s.Flow.none()
	}
	return "none: nothing was to do"
}

// ofOneCopy says that a bound knows only one copy of each message; "" where there are not several.
func (s *summary) ofOneCopy(preposition string) string {
	if !s.copies {
		return ""
	}
	return ", " + preposition + " one copy"
}

// planned is a number of messages or flits; of a run that failed, it says what is counted, since not all of them arrived.
func (s *summary) planned(count int) string {
	if s.Arrived == nil {
		return itoa(count)
	}
	return itoa(count) + " " + s.counted
}

// flitsText counts the flits of data; of a run that failed, also all those that PEs took.
func (s *summary) flitsText() string {
	text := s.planned(s.Flits)
	if s.Arrived != nil {
		text += fmt.Sprintf(", %d delivered", *s.Arrived)
	}
	return text
}

// cyclesText is the time. Of a run that did not do its job it says so, as it may be below the bound and the prediction.
func (s *summary) cyclesText() string {
	text := s.Cycles.String()
	switch {
	case !math.IsNaN(float64(s.Ratio)):
		return text
	case !s.Delivered:
		return text + ", not every word delivered"
	case s.Failure != "":
		return text + ", the run failed"
	case s.Flow.failed():
		return text + ", not of the collective"
	}
	return text
}

// optimalText says behind a ratio of 1 which bound is met.
func optimalText(by bound.Proof) string {
	if by == "" {
		return ""
	}
	return fmt.Sprintf(", optimal (%s)", by)
}

func (s *summary) printTable(w io.Writer) error {
	var rows [][]string
	if s.choice != "" {
		rows = append(rows, []string{"chosen", s.choice})
	}
	if s.Stopped {
		rows = append(rows, []string{"limit", stoppedText})
	}
	hot := "none"
	if s.Hottest != nil {
		hot = s.Hottest.String()
	}
	rows = append(rows, []string{s.sending, s.planned(s.Messages)}, []string{"flits", s.flitsText()})
	if s.PayloadFiles > 0 {
		rows = append(rows, []string{"payload", input.Count(s.PayloadFiles, "file") + ", " + input.Count(s.PayloadBytes, "byte")})
	}
	rows = append(rows, []string{"cycles", s.cyclesText()})
	if s.Quiet != s.Cycles {
		rows = append(rows, []string{"network quiet", s.Quiet.String()})
	}
	rows = append(rows,
		[]string{"lower bound", s.LowerBound.String() + s.ofOneCopy("for")},
		[]string{"ratio", s.ratioText()},
	)
	for _, f := range s.facts {
		if f.name != "" {
			rows = append(rows, []string{f.name, f.text})
		}
	}
	rows = append(rows,
		[]string{"hottest link", hot},
		[]string{"collisions", s.lost},
		[]string{"fullest buffer", input.Count(s.MaxBufferFlits, "flit")},
	)
	if s.Faults != nil {
		rows = append(append(rows, s.Faults.rows()...), []string{"faults", s.Faults.String()})
	}
	if s.BufferErrors != nil {
		rows = append(rows, []string{"buffer errors", s.BufferErrors.String()})
	}
	if s.Arrivals != nil {
		rows = append(rows, []string{"live PEs", s.Arrivals.String()})
	}
	rows = append(rows, []string{"delivered", s.compared})
	if s.byItself || s.Flow != nil {
		rows = append(rows, s.Flow.rows()...)
	}
	if s.Late != nil && *s.Late > 0 {
		rows = append(rows, []string{"late", input.Count(*s.Late, "message") + " entered later than dispatched"})
	}
	if err := printRows(w, s.title, nil, rows); err != nil {
		return err
	}
	if s.slow != "" {
		if _, err := fmt.Fprintln(w, s.slow); err != nil {
			return err
		}
	}
	return s.printFailures(w)
}

// compared names the words that were compared in a run without a fault.
func (o *outcome) compared() string {
	switch {
	case o.firmware != nil:
		return o.firmware.compared()
	case o.arrivals != nil && newArrivals(o.arrivals, o.root != nil).unsent():
		return newArrivals(o.arrivals, o.root != nil).compared()
	case o.byItself || o.flow != nil:
		return "every word of each message compared"
	default:
		return "every word compared"
	}
}

func (s *summary) printFailures(w io.Writer) error {
	if s.Failure != "" {
		if _, err := fmt.Fprintln(w, "FAIL "+escape.Line(s.Failure)); err != nil {
			return err
		}
	}
	if s.remedy != "" {
		if _, err := fmt.Fprintln(w, s.remedy); err != nil {
			return err
		}
	}
	if err := s.Flow.print(w); err != nil {
		return err
	}
	return printFirst(w, s.First, s.Collisions, false)
}

// String names the cycle and node of a collision, the message that was lost and the
// message in its way.
func (c collision) String() string {
	text := fmt.Sprintf("collision in cycle %d at node %s (%s): message %d lost", c.Cycle, c.at, c.Conflict, c.Lost)
	switch {
	case c.Holder < 0 && c.early:
		return text + ": its startup would begin before cycle 0"
	case c.Holder < 0:
		return text // no other message is in the way
	}
	return text + fmt.Sprintf(" to message %d", c.Holder)
}

// lines makes every cell one line.
func lines(rows [][]string) [][]string {
	escaped := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			escaped[i] = append(escaped[i], escape.Line(cell))
		}
	}
	return escaped
}

// printRows prints a titled table; header may be nil.
func printRows(w io.Writer, title string, header []string, rows [][]string) error {
	return printCells(w, escape.Line(title), header, lines(rows))
}

// number is a cell that stands at the right of its column: a figure, with what may stand behind it.
var number = regexp.MustCompile(`^[-+*]?[0-9][0-9.,/]*(e[-+]?[0-9]+)?(%|\*| ± ?.*|[KMGT]i?B|B)?$`)

// sides aligns columns of figures at the right, and others at the left.
func sides(rows [][]string) []tw.Align {
	var list []tw.Align
	for _, row := range rows {
		for column, cell := range row {
			if column == len(list) {
				list = append(list, tw.AlignRight)
			}
			if cell != "" && list[column] == tw.AlignRight && !number.MatchString(cell) {
				list[column] = tw.AlignLeft
			}
		}
	}
	return list
}

// printCells prints a table whose texts are fit to print. Below a header figures stand at the right.
func printCells(w io.Writer, title string, header []string, rows [][]string) error {
	if _, err := fmt.Fprintln(w, title); err != nil {
		return err
	}
	table := tablewriter.NewTable(w, tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithRowAutoWrap(tw.WrapNone))
	if header != nil {
		table.Header(header)
		table.Configure(func(c *tablewriter.Config) { c.Row.Alignment.PerColumn = sides(rows) })
	}
	if err := table.Bulk(rows); err != nil {
		return err
	}
	return table.Render()
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// summary is what a run came to; its JSON names are a contract.
type summary struct {
	Collective     string            `json:"collective"`
	Algorithm      string            `json:"algorithm"`
	Ordered        bool              `json:"order_given,omitempty"`
	Topology       string            `json:"topology"`
	Nodes          int               `json:"nodes"`
	Messages       int               `json:"messages"`
	Flits          int               `json:"flits"`
	Cycles         duration          `json:"cycles"`
	LowerBound     duration          `json:"lower_bound"`
	Ratio          quotient          `json:"ratio"`
	Collisions     int               `json:"collisions"`
	MaxBufferFlits int               `json:"max_buffer_flits"`
	Delivered      bool              `json:"delivered"`
	Root           *int              `json:"root,omitempty"`
	Late           *int              `json:"late_messages,omitempty"`
	Hottest        *hottest          `json:"hottest_link,omitempty"`
	LinkCycles     linkCycles        `json:"link_cycles"`
	First          []collision       `json:"first_collisions,omitempty"`
	Failure        string            `json:"failure,omitempty"`
	PayloadFiles   int               `json:"payload_files,omitempty"`
	PayloadBytes   int               `json:"payload_bytes,omitempty"`
	Machine        map[string]string `json:"machine"`
	Version        string            `json:"version"`

	title   string
	sending string // what messages are called on the machine
	facts   []fact // the algorithm's own fields
}

// fact is a figure that only some algorithms have.
type fact struct{ key, name, text, json string }

// quotient is a time by a bound; not a number when time was spent on nothing.
type quotient float64

// String prints three decimals.
func (q quotient) String() string {
	if math.IsNaN(float64(q)) {
		return "none: nothing was to do"
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

// hottest is the link that most flits crossed.
type hottest struct {
	Link  string  `json:"link"`
	Flits uint64  `json:"flits"`
	Busy  float64 `json:"busy_fraction"`
}

// String says how much crossed the link, and for how much of the time.
func (h *hottest) String() string {
	return fmt.Sprintf("%s (%s, %.1f%% busy)", h.Link, input.Count(int(h.Flits), "flit"), 100*h.Busy)
}

// linkCycles sums what all links did, in link cycles.
type linkCycles struct {
	Busy    uint64 `json:"busy"`
	Blocked uint64 `json:"blocked"`
	Idle    uint64 `json:"idle"`
}

// collision is a lost flit.
type collision struct {
	Cycle    router.Cycle `json:"cycle"`
	Node     int          `json:"node"`
	Conflict string       `json:"conflict"`
	Lost     int32        `json:"lost_message"`
	Holder   int32        `json:"holder_message"`
}

func newSummary(o *outcome) *summary {
	s := &summary{
		Collective: o.collective, Algorithm: o.algorithm, Ordered: o.ordered, Topology: o.topology.String(), Nodes: o.topology.Nodes(),
		Messages: o.messages, Flits: o.flits, Cycles: o.time(o.cycles), LowerBound: o.time(o.lowerBound), Ratio: o.ratio(),
		Collisions: o.collisionCount, MaxBufferFlits: o.maxBufferFlits, Delivered: o.delivered,
		Machine: machineSettings(o.machine), Version: version(), PayloadFiles: len(o.files), Root: o.root, Late: o.late,
	}
	if o.failure != nil {
		s.Failure = o.failure.Error()
	}
	for _, f := range o.files {
		s.PayloadBytes += f.Bytes
	}
	s.countLinks(o.topology, o.network.LinkUse())
	s.facts, s.title, s.sending = o.facts(), o.title(), "messages"
	if o.machine.PacketSwitched() {
		s.sending = "packets"
	}
	for _, c := range o.collisions[:min(len(o.collisions), shown)] {
		s.First = append(s.First, collision{c.Cycle, int(c.Node), string(c.Conflict), c.Lost, c.Holder})
	}
	return s
}

func (s *summary) countLinks(t *topology.Topology, use []fabric.LinkUse) {
	links := t.Links()
	for _, u := range use {
		s.LinkCycles.Busy += u.Busy
		s.LinkCycles.Blocked += u.Blocked
		s.LinkCycles.Idle += u.Idle
		if u.Flits > 0 && (s.Hottest == nil || u.Flits > s.Hottest.Flits) {
			s.Hottest = &hottest{linkName(links[u.Link]), u.Flits, float64(u.Busy) / s.span(u)}
		}
	}
}

// span is the time in which a link could be busy, in ticks: that of the
// operation, or the whole run where the operation came to no end.
func (s *summary) span(u fabric.LinkUse) float64 {
	if s.Delivered || s.Collisions > 0 {
		return float64(max(1, s.Cycles.ticks))
	}
	return float64(u.Busy + u.Blocked + u.Idle)
}

func machineSettings(m machine.Machine) map[string]string {
	settings := map[string]string{"name": m.Name}
	for _, k := range machine.Keys() {
		settings[k.Name] = k.Get(&m)
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
		text = fmt.Appendf(text[:len(text)-1], ",%q:%s}", f.key, f.json)
	}
	return text, nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func (s *summary) printTable(w io.Writer) error {
	hot := "none"
	if s.Hottest != nil {
		hot = s.Hottest.String()
	}
	rows := [][]string{
		{s.sending, itoa(s.Messages)},
		{"flits", itoa(s.Flits)},
	}
	if s.PayloadFiles > 0 {
		rows = append(rows, []string{"payload", input.Count(s.PayloadFiles, "file") + ", " + input.Count(s.PayloadBytes, "byte")})
	}
	rows = append(rows,
		[]string{"cycles", s.Cycles.String()},
		[]string{"lower bound", s.LowerBound.String()},
		[]string{"ratio", s.Ratio.String()},
	)
	for _, f := range s.facts {
		rows = append(rows, []string{f.name, f.text})
	}
	rows = append(rows,
		[]string{"hottest link", hot},
		[]string{"collisions", itoa(s.Collisions)},
		[]string{"fullest buffer", input.Count(s.MaxBufferFlits, "flit")},
		[]string{"delivered", delivered(s.Delivered)},
	)
	if s.Late != nil && *s.Late > 0 {
		rows = append(rows, []string{"late", input.Count(*s.Late, "message") + " entered after their dispatch"})
	}
	if err := printRows(w, s.title, nil, rows); err != nil {
		return err
	}
	return s.printFailures(w)
}

func delivered(ok bool) string {
	if ok {
		return "every word compared"
	}
	return "NO"
}

func (s *summary) printFailures(w io.Writer) error {
	if s.Failure != "" {
		if _, err := fmt.Fprintln(w, "FAIL "+s.Failure); err != nil {
			return err
		}
	}
	for _, c := range s.First {
		if _, err := fmt.Fprintln(w, c.String()); err != nil {
			return err
		}
	}
	return nil
}

// String says what was lost where, and to what.
func (c collision) String() string {
	text := fmt.Sprintf("collision in cycle %d at node %d (%s): message %d lost", c.Cycle, c.Node, c.Conflict, c.Lost)
	if c.Holder < 0 {
		return text // no other message: it was due before its startup could end
	}
	return text + fmt.Sprintf(" to message %d", c.Holder)
}

// printRows prints a titled table; header may be nil.
func printRows(w io.Writer, title string, header []string, rows [][]string) error {
	if _, err := fmt.Fprintln(w, title); err != nil {
		return err
	}
	table := tablewriter.NewTable(w, tablewriter.WithHeaderAutoFormat(tw.Off), tablewriter.WithRowAutoWrap(tw.WrapNone))
	if header != nil {
		table.Header(header)
	}
	if err := table.Bulk(rows); err != nil {
		return err
	}
	return table.Render()
}

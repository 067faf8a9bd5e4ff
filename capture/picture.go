// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"meshwright/capture/queue"
	"meshwright/capture/svg"
	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/router"
)

func newPicture(o *observer, w io.Writer) (sink, error) {
	if o.opts.Picture == LinkLoad {
		return newLoad(o, w), nil
	}
	return newSpaceTime(o, w), nil
}

// operation is the knowledge of pictures about a run besides its flits: how long it took, as
// tables say it.
type operation struct {
	*observer
	meter   fabric.Meter
	crossed int64 // links, in the window
}

// Evaluate measures the time of the operation.
func (o *operation) Evaluate(s fabric.Signals) { o.meter.Evaluate(s) }

// subtitle names the machine, the topology, the time, the remark and the window of the picture.
func (o *operation) subtitle() string {
	ticks := int64(o.net.Machine.Ticks())
	s := fmt.Sprintf("%s · %s cycles", o.machine(), rational.Exactly(int64(o.meter.Cycles), ticks))
	if d := o.net.Deadlock(); d != nil {
		s = fmt.Sprintf("%s · deadlock in cycle %s", o.machine(), rational.Exactly(int64(d.Cycle), ticks))
	}
	if part := o.opts.measured(); part != nil {
		per := router.Cycle(ticks)
		s += fmt.Sprintf(" · measured: cycles %d to %d", part.From/per, (part.Until+per-1)/per-1)
	}
	if part := o.shown(); part != "" {
		s += " · shown: " + part
	}
	return s + fmt.Sprintf(" · %s", input.Count(int(o.crossed), "link crossing"))
}

// machine names the machine and the topology.
func (o *operation) machine() string {
	name := o.net.Machine.Name
	if name == "" {
		name = string(o.net.Machine.Switching)
	}
	return fmt.Sprintf("%s on %s", name, o.net.Topology)
}

// shown names the window; "" when it is the whole run.
func (o *operation) shown() string {
	per := router.Cycle(o.net.Machine.Ticks())
	var parts []string
	switch {
	case o.opts.Until > 0:
		parts = append(parts, fmt.Sprintf("cycles %d to %d", o.opts.From/per, o.opts.Until/per-1))
	case o.opts.From > 0:
		parts = append(parts, fmt.Sprintf("cycles from %d", o.opts.From/per))
	}
	if nodes := o.opts.Nodes; nodes != nil {
		parts = append(parts, nameNodes(nodes))
	}
	return strings.Join(parts, ", ")
}

// late says that the window begins after the run; "" when it does not.
func (o *operation) late() string {
	if o.opts.From == 0 || o.opts.From < o.end() {
		return ""
	}
	return "Nothing is to be seen: the run ends before the window begins."
}

// dead names the dead nodes and links; "" without any.
func (o *operation) dead() string {
	if o.net.Faults() == nil || len(o.net.Faults().Broken()) == 0 {
		return ""
	}
	return "Dead: " + fault.BrokenText(o.net.Topology, o.net.Faults().Broken()) + "."
}

// notes are what a picture says besides its subtitle.
func (o *operation) notes() []string {
	return slices.DeleteFunc([]string{o.late(), o.dead()}, func(s string) bool { return s == "" })
}

// end is the tick in which the run has ended.
func (o *operation) end() router.Cycle { return max(o.net.Now(), o.net.Quiet()) }

// maxNamedRanges bounds the stretches of nodes that a subtitle names.
const maxNamedRanges = 6

// nameNodes names rising nodes: nodes 0 to 7, 12.
func nameNodes(nodes []router.NodeID) string {
	var ranges []string
	for i := 0; i < len(nodes); {
		j := i
		for j+1 < len(nodes) && nodes[j+1] == nodes[j]+1 {
			j++
		}
		switch {
		case len(ranges) == maxNamedRanges:
			return fmt.Sprintf("nodes %s and %d more", strings.Join(ranges, ", "), len(nodes)-i)
		case i == j:
			ranges = append(ranges, fmt.Sprint(nodes[i]))
		default:
			ranges = append(ranges, fmt.Sprintf("%d to %d", nodes[i], nodes[j]))
		}
		i = j + 1
	}
	if len(nodes) == 1 {
		return "node " + ranges[0]
	}
	return "nodes " + strings.Join(ranges, ", ")
}

// spaceTime collects a space-time diagram.
type spaceTime struct {
	operation
	w       io.Writer `snapshot:"-"`
	diagram svg.SpaceTime
}

func newSpaceTime(o *observer, w io.Writer) *spaceTime {
	if nodes := o.opts.Nodes; len(nodes) > 0 {
		// The columns are a stretch of the line.
		o.opts.Nodes = nil
		for n := nodes[0]; n <= nodes[len(nodes)-1]; n++ {
			o.opts.Nodes = append(o.opts.Nodes, n)
		}
	}
	p := &spaceTime{operation: operation{observer: o}, w: w}
	p.diagram = svg.SpaceTime{
		Queues: queue.Record{From: o.opts.From},
		Title:  o.opts.Title, From: o.opts.From, Until: o.opts.Until, PerCycle: int64(o.net.Machine.Ticks()), High: router.NodeID(o.net.Topology.Nodes() - 1),
		Text: func(f svg.Flit) string {
			return Event{Kind: f.Kind, Message: f.Message, Flit: f.Index, Value: f.Value}.Cell()
		},
		Name: func(f svg.Flit) string { return fmt.Sprintf("m%d", f.Message) },
	}
	if nodes := o.opts.Nodes; len(nodes) > 0 {
		p.diagram.Low, p.diagram.High, p.diagram.Whole = nodes[0], nodes[len(nodes)-1], true
	}
	return p
}

// Update enters the flits of the cycle.
func (p *spaceTime) Update(s fabric.Signals) {
	p.lookAtLinks(s)
	p.lookAtNodes(s)
	now := s.Now()
	if p.standStill(now); !p.diagram.Merged() && (p.opts.Until == 0 || now < p.opts.Until) {
		p.lookAtBuffers(s, &p.diagram.Queues)
	}
	inside := p.opts.inWindow(now)
	if now == p.opts.From-1 {
		p.stood(p.waiting)
	}
	if inside {
		for i := range p.waiting {
			p.diagram.Stand(p.waiting[i].drawn(), p.waiting[i].Node, now)
		}
		p.crossed += int64(len(p.crossings))
	}
	for i := range p.crossings {
		c := &p.crossings[i]
		if arrival := now + c.Hop; inside || p.opts.inWindow(arrival) {
			p.diagram.Cross(c.drawn(), c.From, c.To, now, arrival)
			if c.Lost {
				p.diagram.Strike(c.drawn(), c.To, arrival)
			}
		}
	}
	if inside {
		for i := range p.ejected {
			p.diagram.Take(p.ejected[i].drawn(), p.ejected[i].Node, now)
		}
	}
}

// stood enters what stood in registers in the cycle before the window.
func (p *spaceTime) stood(list []standing) {
	for i := range list {
		p.diagram.Stood(list[i].drawn())
	}
}

// standStill enters the flits that stood in registers in the cycles before this
// one that the clock skipped: as many rows as a detailed diagram can have.
func (p *spaceTime) standStill(now router.Cycle) {
	if from := p.opts.From; now-p.skipped < from && from <= now {
		p.stood(p.still)
	}
	first := max(now-p.skipped, p.opts.From)
	if p.opts.Until > 0 {
		now = min(now, p.opts.Until)
	}
	for cycle := first; cycle < min(now, first+svg.MaxDetailCycles); cycle++ {
		for i := range p.still {
			p.diagram.Stand(p.still[i].drawn(), p.still[i].Node, cycle)
		}
	}
}

func (p *spaceTime) finish() error {
	collisions, all := p.net.Collisions()
	for _, c := range collisions {
		if p.opts.inWindow(c.Cycle) && p.opts.ofInterest(c.Node) {
			p.diagram.Collide(c.Lost, c.Node, c.Cycle)
		}
	}
	p.diagram.Lost(all)
	p.diagram.Notes = p.notes()
	p.frame()
	var err error
	if p.diagram.Slow, err = svg.SlowLinks(p.net.Topology, &p.net.Machine); err != nil {
		return err
	}
	p.diagram.Subtitle = p.subtitle()
	return p.diagram.Write(p.w)
}

// frame gives the diagram the rows of the window, as far as the run goes.
func (p *spaceTime) frame() {
	if p.opts.From == 0 && p.opts.Until == 0 {
		return
	}
	last := p.end() - 1
	if p.opts.Until > 0 {
		last = min(last, p.opts.Until-1)
	}
	p.diagram.Frame(p.opts.From, last)
}

func (f *flitView) drawn() svg.Flit {
	return svg.Flit{
		Serial: f.Serial, Message: f.Message, Kind: f.Kind, Source: f.Source, Destination: f.Destination,
		Index: f.Flit, Length: f.Length, Value: f.Value,
	}
}

// load collects the states of the links of a network.
type load struct {
	operation
	w       io.Writer    `snapshot:"-"`
	use     []svg.Use    // in the window
	halted  []int        // links that were blocked in the last cycle seen
	halting router.Cycle // that cycle
	loses   string       // which losses are counted; "": those of the window
}

func newLoad(o *observer, w io.Writer) *load {
	if o.net.Machine.Switching != machine.Bufferless {
		o.net.KeepBlocked()
	}
	return &load{operation: operation{observer: o}, w: w, use: make([]svg.Use, len(o.net.Topology.Links()))}
}

// Update counts what happens in the cycle.
func (p *load) Update(s fabric.Signals) {
	p.lookAtLinks(s)
	p.countBlocked(s.Now())
	p.halted, p.halting = append(p.halted[:0], p.blocked...), s.Now()
	for i := range p.crossings {
		c := &p.crossings[i]
		from, until := p.holds(s.Now(), c)
		p.use[c.Link].Busy += p.opts.overlap(from, until)
	}
	if p.opts.inWindow(s.Now()) {
		p.crossed += int64(len(p.crossings))
		p.countLost(s)
	}
}

// countLost counts the messages that links lose in the cycle.
func (p *load) countLost(s fabric.Signals) {
	for _, x := range s.Strikes() {
		if x.Lost != fault.Sound {
			p.use[p.link(x.Offer)].Lost++
		}
	}
}

// mostLossy bounds the links that a note names.
const mostLossy = 10

// lost names the links that lost messages; "" if there are none.
func (p *load) lost() string {
	var names []string
	count := 0
	for i, link := range p.net.Topology.Links() {
		lost := p.use[i].Lost
		if lost == 0 {
			continue
		}
		if count++; count <= mostLossy {
			names = append(names, p.net.Topology.LinkText(link.From, link.To, ">")+fmt.Sprintf(" (%d)", lost))
		}
	}
	if count == 0 {
		return ""
	}
	text := "Messages lost on links" + p.loses + ": " + strings.Join(names, ", ")
	if more := count - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + "."
}

// countBlocked counts the links that have been blocked since the last cycle
// seen: in between the clock skipped cycles in which nothing changed.
func (p *load) countBlocked(now router.Cycle) {
	for _, link := range p.halted {
		p.use[link].Blocked += p.opts.overlap(p.halting, now)
	}
}

func (p *load) finish() error {
	p.countBlocked(p.net.Now())
	time := p.opts.overlap(0, p.net.Quiet())
	if p.opts.From == 0 && p.opts.Until == 0 {
		switch part := p.opts.measured(); {
		case part != nil && part.Links != nil:
			p.showMeasured(part)
			time = int64(part.Until - part.From)
		case p.opts.Nodes == nil:
			p.take(p.net.LinkUse())
		}
	}
	picture := svg.Load{
		Title: p.opts.Title, Subtitle: p.subtitle(), Notes: p.notes(), Topology: p.net.Topology, Nodes: p.opts.Nodes,
		Ticks: time, PerCycle: int64(p.net.Machine.Ticks()), Use: p.use,
	}
	var err error
	if picture.Slow, err = svg.SlowLinks(p.net.Topology, &p.net.Machine); err != nil {
		return err
	}
	if f := p.net.Faults(); f != nil {
		picture.Faults = svg.FaultsOf(f.Broken())
		if lost := p.lost(); lost != "" {
			picture.Notes = append(picture.Notes, lost)
		}
	}
	return picture.Write(p.w)
}

// showMeasured makes the measurement the window of the picture.
func (p *load) showMeasured(part *Measured) {
	p.opts.From, p.opts.Until, p.crossed, p.loses = part.From, part.Until, 0, " of the whole run"
	p.take(part.Links)
	for i, link := range p.net.Topology.Links() {
		if p.opts.ofInterest(link.From) || p.opts.ofInterest(link.To) {
			p.crossed += int64(part.Links[i].Flits)
		} else {
			p.use[i].Busy, p.use[i].Blocked = 0, 0
		}
	}
}

// take replaces the counts of all links.
func (p *load) take(use []fabric.LinkUse) {
	for i, u := range use {
		p.use[i].Busy, p.use[i].Blocked = int64(u.Busy), int64(u.Blocked)
	}
}

// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"fmt"
	"io"

	"meshwright/capture/svg"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/router"
)

func newPicture(o *observer, w io.Writer) (sink, error) {
	if o.opts.Picture == LinkLoad {
		return newLoad(o, w), nil
	}
	return newSpaceTime(o, w), nil
}

// subtitle says what the picture is of.
func (o *observer) subtitle(cycles, crossed int64) string {
	m := o.net.Machine
	name := m.Name
	if name == "" {
		name = string(m.Switching)
	}
	s := fmt.Sprintf("%s on %s · %d cycles · %d link crossings", name, o.net.Topology, cycles, crossed)
	if o.opts.From > 0 || o.opts.Until > 0 {
		s += fmt.Sprintf(" · cycles %d to %d of the run", o.opts.From, int64(o.opts.From)+cycles-1)
	}
	return s
}

// windowCycles returns how many cycles of the run so far the window has.
func (o *observer) windowCycles() int64 {
	end := o.net.Now()
	if o.opts.Until > 0 {
		end = min(end, o.opts.Until)
	}
	return int64(max(0, end-o.opts.From))
}

// spaceTime collects a space-time diagram.
type spaceTime struct {
	*observer
	crossed int64
	w       io.Writer
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
	p := &spaceTime{observer: o, w: w}
	p.diagram = svg.SpaceTime{
		Title: o.opts.Title, From: o.opts.From, Until: o.opts.Until, High: router.NodeID(o.net.Topology.Nodes() - 1),
		Text: func(f svg.Flit) string {
			return Event{Kind: f.Kind, Message: f.Message, Flit: f.Index, Value: f.Value}.Cell()
		},
		Name: func(f svg.Flit) string { return fmt.Sprintf("m%d", f.Message) },
	}
	if nodes := o.opts.Nodes; len(nodes) > 0 {
		p.diagram.Low, p.diagram.High = nodes[0], nodes[len(nodes)-1]
	}
	return p
}

// Update enters the flits of the cycle.
func (p *spaceTime) Update(s fabric.Signals) {
	p.lookAtLinks(s)
	p.lookAtNodes(s)
	now, arrival := s.Now(), s.Now()+p.hop
	inside := p.opts.inWindow(now)
	if inside {
		for i := range p.waiting {
			p.diagram.Stand(p.waiting[i].drawn(), p.waiting[i].Node, now)
		}
		p.crossed += int64(len(p.crossings))
	}
	if inside || p.opts.inWindow(arrival) {
		for i := range p.crossings {
			c := &p.crossings[i]
			p.diagram.Cross(c.drawn(), c.From, c.To, now, arrival)
		}
	}
	if inside {
		for i := range p.ejected {
			p.diagram.Take(p.ejected[i].drawn(), p.ejected[i].Node, now)
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
	p.diagram.Subtitle = p.subtitle(p.windowCycles(), p.crossed)
	return p.diagram.Write(p.w)
}

func (f *flitView) drawn() svg.Flit {
	return svg.Flit{
		Serial: f.Serial, Message: f.Message, Kind: f.Kind, Source: f.Source, Destination: f.Destination,
		Index: f.Flit, Length: f.Length, Value: f.Value,
	}
}

// load collects what the links of a network do.
type load struct {
	*observer
	crossed int64
	w       io.Writer
	use     []svg.Use
}

func newLoad(o *observer, w io.Writer) *load {
	if o.net.Machine.Switching != machine.Bufferless {
		o.net.KeepBlocked()
	}
	return &load{observer: o, w: w, use: make([]svg.Use, len(o.net.Topology.Links()))}
}

// Update counts the crossings of the cycle.
func (p *load) Update(s fabric.Signals) {
	p.lookAtLinks(s)
	if !p.opts.inWindow(s.Now()) {
		return
	}
	for i := range p.crossings {
		p.use[p.crossings[i].Link].Busy += int64(p.net.Machine.Flit)
	}
	for _, link := range p.blocked {
		p.use[link].Blocked++
	}
	p.crossed += int64(len(p.crossings))
}

func (p *load) finish() error {
	cycles := p.windowCycles()
	picture := svg.Load{
		Title: p.opts.Title, Subtitle: p.subtitle(cycles, p.crossed), Topology: p.net.Topology, Cycles: cycles, Use: p.use,
	}
	return picture.Write(p.w)
}

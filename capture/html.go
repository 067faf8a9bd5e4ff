// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"fmt"
	"io"

	"meshwright/capture/player"
	"meshwright/fabric"
	"meshwright/router"
)

// mostEvents bounds the record in a page: a browser needs about 30 bytes for each.
const mostEvents = 8_000_000

// partBytes of the record are compressed together.
const partBytes = 1 << 20

// htmlPage writes a page that shows the run. A checkpoint keeps the part that has not been written, so that it leaves no traces in the page.
type htmlPage struct {
	operation
	recorder *recorder
	out      *player.Writer `snapshot:"-"`
	pending  []byte         // of the record, at most partBytes and a cycle
	cut      router.Cycle   // tick at which the record is full; -1: it is not
}

func newHTML(o *observer, w io.Writer) (sink, error) {
	return &htmlPage{operation: operation{observer: o}, recorder: newRecorder(o), out: player.NewWriter(w, o.opts.Title), cut: -1}, nil
}

// Update writes what happens in the cycle. A failed write is reported by finish.
func (p *htmlPage) Update(s fabric.Signals) {
	if p.cut >= 0 {
		return
	}
	part := p.recorder.of(s)
	if p.recorder.events > mostEvents {
		p.cut = s.Now()
		return
	}
	p.crossed += p.recorder.crossings
	if p.pending = append(p.pending, part...); len(p.pending) >= partBytes {
		p.flushPart()
	}
}

func (p *htmlPage) flushPart() {
	p.out.Add(p.pending)
	p.pending = p.pending[:0]
}

// flush writes nothing: what is not in the page yet is pending.
func (p *htmlPage) flush() error { return nil }

func (p *htmlPage) finish() error {
	a := player.NewAbout(p.net.Topology, &p.net.Machine)
	a.Title, a.Subtitle, a.Cut = p.opts.Title, p.subtitle(), int64(p.cut)
	if dead := p.dead(); dead != "" {
		a.Subtitle += " · " + dead
	}
	a.From, a.End = int64(p.opts.From), int64(p.end())
	if d := p.net.Deadlock(); d != nil {
		a.End = max(a.End, int64(d.Cycle)+1)
	}
	if p.opts.Until > 0 {
		a.End = min(a.End, int64(p.opts.Until))
	}
	a.End = max(a.End, a.From+1)
	for _, n := range p.opts.Nodes {
		a.Nodes = append(a.Nodes, int(n))
	}
	a.Marks = append(a.Marks, p.collisions()...)
	a.Marks = append(a.Marks, p.deadlock()...)
	if len(p.pending) > 0 {
		p.flushPart()
	}
	return p.out.Close(a)
}

// collisions are the marks of the first collisions in the window.
func (p *htmlPage) collisions() (marks []player.Mark) {
	list, _ := p.net.NumberedCollisions()
	for _, c := range list {
		if !p.opts.inWindow(c.Cycle) || !p.opts.ofInterest(c.Node) {
			continue
		}
		m := player.Mark{Tick: int64(c.Cycle), What: "collision", Nodes: []int{int(c.Node)}, Messages: []int64{int64(c.Lost)}}
		m.Text = fmt.Sprintf("m%d is lost at node %s: %s conflict", c.Lost, p.net.Topology.NodeText(c.Node), c.Conflict)
		if c.Holder >= 0 {
			m.Messages = append(m.Messages, int64(c.Holder))
			m.Text += fmt.Sprintf(" with m%d", c.Holder)
		}
		marks = append(marks, m)
	}
	return marks
}

// deadlock is the mark of a deadlock that ended the run.
func (p *htmlPage) deadlock() []player.Mark {
	d := p.net.Deadlock()
	if d == nil || !p.opts.inWindow(d.Cycle) {
		return nil
	}
	m := player.Mark{Tick: int64(d.Cycle), What: "deadlock", Text: fmt.Sprintf("deadlock: %d channels wait in a circle", len(d.Chain))}
	for _, w := range d.Chain {
		m.Nodes, m.Messages = append(m.Nodes, int(w.Node)), append(m.Messages, int64(w.Message))
	}
	return []player.Mark{m}
}

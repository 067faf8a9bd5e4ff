// SPDX-License-Identifier: Apache-2.0

// Package progress says how far long work is, and ends it when its context
// ends. The work is cut into phases: reading, building, planning, checking,
// running. Who is told travels in the context; without a listener a phase only
// looks at the context now and then.
//
//	phase := progress.Begin(ctx, "check messages", len(rows))
//	defer phase.End()
//	for _, r := range rows {
//		if err := phase.Step(); err != nil {
//			return err // the context's
//		}
//	}
package progress

import (
	"context"
	"sync/atomic"
	"time"
)

// Listener is told when phases begin and end. Phases nest: the current phase is the last
// one that has begun and not ended.
type Listener interface {
	Began(*Phase)
	Ended(*Phase)
}

type key struct{}

// With returns a context whose phases a listener is told of.
func With(ctx context.Context, l Listener) context.Context { return context.WithValue(ctx, key{}, l) }

// Told reports whether a listener is told of the phases of a context.
func Told(ctx context.Context) bool {
	l, _ := ctx.Value(key{}).(Listener)
	return l != nil
}

// Phase is a part of some work. Step, Set and End belong to one goroutine;
// others may look at it meanwhile.
type Phase struct {
	Name string // what is done: "check messages"
	ctx  context.Context
	to   Listener // nil: nobody is told

	done, total atomic.Int64
	note        atomic.Pointer[string]

	uncounted     int64 // steps since the last look
	steps, stride int64 // steps until the next look, and from that to the one after it
	looked        time.Time
}

// Begin begins a phase of total steps, 0 when their number is not known.
func Begin(ctx context.Context, name string, total int) *Phase {
	p := &Phase{Name: name, ctx: ctx, stride: 1, steps: 1}
	p.total.Store(int64(total))
	p.to, _ = ctx.Value(key{}).(Listener)
	if p.to != nil {
		p.to.Began(p)
	}
	return p
}

// End ends the phase.
func (p *Phase) End() {
	if p.to != nil {
		p.to.Ended(p)
	}
}

// How long it goes without a look at the clock and the context: the steps in
// between double or halve to stay in these bounds.
const (
	soonest = time.Millisecond
	latest  = 10 * time.Millisecond
)

// Step counts a step that is about to begin. It costs next to nothing: only now
// and then it looks at the context, whose error it returns.
func (p *Phase) Step() error {
	p.uncounted++
	if !p.Due() {
		return nil
	}
	p.done.Add(p.uncounted)
	p.uncounted = 0
	return p.ctx.Err()
}

// Due is Step for work that says itself how far it is, with Set: true when it
// is time to say so, and to look at the context.
func (p *Phase) Due() bool {
	if p.steps--; p.steps > 0 {
		return false
	}
	now := time.Now()
	switch since := now.Sub(p.looked); {
	case since < soonest:
		p.stride *= 2
	case since > latest:
		p.stride = max(1, p.stride/2)
	}
	p.looked, p.steps = now, p.stride
	return true
}

// Err returns the context's error.
func (p *Phase) Err() error { return p.ctx.Err() }

// Set says how many steps are done, where they are not counted one by one, and
// of how many, 0 when that is not known.
func (p *Phase) Set(done, total int) {
	p.done.Store(int64(done))
	p.total.Store(int64(total))
}

// Describe adds a note to the name of the current phase.
func (p *Phase) Describe(text string) { p.note.Store(&text) }

// State returns the number of steps done, the total number of steps (0 when it is not
// known), and the last note of Describe. Any goroutine may call it.
func (p *Phase) State() (done, total int, note string) {
	if text := p.note.Load(); text != nil {
		note = *text
	}
	return int(p.done.Load()), int(p.total.Load()), note
}

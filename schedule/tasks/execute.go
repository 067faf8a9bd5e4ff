// SPDX-License-Identifier: Apache-2.0

package tasks

import (
	"context"
	"errors"
	"fmt"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
)

// Result is the outcome of a run.
type Result struct {
	Network         *fabric.Network
	Messages, Flits int
	Cycles          router.Cycle // when the last task was done and the last flit delivered
	Transferred     router.Cycle // when the last flit was delivered: computations may end later; 0: there was none
	Computing       router.Cycle // most cycles in which one node computed
	Groups          []Span       // by group
	Delivered       bool         // all tasks are done, and every word that arrived was compared and is right
	Failure         error        // why not: *Wrong, *Unfinished, *router.Deadlock or fabric.ErrLimit
	Collisions      []router.Collision
	CollisionCount  int
	MaxBufferFlits  int
}

// Span is when a group of tasks began and ended.
type Span struct {
	Name       string
	From, To   router.Cycle // the first began in From, the last was done in To
	Messages   int
	Flits      int
	Incomplete bool // not all of its tasks were done
}

// Unfinished is a task that never began.
type Unfinished struct {
	Task   string
	Others int
}

// Error names the first task and counts the others.
func (u *Unfinished) Error() string {
	if u.Others == 0 {
		return u.Task + " was not done"
	}
	return fmt.Sprintf("%s and %s were not done", u.Task, input.Count(u.Others, "other task"))
}

// Execute does the tasks of a graph on a machine, with its own content in every flit, and
// compares the flits that arrive. On a machine that switches packets every message is a
// packet, and times are in ticks. Each attach is called with the network before the first cycle. An error is the
// context's, an error of attach, a *memory.TooLarge or an *input.Error. A run in which tasks are left is a Result.
func Execute(ctx context.Context, g *Graph, t *topology.Topology, m machine.Machine, attach ...func(*fabric.Network) error) (*Result, error) {
	if err := g.Validate(t); err != nil {
		return nil, err
	}
	longest := 1
	for i := range g.Tasks {
		longest = max(longest, g.Tasks[i].Flits)
	}
	if g.routed() {
		m.Routing = machine.Source
	}
	m, err := m.FitPackets(longest)
	if err != nil {
		return nil, err
	}
	if err := memory.Need(ctx, fmt.Sprintf("a graph of %s on %s", input.Count(len(g.Tasks), "task"), t), g.memory(t, m, longest)); err != nil {
		return nil, err
	}
	n, err := fabric.New(t, m)
	if err != nil {
		return nil, err
	}
	n.KeepLog()
	w := newWorker(n, g)
	n.Attach(w)
	meter := fabric.NewMeter(n)
	for _, f := range attach {
		if err := f(n); err != nil {
			return nil, err
		}
	}
	err = n.Run(ctx, g.limit(n))
	if cause := n.Stopped(ctx); cause != nil {
		return nil, cause
	}
	return w.result(meter, err), nil
}

// Bytes of a run: of a task its record and its times, of a message its record in the log, of a
// network twice its state, as garbage may be as much.
const (
	perTask    = 700
	perNetwork = 2.2
	perWord    = 16 // of the longest message: sent, in flight, taken, compared
)

// memory estimates the bytes of a run.
func (g *Graph) memory(t *topology.Topology, m machine.Machine, longest int) memory.Bytes {
	return memory.Of(perNetwork*float64(fabric.Memory(t, m)) + perTask*float64(len(g.Tasks)) + perWord*float64(m.Elements())*float64(longest)*float64(t.Nodes()))
}

// limit is a number of ticks that no sound run needs.
func (g *Graph) limit(n *fabric.Network) router.Cycle {
	const most = 1 << 62
	m, slowest := &n.Machine, n.Slowest()
	sum := 0.0
	for i := range g.Tasks {
		t := &g.Tasks[i]
		switch t.Kind {
		case Compute:
			sum += float64(t.Cycles) * float64(m.Ticks())
		case Send:
			flits, links := float64(m.WithHeader(t.Flits)), float64(n.Topology.Nodes())
			if m.PacketSwitched() {
				sum += 4 * (float64(m.StartupTicks()) + links*(float64(m.SetupTicks())+flits*float64(m.FlitTicks())))
			} else {
				sum += 4 * (float64(m.Startup) + flits*float64(slowest.Flit+slowest.Hop) + float64(slowest.Hop)*links)
			}
		}
	}
	if sum > most/8 {
		return most
	}
	return router.Cycle(sum) + 1000
}

// result says what came of a run that ended with err.
func (w *worker) result(meter *fabric.Meter, err error) *Result {
	r := &Result{Network: w.net, Cycles: meter.Cycles, Transferred: meter.Cycles, MaxBufferFlits: meter.MaxBufferFlits, Groups: make([]Span, len(w.graph.Groups))}
	for k, name := range w.graph.Groups {
		r.Groups[k] = Span{Name: name, From: -1}
	}
	busy := make([]router.Cycle, w.net.Topology.Nodes())
	for i := range w.graph.Tasks {
		w.add(r, busy, int32(i))
	}
	for _, cycles := range busy {
		r.Computing = max(r.Computing, cycles)
	}
	r.Collisions, r.CollisionCount = w.net.NumberedCollisions()
	r.Failure = w.failure(err)
	r.Delivered = r.Failure == nil
	return r
}

// add enters a task into the result.
func (w *worker) add(r *Result, busy []router.Cycle, task int32) {
	t := &w.graph.Tasks[task]
	end := w.ended[task]
	if t.Kind == Receive && end >= 0 {
		end = w.net.ArrivalTime(end)
	}
	r.Cycles = max(r.Cycles, end)
	if t.Kind == Compute {
		busy[t.Node] += t.Cycles * router.Cycle(w.net.Machine.Ticks())
	}
	if t.Kind == Send {
		r.Messages, r.Flits = r.Messages+1, r.Flits+t.Flits
	}
	if t.Group < 0 {
		return
	}
	s := &r.Groups[t.Group]
	if t.Kind == Send {
		s.Messages, s.Flits = s.Messages+1, s.Flits+t.Flits
	}
	if s.To = max(s.To, end); end < 0 {
		s.Incomplete = true
	}
	if from := w.started[task]; from >= 0 && (s.From < 0 || from < s.From) {
		s.From = from
	}
}

// failure returns what went wrong in a run that ended with err, or nil.
func (w *worker) failure(err error) error {
	if w.audit.fault != nil {
		return w.audit.fault
	}
	if err != nil && !errors.Is(err, fabric.ErrIdle) {
		return err
	}
	var first *Unfinished
	for i := range w.graph.Tasks {
		switch {
		case w.ended[i] >= 0:
		case first == nil:
			first = &Unfinished{Task: w.graph.Tasks[i].Name}
		default:
			first.Others++
		}
	}
	if first != nil {
		return first
	}
	return nil
}

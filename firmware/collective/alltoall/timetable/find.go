// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"context"
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// Options steer a search. The same options find the same timetable.
type Options struct {
	Seed   uint64
	Effort int // each more doubles the work; 0: 1
	Most   int // messages of all rounds together; 0: MaxMessages
}

// maxNodes bounds the nodes of networks for which a timetable is searched, MaxEffort the
// effort, and MaxMessages the messages of all rounds together.
const (
	maxNodes    = 1024
	MaxEffort   = 10
	MaxMessages = 1 << 20
)

// maxMessages bounds the messages of a timetable that is not the same for all nodes,
// and MaxLength the words of a message.
const (
	maxMessages = 1 << 17
	MaxLength   = 1 << 16
)

// Find searches for a fast timetable by which every node sends every other one
// a message of length flits. The machine is bufferless or wormhole. It ends
// when the bound is met or the effort is spent; when ctx ends, with its error. Other
// errors are *input.Error. What it returns has passed package check.
func Find(ctx context.Context, t *topology.Topology, m machine.Machine, length int, o Options) (*Timetable, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	lengths := make([]int, t.Nodes())
	for n := range lengths {
		lengths[n] = length
	}
	table, err := FindLengths(ctx, t, m, lengths, o)
	if err == nil && table.Stopped {
		return nil, ctx.Err()
	}
	return table, err
}

// FindLengths is Find with a length for every source. When ctx ends, it returns the fastest timetable so far, which is Stopped, or the error of ctx if there is
// none.
func FindLengths(ctx context.Context, t *topology.Topology, m machine.Machine, lengths []int, o Options) (*Timetable, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	g, err := newGoal(t, m, lengths, &o)
	if err != nil {
		return nil, err
	}
	if g.bound == 0 {
		return &Timetable{Topology: t, Lengths: g.lengths, Rounds: 1}, nil
	}
	g.phase = progress.Begin(ctx, fmt.Sprintf("search a timetable for %s", t), 0)
	defer g.phase.End()
	err = g.search(ctx, o)
	if err == nil {
		err = g.exact(ctx, o)
	}
	if err != nil && (g.best == nil || ctx.Err() == nil) {
		return nil, err
	}
	if g.best == nil {
		want := fmt.Sprintf("expected at most %d", maxMessages)
		if newLattice(t) != nil {
			want += fmt.Sprintf(", or on %s %d in rounds of single flits", t, g.most)
		}
		return nil, input.Errorf(want, "a timetable for %d messages", t.Nodes()*(t.Nodes()-1))
	}
	g.best.Stopped = err != nil
	return g.best, g.best.Verify(g.m)
}

// newGoal checks the arguments of a search.
func newGoal(t *topology.Topology, m machine.Machine, lengths []int, o *Options) (*goal, error) {
	m.Routing = machine.Source
	m, err := m.Resolve(t)
	switch {
	case err != nil:
		return nil, err
	case m.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "a timetable for a machine of switching %s", m.Switching)
	case t.Nodes() > maxNodes:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", maxNodes), "a timetable for %d nodes", t.Nodes())
	case len(lengths) != t.Nodes():
		return nil, input.Errorf("expected one for each node", "%d lengths for %d nodes", len(lengths), t.Nodes())
	case o.Effort < 0 || o.Effort > MaxEffort:
		return nil, input.Errorf(fmt.Sprintf("expected 0 to %d", MaxEffort), "effort %d", o.Effort)
	}
	for n, length := range lengths {
		if length < 0 || length > MaxLength {
			return nil, input.Errorf(fmt.Sprintf("expected 0 to %d", MaxLength), "length %d of node %d", length, n)
		}
	}
	o.Effort = max(o.Effort, 1)
	g := &goal{t: t, m: m, lengths: slices.Clone(lengths), most: o.Most}
	if g.most == 0 {
		g.most = MaxMessages
	}
	if t.Nodes() > 1 {
		g.bound = bound.Exchange(t, m, g.lengths).Cycles
		g.least = g.bound
		for n := range router.NodeID(t.Nodes()) {
			g.least = max(g.least, bound.UncombinedScatter(t, m, n, slices.Repeat(g.lengths[n:n+1], t.Nodes())))
		}
	}
	return g, nil
}

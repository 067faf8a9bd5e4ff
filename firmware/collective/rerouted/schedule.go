// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithms.
const Name = "rerouted"

// every is the destination of a unit that all nodes get.
const every = -1

// unit is a run of words that travels as one message.
type unit struct {
	source, to int32
	words      plan.Range // of the source's block
	at         int        // in the block of a destination: where the first word goes
}

// hop is a unit on a link in a step.
type hop struct{ step, unit, arc int32 }

// schedule is a collective in steps.
type schedule struct {
	*plan.Task
	*graph
	units []unit
	hops  []hop
}

// steps returns the number of steps of hops.
func steps(hops []hop) int {
	most := int32(-1)
	for _, h := range hops {
		most = max(most, h.step)
	}
	return int(most) + 1
}

// requireSteps wants a machine whose messages between neighbours do not delay one another, and not too many nodes. Links may be slower than others, see
// byMessages.
func requireSteps(t *plan.Task) error {
	name := t.Kind.Name + " " + Name
	if t.Topology.Nodes() > maxNodes {
		return input.Errorf(fmt.Sprintf("expected at most %d", maxNodes), "%s for %d nodes", name, t.Topology.Nodes())
	}
	fastest := *t
	fastest.Machine.Links = nil
	return fastest.RequireSteps(name)
}

// maxNodes bounds the networks whose schedules are searched for.
const maxNodes = 256

// period is the time of a step in which messages have up to so many flits. Where links are slower than others it is that of the slowest, for which others wait at
// last: it only helps to choose a schedule, see byMessages.
func period(t *plan.Task, flits int) router.Cycle {
	model := t.Timing()
	if t.Machine.Links != nil {
		slowest := t.Machine.SlowestLink()
		model.Hop, model.Flit = router.Cycle(slowest.Hop), router.Cycle(slowest.Flit)
	}
	return model.UntilWhole(1, flits)
}

// size returns the words of the largest unit.
func size(units []unit) int {
	most := 1
	for _, u := range units {
		most = max(most, u.words.To-u.words.From)
	}
	return most
}

// time returns how long a schedule takes by its steps.
func (s *schedule) time() router.Cycle {
	return router.Cycle(steps(s.hops)) * period(s.Task, size(s.units))
}

// search is how a schedule is found.
type search struct {
	cut   func(words int) []unit     // blocks into units of up to so many words
	least func(*graph, []unit) int   // steps that units need at least
	find  func(*graph, []unit) []hop // the schedule
	most  int                        // units, more of which take too long

	lengths []int // of the blocks; nil: those of the task
}

// best makes the schedule of whole blocks and, where it can be faster, that of the smallest units of which
// there are not too many: of single words, if possible.
func (x *search) best(t *plan.Task) (*schedule, error) {
	g := newGraph(t.Ctx, t.Topology)
	lengths := x.lengths
	if lengths == nil {
		lengths = t.Lengths
	}
	whole, small := max(1, slices.Max(lengths)), 1
	for small < whole && count(t, lengths, small) > x.most {
		small = min(whole, 2*small)
	}
	var best *schedule
	for _, words := range slices.Compact([]int{whole, small}) {
		s := &schedule{Task: t, graph: g, units: x.cut(words)}
		if best != nil && router.Cycle(x.least(g, s.units))*period(t, words) >= best.time() {
			continue
		}
		if err := s.need(); err != nil {
			return nil, err
		}
		s.hops = x.find(g, s.units)
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		if best == nil || s.time() < best.time() {
			best = s
		}
	}
	return best, nil
}

// count returns how many units of up to so many words a task with blocks of some lengths has.
func count(t *plan.Task, lengths []int, words int) int {
	units := 0
	for _, length := range lengths {
		units += (length + words - 1) / words
	}
	if t.Kind.Name == plan.Exchange {
		units *= t.Topology.Nodes() - 1
	}
	return units
}

// need asks for the memory of all hops.
func (s *schedule) need() error {
	hops := 0
	for _, u := range s.units {
		if u.to == every {
			hops += s.nodes - 1
		} else {
			hops += int(s.away[u.source][u.to])
		}
	}
	return s.NeedParts(1 + hops/s.nodes)
}

// pieces cuts a run of words into units.
func pieces(list []unit, source, to int32, words plan.Range, at, most int) []unit {
	for from := words.From; from < words.To; from += most {
		list = append(list, unit{source, to, plan.Range{From: from, To: min(words.To, from+most)}, at + from - words.From})
	}
	return list
}

// plan turns a schedule into firmware. A node keeps the words that it only passes on behind its block.
func (s *schedule) plan(block func(router.NodeID) plan.Block) (*plan.Plan, error) {
	blocks := make([]plan.Block, s.nodes)
	for n := range blocks {
		blocks[n] = block(router.NodeID(n))
		blocks[n].Words = slices.Clip(blocks[n].Words) // blocks share memory: what is put behind one needs memory of its own
	}
	w := &writer{schedule: s, blocks: blocks, relayed: map[[2]int32]int{}, length: period(s.Task, size(s.units))}
	slices.SortStableFunc(s.hops, func(a, b hop) int { return cmp.Compare(a.step, b.step) })
	l := &transfer.List{Nodes: s.nodes, Transfers: make([]transfer.Transfer, 0, len(s.hops))}
	for _, h := range s.hops {
		from, to := s.from[h.arc], s.to[h.arc]
		out := w.place(h.unit, from)
		l.Transfers = append(l.Transfers, transfer.Transfer{
			Step: int(h.step), From: router.NodeID(from), To: router.NodeID(to), Start: router.Cycle(h.step) * w.length,
			Out: out, In: w.place(h.unit, to),
		})
	}
	return finish(s.Task, l, func(n router.NodeID) plan.Block { return blocks[n] })
}

// finish makes the plan of transfers that start by the clock.
func finish(t *plan.Task, l *transfer.List, blocks func(router.NodeID) plan.Block) (*plan.Plan, error) {
	return predicted(t, l, func() (*plan.Plan, error) { return t.TransferPlan(l, blocks) })
}

// predicted makes a plan of such transfers, and gives it its time.
func predicted(t *plan.Task, l *transfer.List, make func() (*plan.Plan, error)) (*plan.Plan, error) {
	time, model := router.Cycle(0), t.Timing()
	for i := range l.Transfers {
		if x := &l.Transfers[i]; x.From != x.To {
			time = max(time, x.Start+model.Startup+model.Transfer(1, x.Out.Words()))
		}
	}
	if time > math.MaxInt32 {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", math.MaxInt32), "%s %s of %d cycles", t.Kind.Name, Name, time)
	}
	if t.Machine.Links != nil {
		byMessages(l)
	}
	p, err := make()
	if err != nil {
		return nil, err
	}
	t.PredictExactly(p, time)
	return p, nil
}

// byMessages lets the transfers of a list start without the clock, where steps would have to be as long as the slowest link needs. Each PE goes on to its next
// step when it has received all messages of the steps before. Messages of neighbours still do not meet, since each link has channels of its own.
func byMessages(l *transfer.List) {
	for i := range l.Transfers {
		l.Transfers[i].Start = 0
	}
}

// writer finds places for units.
type writer struct {
	*schedule
	blocks  []plan.Block
	relayed map[[2]int32]int // by unit and node that passes it on: where it is
	length  router.Cycle
}

// place returns where a unit is in the block of a node.
func (w *writer) place(u, n int32) transfer.Set {
	x := &w.units[u]
	length := x.words.To - x.words.From
	switch {
	case n == x.source:
		return transfer.Set{x.words}
	case x.to == n || x.to == every:
		return transfer.Set{{From: x.at, To: x.at + length}}
	}
	at, ok := w.relayed[[2]int32{u, n}]
	if !ok {
		b, elements := &w.blocks[n], w.Machine.Elements()
		at = w.WordsOf(b.Words)
		w.relayed[[2]int32{u, n}] = at
		b.Words = append(b.Words, w.blocks[x.source].Words[x.words.From*elements:x.words.To*elements]...)
	}
	return transfer.Set{{From: at, To: at + length}}
}

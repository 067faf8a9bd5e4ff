// SPDX-License-Identifier: Apache-2.0

package balanced

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithms.
const Name = "balanced-trees"

const (
	// MaxNodes bounds the networks: each node sends about as many messages as there are nodes.
	MaxNodes = 1 << 12
	// mostMessages bounds the messages of a plan.
	mostMessages = 8 << 20
	// mostItems bounds the pieces of blocks of all nodes, where blocks are cut.
	mostItems = 1 << 13
)

// schedule is an all-gather, a reduce-scatter, which is one backwards in time, or both.
type schedule struct {
	*plan.Task
	pieces              []transfer.Range // by node: its words
	forwards, backwards *network
	sums, out           *timetable // nil if the collective has none
}

// Plan plans an all-gather, a reduce-scatter or an allreduce. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task) (*plan.Plan, error) {
	switch {
	case !t.Topology.Translates():
		return nil, input.Errorf("expected a topology of: rings, tori, hypercubes, star graphs and complete graphs", "%s %s does not run on %s", t.Kind.Name, Name, t.Topology)
	case len(t.Lengths) > MaxNodes:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "%s %s for %d nodes", t.Kind.Name, Name, len(t.Lengths))
	}
	s, err := newSchedule(t)
	if err != nil {
		return nil, err
	}
	if err := s.find(); err != nil {
		return nil, err
	}
	if err := t.NeedTranslated(s.messages()); err != nil {
		return nil, err
	}
	l, cycles := s.list()
	p, err := t.ListPlan(l)
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(s.cut()), Unit: plan.Counted})
	t.PredictBooked(p, cycles)
	return p, t.Ctx.Err()
}

// Least returns a time that a plan does not undercut: that of the plan itself, without its messages, if all nodes have as many words.
func Least(t *plan.Task) router.Cycle {
	s, err := newSchedule(t)
	if err != nil || !s.even() || s.find() != nil {
		return t.LowerBound()
	}
	return max(t.LowerBound(), s.end())
}

// even reports whether all have as many words.
func (s *schedule) even() bool {
	return !slices.ContainsFunc(s.pieces, func(r transfer.Range) bool { return r.To-r.From != s.pieces[0].To-s.pieces[0].From })
}

// cut returns into how many pieces blocks are cut, at most.
func (s *schedule) cut() (pieces int) {
	for _, t := range []*timetable{s.sums, s.out} {
		if t != nil {
			pieces = max(pieces, t.pieces)
		}
	}
	return pieces
}

// end is when the last message has come.
func (s *schedule) end() (cycles router.Cycle) {
	for _, t := range []*timetable{s.sums, s.out} {
		if t != nil {
			cycles = max(cycles, t.cycles)
		}
	}
	return cycles
}

func newSchedule(t *plan.Task) (*schedule, error) {
	s := &schedule{Task: t}
	longest := 0
	for v := range t.Lengths {
		s.pieces = append(s.pieces, t.Piece(router.NodeID(v)))
		longest = max(longest, s.pieces[v].To-s.pieces[v].From)
	}
	if longest == 0 || len(t.Lengths) == 1 {
		return s, nil
	}
	var err error
	if t.Kind.Name != plan.Gossip {
		if s.backwards, err = newNetwork(t, longest, true); err != nil {
			return nil, err
		}
	}
	if t.Kind.Name != plan.ReduceScatter {
		if s.forwards, err = newNetwork(t, longest, false); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// find finds the timetables.
func (s *schedule) find() error {
	most, ready, least := mostMessages/len(s.pieces), router.Cycle(0), s.LowerBound()
	if s.forwards != nil && s.backwards != nil {
		most /= 2
	}
	if s.backwards != nil {
		goal := least
		if s.forwards != nil {
			goal = 0
		}
		if s.sums = s.backwards.fastest(ready, most, goal); s.sums == nil {
			return s.tooMany()
		}
	}
	if s.forwards != nil {
		if s.sums != nil {
			ready = s.forwards.after(s.sums)
		}
		if s.out = s.forwards.fastest(ready, most, least); s.out == nil {
			return s.tooMany()
		}
	}
	return s.Ctx.Err()
}

func (s *schedule) tooMany() error {
	return cmp.Or(s.Ctx.Err(), error(input.Errorf(fmt.Sprintf("expected at most %d for all nodes", mostMessages), "%s %s on %s: too many messages", s.Kind.Name, Name, s.Topology)))
}

// fastest returns the fastest of some timetables: blocks are cut into 1, 2, 3, 4, 6, 9, 13 … pieces, and messages have up to as many. Of timetables that take as long it is one with few messages; it is nil if all have more than so many. The search ends
// with one that takes no longer than the goal.
func (n *network) fastest(ready router.Cycle, messages int, goal router.Cycle) (best *timetable) {
	for pieces := 1; pieces <= n.words && (pieces == 1 || pieces*n.nodes <= mostItems); pieces = further(pieces) {
		tree := n.newTree(pieces)
		for most := 1; n.Ctx.Err() == nil && most <= further(pieces*n.nodes) && (best == nil || best.cycles > goal); most = further(most) {
			t := n.timetable(tree, most, ready, messages)
			if t == nil {
				continue
			}
			if best == nil || t.cycles < best.cycles || t.cycles == best.cycles && len(t.messages) < len(best.messages) {
				best = t
			}
			if t.longest < most {
				break
			}
		}
	}
	return best
}

// further returns the next number that is tried.
func further(number int) int { return number + max(1, number/2) }

// after keeps free what the messages of sums use, which are a timetable backwards in time. It returns when node 0 has its own sum.
func (n *network) after(sums *timetable) (ready router.Cycle) {
	for i := range sums.messages {
		m := &sums.messages[i]
		if slices.ContainsFunc(m.items, func(item int32) bool { return int(item)%n.nodes == 0 }) {
			ready = max(ready, sums.cycles-1-m.handed)
		}
		back := n.sides[m.side].sees[0] // node 0 gets what it sends there, when all do
		k := slices.IndexFunc(n.sides, func(s side) bool { return s.to == back })
		uses := n.sides[k].way.AppendUses(nil, n.kept, n.model, len(m.items)*sums.each)
		booking.Reserve(uses, sums.cycles-1-m.whole+n.model.Startup)
	}
	return ready
}

// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"context"
	"slices"

	"meshwright/internal/sat"
	"meshwright/router"
)

// exact looks for a faster timetable as a question of logic, cycle by cycle, until there is none, the bound is met, or the solver has done its work. One variable says
// that a message takes a way with a start. Each message needs one that is true, and of all that use a calendar in
// a cycle at most one is.
func (g *goal) exact(ctx context.Context, o Options) error {
	if g.best == nil || g.best.Rounds > 1 || g.best.lattice != nil || g.t.Nodes() > MostExact {
		return nil
	}
	q := &question{goal: g, space: newSpace(g.t, g.m, nil)}
	q.listWays()
	for !g.met() {
		if err := ctx.Err(); err != nil {
			return err
		}
		found := q.ask(g.best.Cycles-1, conflictsAsked<<(o.Effort-1))
		if found == nil {
			break
		}
		g.take(found)
		g.report("logic")
	}
	return nil
}

const (
	// MostExact bounds the nodes, and mostUses the cycles of calendars that all variables use.
	MostExact = 10
	mostUses  = 1 << 18
	// conflictsAsked bounds the conflicts of a question.
	conflictsAsked = 8000
)

// question is what a solver is asked, for one deadline after the other.
type question struct {
	*goal
	space *space
	ways  []possible
}

// possible is a shortest way of a message.
type possible struct {
	message, source, destination int
	links                        []int32
}

// listWays lists all shortest ways of all messages.
func (q *question) listWays() {
	distance := distances(q.space)
	count := 0
	for from := range q.t.Nodes() {
		for to := range q.t.Nodes() {
			if from == to || q.lengths[from] == 0 {
				continue
			}
			var walk func(at router.NodeID, links []int32)
			walk = func(at router.NodeID, links []int32) {
				if int(at) == to {
					q.ways = append(q.ways, possible{count, from, to, slices.Clone(links)})
					return
				}
				for i := q.space.base[at]; i < q.space.base[at+1]; i++ {
					if next := q.space.links[i].To; distance[next][to]+1 == distance[at][to] {
						walk(next, append(links, i))
					}
				}
			}
			walk(router.NodeID(from), nil)
			count++
		}
	}
}

// ask returns a timetable that takes so long at most; nil if none is found.
func (q *question) ask(deadline router.Cycle, conflicts int) *Timetable {
	type choice struct {
		way   int
		start router.Cycle
	}
	var choices []choice
	users := make([][][]int, q.space.calendars) // by calendar and cycle: variables
	for i := range users {
		users[i] = make([][]int, deadline+1)
	}
	options := map[int][]int{}
	var uses []use
	total := 0
	for i := range q.ways {
		w := &q.ways[i]
		flits := q.lengths[w.source]
		last := deadline - router.Cycle(len(w.links)*q.m.Hop) - q.space.model.Work(flits)
		for start := router.Cycle(q.m.Startup); start <= last; start++ {
			choices = append(choices, choice{i, start})
			x := len(choices)
			options[w.message] = append(options[w.message], x)
			uses = q.space.uses(uses[:0], start, flits, w.links)
			for _, u := range uses {
				for c := u.from; c < min(u.to, deadline+1); c++ {
					users[u.calendar][c] = append(users[u.calendar][c], x)
					if total++; total > mostUses {
						return nil
					}
				}
			}
		}
	}
	l := &logic{variables: len(choices)}
	for _, list := range options {
		l.clauses = append(l.clauses, list)
	}
	for _, calendar := range users {
		for _, list := range calendar {
			l.one(list)
		}
	}
	s := sat.New(l.variables)
	slices.SortFunc(l.clauses, slices.Compare) // maps have no order
	for _, c := range l.clauses {
		s.Add(c...)
	}
	for i := range q.best.ways { // a start from the best so far
		row := &q.best.ways[i]
		for k, c := range choices {
			if w := &q.ways[c.way]; c.start == row.start && w.source == int(row.source) && w.destination == int(row.destination) {
				s.Suggest(k + 1)
			}
		}
	}
	if s.Solve(conflicts) != sat.Satisfiable {
		return nil
	}
	t := &Timetable{Topology: q.t, Lengths: q.goal.lengths, Bound: q.bound, Rounds: 1}
	done := map[int]bool{}
	for k, c := range choices {
		w := &q.ways[c.way]
		if !s.Value(k+1) || done[w.message] {
			continue
		}
		done[w.message] = true
		row := way{source: router.NodeID(w.source), destination: router.NodeID(w.destination), start: c.start}
		for _, link := range w.links {
			row.path = append(row.path, q.space.links[link].FromPort)
		}
		t.ways = append(t.ways, row)
		t.Cycles = max(t.Cycles, c.start+router.Cycle(len(w.links)*q.m.Hop)+q.space.model.Work(q.lengths[w.source]))
	}
	return t
}

// logic is clauses over variables, from 1 on.
type logic struct {
	variables int
	clauses   [][]int
}

// one lets at most one of a list be true: in groups of four, of which a variable says that one is true.
func (l *logic) one(list []int) {
	for len(list) > 5 {
		var groups []int
		for part := range slices.Chunk(list, 4) {
			l.variables++
			for i, x := range part {
				l.clauses = append(l.clauses, []int{-x, l.variables})
				for _, y := range part[:i] {
					l.clauses = append(l.clauses, []int{-x, -y})
				}
			}
			groups = append(groups, l.variables)
		}
		list = groups
	}
	for i, x := range list {
		for _, y := range list[:i] {
			l.clauses = append(l.clauses, []int{-x, -y})
		}
	}
}

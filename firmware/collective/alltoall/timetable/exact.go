// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"context"
	"slices"

	"meshwright/internal/sat"
	"meshwright/router"
)

// exact looks for a faster timetable as a question of logic, cycle by cycle, until there is none, the bound is met, or the solver has done its work. One variable says
// that a message takes a route with a start. Each message needs one that is true, and of all that use a calendar in
// a cycle at most one is. Timetables that look the same after a symmetry of the network come first: the images of a message need no variables of their own, so a
// search through four rotations has a quarter of the choices. Last come timetables in which each node sends
// without a pause, where a message has its only channel for one cycle.
func (g *goal) exact(ctx context.Context, o Options) error {
	if g.best == nil || g.best.Rounds > 1 || g.best.lattice != nil || g.t.Nodes() > MostExact {
		return nil
	}
	var questions []*question
	for _, s := range symmetries(g.t) {
		q := &question{goal: g, space: newSpace(g.t, g.m, nil), maps: s}
		if q.listWays() {
			questions = append(questions, q)
		}
	}
	if space := newSpace(g.t, g.m, nil); g.m.Channels == 1 && space.held(slices.Max(g.lengths)) == 1 {
		q := *questions[len(questions)-1]
		q.prompt = true
		questions = append(questions, &q)
	}
	for !g.met() {
		var found *Timetable
		for _, q := range questions {
			if err := ctx.Err(); err != nil {
				return err
			}
			conflicts := conflictsAsked
			switch {
			case len(q.maps) > 1:
				conflicts = conflictsOfImages
			case q.prompt:
				conflicts = conflictsWithoutPause
			}
			if found = q.ask(g.best.Cycles-1, conflicts<<(o.Effort-1)); found != nil {
				break
			}
		}
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
	// conflictsAsked bounds the conflicts of a question, conflictsOfImages those of one with a symmetry, conflictsWithoutPause those of one in which nodes
	// send without a pause: it has fewer choices, and a conflict takes less time.
	conflictsAsked        = 8000
	conflictsOfImages     = 2000
	conflictsWithoutPause = 24000
)

// question is what a solver is asked, for one deadline after the other.
type question struct {
	*goal
	space    *space
	maps     symmetry
	prompt   bool // nodes send all their messages without a pause
	messages int
	ways     []possible
}

// choice is a route with a start.
type choice struct {
	way   *possible
	start router.Cycle
}

// ask returns a timetable that takes so long at most; nil if none is found.
func (q *question) ask(deadline router.Cycle, conflicts int) *Timetable {
	choices, l := q.clauses(deadline)
	if choices == nil {
		return nil
	}
	s := sat.New(l.variables)
	for _, c := range l.clauses {
		s.Add(c...)
	}
	if !q.prompt { // a start from the best so far, which has pauses
		q.suggest(s, choices)
	}
	if s.Solve(conflicts) != sat.Satisfiable {
		return nil
	}
	return q.answer(s, choices)
}

// suggest starts the solver from the best timetable so far.
func (q *question) suggest(s *sat.Solver, choices []choice) {
	for _, row := range q.best.ways {
		for k, c := range choices {
			if i := &c.way.images[0]; c.start == row.start && i.source == row.source && i.destination == row.destination {
				s.Suggest(k + 1)
			}
		}
	}
}

// answer makes a timetable of the choices that are true.
func (q *question) answer(s *sat.Solver, choices []choice) *Timetable {
	t := &Timetable{Topology: q.t, Lengths: q.goal.lengths, Bound: q.bound, Rounds: 1}
	done := make([]bool, q.messages)
	for k, c := range choices {
		if !s.Value(k+1) || done[c.way.message] {
			continue
		}
		done[c.way.message] = true
		for _, i := range c.way.images {
			row := way{source: i.source, destination: i.destination, start: c.start}
			for _, link := range i.links {
				row.path = append(row.path, q.space.links[link].FromPort)
			}
			t.ways = append(t.ways, row)
			t.Cycles = max(t.Cycles, q.end(c.way, c.start))
		}
	}
	return t
}

// end returns the time of a message that leaves at a start.
func (q *question) end(w *possible, start router.Cycle) router.Cycle {
	i := &w.images[0]
	return start + router.Cycle(len(i.links))*q.space.model.Hop + q.space.model.Work(q.lengths[i.source])
}

// clauses lists the choices up to a deadline, in the order of their variables, and what they must satisfy; none if they are too many, or a message has none.
func (q *question) clauses(deadline router.Cycle) ([]choice, *logic) {
	var choices []choice
	users := make([][][]int, q.space.calendars) // by calendar and cycle: variables
	for i := range users {
		users[i] = make([][]int, deadline+1)
	}
	options := make([][]int, q.messages)
	total := 0
	for i := range q.ways {
		w := &q.ways[i]
		latest := deadline
		if q.prompt {
			latest = q.latest(w)
		}
		for start := router.Cycle(q.m.Startup); start <= latest && q.end(w, start) <= deadline; start++ {
			x := len(choices) + 1
			uses, ok := q.usesOf(w, start, deadline)
			if !ok {
				continue
			}
			choices = append(choices, choice{w, start})
			options[w.message] = append(options[w.message], x)
			for _, u := range uses {
				for c := u.from; c < u.to; c++ {
					users[u.calendar][c] = append(users[u.calendar][c], x)
					if total++; total > mostUses {
						return nil, nil
					}
				}
			}
		}
	}
	l := &logic{variables: len(choices)}
	for _, list := range options {
		if len(list) == 0 {
			return nil, nil
		}
		l.clauses = append(l.clauses, list)
	}
	for _, calendar := range users {
		for _, list := range calendar {
			l.one(list)
		}
	}
	if q.prompt {
		q.withoutPause(choices, l)
	}
	return choices, l
}

// latest is the last start of a source that sends without a pause.
func (q *question) latest(w *possible) router.Cycle {
	return router.Cycle(q.m.Startup) + router.Cycle(q.t.Nodes()-2)*q.space.held(q.lengths[w.images[0].source])
}

// withoutPause demands a message of each source in each cycle up to its latest start. It follows from the other clauses, but a solver does not see it.
func (q *question) withoutPause(choices []choice, l *logic) {
	type slot struct {
		source router.NodeID
		start  router.Cycle
	}
	var slots []slot
	starts := map[slot][]int{}
	for k, c := range choices {
		at := slot{c.way.images[0].source, c.start}
		if starts[at] == nil {
			slots = append(slots, at)
		}
		starts[at] = append(starts[at], k+1)
	}
	for _, at := range slots {
		l.clauses = append(l.clauses, starts[at])
	}
}

// usesOf returns what a route and its images use up to a deadline. It reports false if two of them meet.
func (q *question) usesOf(w *possible, start, deadline router.Cycle) (uses []use, apart bool) {
	for k := range w.images {
		i := &w.images[k]
		uses = q.space.uses(uses, start, q.lengths[i.source], i.links)
	}
	for k := range uses {
		u := &uses[k]
		u.to = min(u.to, deadline+1)
		if len(w.images) > 1 && slices.ContainsFunc(uses[:k], func(o use) bool { return o.calendar == u.calendar && o.from < u.to && u.from < o.to }) {
			return nil, false
		}
	}
	return uses, true
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

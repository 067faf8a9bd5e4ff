// SPDX-License-Identifier: Apache-2.0

// Package sat decides whether clauses can all be true: conflict-driven search with two watched literals, activities,
// restarts, and a bound on its work. A variable is a number from 1 on; a literal is a variable, or its negative.
package sat

import "slices"

// Verdict is the answer of a search.
type Verdict int

// The answers. A search that reaches its bound is unknown.
const (
	Unknown Verdict = iota
	Satisfiable
	Unsatisfiable
)

// lit is 2v for variable v, 2v+1 for its negative.
type lit int32

func literal(x int) lit {
	if x < 0 {
		return lit(-2*x + 1)
	}
	return lit(2 * x)
}

// ref is where a clause begins in the solver's memory; 0: none. The first cell is the number of its literals, twice,
// and one more for a clause that was learnt; the second one is the conflict in which it was needed last.
type ref int32

const header = 2

type watch struct {
	clause ref
	other  lit // of the clause: if it is true, the clause needs no look
}

// Solver holds clauses.
type Solver struct {
	memory    []lit // of all clauses
	learnt    []ref
	watches   [][]watch // by literal: clauses that look at it
	value     []int8    // by literal: 1 true, -1 false
	level     []int32   // by variable
	reason    []ref
	phase     []bool
	activity  []float64
	bump      float64
	trail     []lit
	limits    []int // of the trail, by level
	head      int
	order     heap
	seen      []bool
	conflicts int
	failed    bool   // the clauses contradict each other
	model     []bool // the values that the last search has found
	mark      mark
}

// New makes a solver for variables 1 to variables.
func New(variables int) *Solver {
	n := variables + 1
	s := &Solver{
		memory: []lit{0}, watches: make([][]watch, 2*n), value: make([]int8, 2*n), level: make([]int32, n), reason: make([]ref, n), phase: make([]bool, n),
		activity: make([]float64, n), bump: 1, seen: make([]bool, n), mark: mark{memory: never},
	}
	s.order = heap{at: make([]int32, n), activity: s.activity}
	for v := n - 1; v > 0; v-- {
		s.order.at[v] = -1
		s.order.push(int32(v))
	}
	return s
}

// literals returns the literals of a clause.
func (s *Solver) literals(c ref) []lit { return s.memory[c+header : c+header+ref(s.memory[c]>>1)] }

// Add adds a clause before a search.
func (s *Solver) Add(literals ...int) {
	c := ref(len(s.memory))
	s.memory = append(s.memory, 0, 0)
	for _, x := range literals {
		l := literal(x)
		before := s.memory[c+header:]
		if s.value[l] > 0 || slices.Contains(before, l^1) {
			s.memory = s.memory[:c]
			return
		}
		if s.value[l] == 0 && !slices.Contains(before, l) {
			s.memory = append(s.memory, l)
		}
	}
	switch lits := s.memory[c+header:]; len(lits) {
	case 0:
		s.memory, s.failed = s.memory[:c], true
	case 1:
		s.memory = s.memory[:c]
		s.assign(lits[0], 0)
		s.failed = s.failed || s.propagate() != 0
	default:
		s.memory[c] = lit(2 * len(lits))
		s.attach(c)
	}
}

// learn adds a clause that follows from the others.
func (s *Solver) learn(lits []lit) ref {
	c := ref(len(s.memory))
	s.memory = append(append(s.memory, lit(2*len(lits)+1), lit(s.conflicts)), lits...)
	s.learnt = append(s.learnt, c)
	s.attach(c)
	return c
}

func (s *Solver) attach(c ref) {
	a, b := s.memory[c+header], s.memory[c+header+1]
	s.watch(a^1, watch{c, b})
	s.watch(b^1, watch{c, a})
}

// watch has a clause look at a literal.
func (s *Solver) watch(l lit, w watch) {
	s.watches[l] = append(s.watches[l], w)
	s.mark.note(l, w.clause)
}

func (s *Solver) assign(l lit, reason ref) {
	s.value[l], s.value[l^1] = 1, -1
	v := l >> 1
	s.level[v], s.reason[v] = int32(len(s.limits)), reason
	s.trail = append(s.trail, l)
}

// propagate draws all conclusions, and returns a clause that is false.
func (s *Solver) propagate() ref {
	for s.head < len(s.trail) {
		l := s.trail[s.head]
		s.head++
		list, kept := s.watches[l], s.watches[l][:0]
		for i := 0; i < len(list); i++ {
			w := list[i]
			if s.value[w.other] > 0 {
				kept = append(kept, w)
				continue
			}
			lits := s.literals(w.clause)
			if lits[0] == l^1 {
				lits[0], lits[1] = lits[1], lits[0]
			}
			first := lits[0]
			w.other = first
			if s.value[first] > 0 {
				kept = append(kept, w)
				continue
			}
			if s.rewatch(lits, w) {
				continue
			}
			kept = append(kept, w)
			if s.value[first] < 0 {
				s.watches[l] = append(kept, list[i+1:]...)
				return w.clause
			}
			s.assign(first, w.clause)
		}
		s.watches[l] = kept
	}
	return 0
}

// rewatch finds another literal for a clause to look at.
func (s *Solver) rewatch(lits []lit, w watch) bool {
	for k := 2; k < len(lits); k++ {
		if s.value[lits[k]] >= 0 {
			lits[1], lits[k] = lits[k], lits[1]
			s.watch(lits[1]^1, w)
			return true
		}
	}
	return false
}

// analyze returns the clause that a conflict teaches, its first literal the one that follows, and the level to go back to.
func (s *Solver) analyze(c ref) ([]lit, int) {
	learnt := []lit{0}
	open, at, l := 0, len(s.trail)-1, lit(0)
	for first := true; first || open > 0; first = false {
		s.memory[c+1] = lit(s.conflicts)
		for _, q := range s.literals(c) {
			v := q >> 1
			if q == l || s.seen[v] || s.level[v] == 0 {
				continue
			}
			s.seen[v] = true
			s.raise(int32(v))
			if int(s.level[v]) == len(s.limits) {
				open++
			} else {
				learnt = append(learnt, q)
			}
		}
		for !s.seen[s.trail[at]>>1] {
			at--
		}
		l = s.trail[at]
		c = s.reason[l>>1]
		s.seen[l>>1] = false
		at--
		open--
	}
	learnt[0] = l ^ 1
	back := 0
	for i := 1; i < len(learnt); i++ {
		s.seen[learnt[i]>>1] = false
		if level := int(s.level[learnt[i]>>1]); level > back {
			back = level
			learnt[1], learnt[i] = learnt[i], learnt[1]
		}
	}
	return learnt, back
}

// raise makes it likelier that a variable is decided early.
func (s *Solver) raise(v int32) {
	if s.activity[v] += s.bump; s.activity[v] > 1e100 {
		for i := range s.activity {
			s.activity[i] *= 1e-100
		}
		s.bump *= 1e-100
	}
	s.order.up(v)
}

func (s *Solver) cancel(level int) {
	if len(s.limits) <= level {
		return
	}
	for i := len(s.trail) - 1; i >= s.limits[level]; i-- {
		l := s.trail[i]
		s.value[l], s.value[l^1] = 0, 0
		s.phase[l>>1] = l&1 == 0
		s.order.push(int32(l >> 1))
	}
	s.trail = s.trail[:s.limits[level]]
	s.limits, s.head = s.limits[:level], len(s.trail)
}

// forget drops the half of the learnt clauses that was not needed for longest.
func (s *Solver) forget() {
	slices.SortFunc(s.learnt, func(a, b ref) int { return int(s.memory[b+1] - s.memory[a+1]) })
	old := map[ref]bool{}
	for _, c := range s.learnt[len(s.learnt)/2:] {
		old[c] = len(s.literals(c)) > 2
	}
	move := s.sweep(1, func(c ref) bool { return !old[c] })
	for l := range s.watches {
		s.watches[l] = move.watches(s.watches[l])
	}
}

// Solve searches values under which the assumed literals and all clauses are true, with so many conflicts at most.
func (s *Solver) Solve(conflicts int, assumed ...int) Verdict {
	if s.failed {
		return Unsatisfiable
	}
	defer s.cancel(0)
	last := s.conflicts + conflicts
	restart, pause := s.conflicts+100, 100
	for {
		if c := s.propagate(); c != 0 {
			s.conflicts++
			if len(s.limits) == 0 {
				s.failed = true
				return Unsatisfiable
			}
			learnt, back := s.analyze(c)
			s.cancel(back)
			if len(learnt) == 1 {
				s.assign(learnt[0], 0)
			} else {
				s.assign(learnt[0], s.learn(learnt))
			}
			s.bump /= 0.95
			continue
		}
		if s.conflicts >= last {
			return Unknown
		}
		if s.conflicts >= restart {
			pause += pause / 10
			restart = s.conflicts + pause
			s.cancel(len(assumed))
			if len(s.learnt) > 4000+s.conflicts/4 {
				s.cancel(0)
				s.forget()
			}
			continue
		}
		next, verdict := s.decide(assumed)
		if verdict != Unknown {
			return verdict
		}
		s.limits = append(s.limits, len(s.trail))
		if next != 0 {
			s.assign(next, 0)
		}
	}
}

// decide returns the literal to try next; 0 for an assumption that is true already.
func (s *Solver) decide(assumed []int) (lit, Verdict) {
	if level := len(s.limits); level < len(assumed) {
		l := literal(assumed[level])
		switch {
		case s.value[l] < 0:
			return 0, Unsatisfiable
		case s.value[l] > 0:
			return 0, Unknown
		}
		return l, Unknown
	}
	for len(s.order.list) > 0 {
		v := s.order.pop()
		if l := lit(2 * v); s.value[l] == 0 {
			if !s.phase[v] {
				l++
			}
			return l, Unknown
		}
	}
	s.model = append(s.model[:0], make([]bool, len(s.level))...)
	for v := range s.model {
		s.model[v] = s.value[2*v] > 0
	}
	return 0, Satisfiable
}

// Value returns the value of a literal in what the last search has found.
func (s *Solver) Value(x int) bool { return s.model[max(x, -x)] == (x > 0) }

// Suggest has a search try this literal first where it may choose.
func (s *Solver) Suggest(x int) { s.phase[max(x, -x)] = x > 0 }

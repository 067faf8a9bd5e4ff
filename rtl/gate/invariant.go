// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"meshwright/internal/sat"
)

// An invariant says that one or the other of some registers has a value, in every state that may follow a state of the run, with
// resets or without. The candidates are all such pairs that hold in the states of a run, and for a few registers in a row, such as a
// destination, each value that none of these states has. If all candidates hold, which of them may not hold in the next cycle?
// Those are dropped, until all that are left follow from themselves.

// mostRegisters bounds the registers with a reset that pairs speak of, mostCandidates the candidates of each kind.
const (
	mostRegisters  = 250
	mostCandidates = 100_000
)

// induce finds the invariants.
func (p *Prover) induce(ctx context.Context) error {
	var list []candidate
	for _, row := range p.candidates() {
		list = append(list, candidate{row: row})
	}
	if len(list) == 0 {
		return nil
	}
	w := p.weeder()
	w.fromRun()
	if list = w.run(list); len(list) == 0 {
		return nil
	}
	s, some := p.searchFor(list)
	rng := rand.New(rand.NewPCG(1, 1))
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		for v := 1; v < some[0]; v++ {
			s.Suggest(v * (1 - 2*rng.IntN(2)))
		}
		for _, v := range some {
			s.Suggest(v)
		}
		switch s.Solve(mostConflicts, assumptions(list)...) {
		case sat.Unsatisfiable:
			for _, c := range list {
				p.invariants = append(p.invariants, c.row)
			}
			return nil
		case sat.Unknown:
			return errors.New("gate: the search for invariants does not end")
		}
		before := slices.Clone(list)
		w.fromValues(func(net Net) bool { return s.Value(int(p.of[net])) }, list)
		list = w.run(list)
		for _, old := range dropped(before, list) {
			s.Add(-old.assumed)
		}
	}
}

// searchFor returns a solver that looks for a candidate that is broken in the next cycle, and literals that say so of each one.
func (p *Prover) searchFor(list []candidate) (*sat.Solver, []int) {
	c := p.circuit.above()
	s := p.solver(c)
	next := p.next()
	some := make([]int, len(list))
	for i := range list {
		broken, assumed := int(c.leaf()), int(c.leaf())
		s.Grow(assumed)
		list[i].assumed, some[i] = assumed, broken
		for _, t := range list[i].row {
			after := Term{next[t.Net], t.Value}
			c.emit(s, p.of[after.Net])
			s.Add(-broken, -p.term(after))
		}
		s.Add(-broken, assumed)
		s.Add(append(p.terms(list[i].row), -assumed)...)
	}
	s.Add(some...)
	return s, some
}

// assumptions lists the literals of candidates.
func assumptions(list []candidate) []int {
	literals := make([]int, len(list))
	for i := range list {
		literals[i] = list[i].assumed
	}
	return literals
}

// dropped lists the candidates that are not left, in order.
func dropped(before, left []candidate) []candidate {
	var list []candidate
	for _, c := range before {
		if len(left) > 0 && left[0].assumed == c.assumed {
			left = left[1:]
		} else {
			list = append(list, c)
		}
	}
	return list
}

// next returns what registers take over, by register.
func (p *Prover) next() map[Net]Net {
	next := make(map[Net]Net, len(p.d.registers))
	for _, r := range p.d.registers {
		next[r.now] = r.next
	}
	return next
}

// candidates lists what holds in all states of the run.
func (p *Prover) candidates() [][]Term {
	if len(p.states) == 0 {
		return nil
	}
	tied := map[Net]bool{}
	maps.Copy(tied, p.tied)
	tied[p.d.Inputs["rst_i"][0]] = true
	reset := p.d.folded([]int{0}, tied)
	used := p.d.folded([]int{0}, p.tied)
	used.use(p.watched())
	var control, stored []int // registers that a reset changes, and the others
	for i, r := range p.d.registers {
		switch {
		case !used.used[r.now]:
		case reset.alias[r.next] <= One && len(control) < mostRegisters:
			control = append(control, i)
		default:
			stored = append(stored, i)
		}
	}
	return append(p.pairs(control), p.words(stored)...)
}

// pairs lists the pairs of these registers of which one or the other always has a value.
func (p *Prover) pairs(registers []int) [][]Term {
	var list [][]Term
	for i, a := range registers {
		for _, b := range registers[:i+1] {
			var seen [4]bool
			for _, state := range p.states {
				seen[value(state[a], state[b])] = true
			}
			for k := range seen {
				if !seen[k] && (a != b || k == 0 || k == 3) && len(list) < mostCandidates {
					list = append(list, []Term{{p.d.registers[a].now, k&1 == 0}, {p.d.registers[b].now, k&2 == 0}})
				}
			}
		}
	}
	return list
}

func value(bits ...bool) int {
	number := 0
	for i, b := range bits {
		if b {
			number |= 1 << i
		}
	}
	return number
}

// words lists the values that words of these registers never have.
func (p *Prover) words(registers []int) [][]Term {
	var list [][]Term
	for i := 0; i+p.window <= len(registers) && p.window > 0; i++ {
		word := registers[i : i+p.window]
		seen := make([]bool, 1<<p.window)
		bits := make([]bool, p.window)
		for _, state := range p.states {
			for k, r := range word {
				bits[k] = state[r]
			}
			seen[value(bits...)] = true
		}
		for number := range seen {
			if seen[number] || len(list) >= mostCandidates {
				continue
			}
			row := make([]Term, p.window)
			for k, r := range word {
				row[k] = Term{p.d.registers[r].now, number>>k&1 == 0}
			}
			list = append(list, row)
		}
	}
	return list
}

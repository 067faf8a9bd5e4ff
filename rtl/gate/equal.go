// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"slices"

	"meshwright/internal/sat"
)

// effort bounds a proof, in conflicts of its search.
const effort = 20_000

// Proofs tries proofs, one after the other: what one has learnt of the sound design serves the next ones.
type Proofs struct {
	p       *Prover
	circuit *circuit
	solver  *sat.Solver
	cone    *cone
	faulty  []literal // by net: what the copy with the fault has there; 0: the same as the sound one
	changed []Net     // that differ
	pending []bool    // by gate: it reads a net that differs
	last    int32     // pending gate
}

// Proofs begins proofs.
func (p *Prover) Proofs() *Proofs {
	c := p.circuit.above()
	s := &Proofs{p: p, circuit: c, solver: p.solver(c), cone: &cone{below: p.cone}, faulty: make([]literal, p.d.nets), pending: make([]bool, len(p.d.gates))}
	c.mark(s.solver)
	return s
}

// Equal tries to prove that a fault changes nothing.
func (s *Proofs) Equal(number int) bool {
	s.plant(number)
	some := s.differences()
	equal := !slices.ContainsFunc(some, func(l int) bool { return s.solver.Solve(effort, l) != sat.Unsatisfiable })
	s.circuit.rewind(s.solver)
	s.cone.empty()
	for _, net := range s.changed {
		s.faulty[net] = 0
	}
	s.changed = s.changed[:0]
	return equal
}

// plant computes the nets that differ in the copy with a fault.
func (s *Proofs) plant(number int) {
	s.last = -1
	first := int32(len(s.pending))
	for _, c := range s.p.d.choices {
		if c.number == number && number != 0 {
			s.set(c.out, yes)
			if readers := s.p.readers[c.out]; len(readers) > 0 {
				first = min(first, readers[0])
			}
		}
	}
	for i := first; i <= s.last; i++ {
		if !s.pending[i] {
			continue
		}
		s.pending[i] = false
		g := &s.p.d.gates[i]
		s.set(g.out, s.circuit.gate(g.op, s.at(g.in[0]), s.at(g.in[1]), s.at(g.in[2])))
	}
}

// at returns what a net is in the copy with the fault.
func (s *Proofs) at(net Net) literal {
	if l := s.faulty[net]; l != 0 {
		return l
	}
	return s.p.of[net]
}

// set notes what a net is in the copy with the fault.
func (s *Proofs) set(net Net, l literal) {
	if l == s.p.of[net] {
		return
	}
	s.faulty[net] = l
	s.changed = append(s.changed, net)
	for _, i := range s.p.readers[net] {
		s.pending[i] = true
		s.last = max(s.last, i)
	}
}

// differences returns literals of which one is true if the copies differ in what they show or what registers hold next. Only
// registers count that one of the copies reads.
func (s *Proofs) differences() []int {
	var some []int
	differ := func(net Net, under literal) {
		l := s.faulty[net]
		if l == 0 || under == -yes {
			return
		}
		s.cone.visit(s.circuit, l)
		some = append(some, int(s.circuit.and(under, s.circuit.xor(s.p.of[net], l))))
	}
	for _, shown := range s.p.shown {
		differ(shown.Output, s.p.of[shown.Under])
	}
	for r := range s.p.registers(s.p.cone) {
		differ(s.p.d.registers[r].next, yes)
	}
	for r := range s.p.registers(s.cone) {
		s.cone.visit(s.circuit, s.p.of[s.p.d.registers[r].next])
		differ(s.p.d.registers[r].next, yes)
	}
	for _, l := range some {
		s.circuit.emit(s.solver, literal(l))
	}
	return some
}

// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"iter"

	"meshwright/internal/sat"
)

// A proof compares two copies of a design whose registers hold the same: the sound one and one with a fault. If no
// registers and no inputs tell them apart, in what they show and in what the registers hold next, then they are alike
// for ever. States that the design never comes into do not count (invariant.go), nor do inputs that it never gets.

// mostConflicts bounds each search for what all proofs know.
const mostConflicts = 1_000_000

// Prover knows what proofs need of a design. Any number of searches may use it at the same time.
type Prover struct {
	d          *Design
	tied       map[Net]bool
	shown      []Shown
	never      [][]Term
	states     [][]bool // that the design came into, by register
	window     int
	invariants [][]Term

	circuit  *circuit  // of the sound design
	of       []literal // by net
	readers  [][]int32 // by net: the gates that read it
	register []int32   // by node: the register that it is; -1: none
	cone     *cone     // of all that outputs depend on
}

// Term is a value of a net.
type Term struct {
	Net   Net
	Value bool
}

// Shown is an output. It counts only while Under is 1; One: always.
type Shown struct{ Output, Under Net }

// Known is what a prover is told of a design.
type Known struct {
	Tied   map[Net]bool // inputs that never change
	Shown  []Shown
	Never  [][]Term // terms of a row that are not true at the same time
	States [][]bool // that the design came into, by register; proofs speak of what may follow the last one
	Window int      // how many registers in a row an invariant may speak of
}

// NewProver prepares proofs for a design. What is known must not contradict itself: from a contradiction everything follows.
func NewProver(ctx context.Context, d *Design, k Known) (*Prover, error) {
	p := &Prover{d: d, tied: k.Tied, shown: k.Shown, never: k.Never, states: k.States, window: k.Window}
	p.build()
	if err := p.induce(ctx); err != nil {
		return nil, err
	}
	if p.solver(p.circuit.above()).Solve(mostConflicts) != sat.Satisfiable {
		return nil, errors.New("gate: what is known of inputs and states contradicts itself")
	}
	return p, nil
}

// build makes the circuit of the sound design.
func (p *Prover) build() {
	p.circuit, p.of, p.readers = newCircuit(), make([]literal, p.d.nets), make([][]int32, p.d.nets)
	p.of[Zero], p.of[One] = -yes, yes
	for net, value := range p.tied {
		if p.of[net] = -yes; value {
			p.of[net] = yes
		}
	}
	for _, c := range p.d.choices {
		p.of[c.out] = -yes
	}
	for i := range p.d.gates {
		g := &p.d.gates[i]
		var in [3]literal
		for k, net := range g.inputs() {
			if p.of[net] == 0 {
				p.of[net] = p.circuit.leaf()
			}
			in[k] = p.of[net]
			p.readers[net] = append(p.readers[net], int32(i))
		}
		p.of[g.out] = p.circuit.gate(g.op, in[0], in[1], in[2])
	}
	for net, l := range p.of {
		if l == 0 {
			p.of[net] = p.circuit.leaf()
		}
	}
	p.register = make([]int32, len(p.circuit.nodes))
	for i := range p.register {
		p.register[i] = -1
	}
	for i, r := range p.d.registers {
		p.register[p.of[r.now]] = int32(i)
	}
	p.cone = &cone{}
	for _, net := range p.watched() {
		p.cone.visit(p.circuit, p.of[net])
	}
	for r := range p.registers(p.cone) {
		p.cone.visit(p.circuit, p.of[p.d.registers[r].next])
	}
}

// registers lists the registers of a cone, also those that come into it meanwhile.
func (p *Prover) registers(c *cone) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := 0; i < len(c.list); i++ {
			if l := int(c.list[i]); l < len(p.register) && p.register[l] >= 0 && !yield(p.register[l]) {
				return
			}
		}
	}
}

// watched lists the nets that outputs need.
func (p *Prover) watched() []Net {
	var list []Net
	for _, s := range p.shown {
		list = append(list, s.Output, s.Under)
	}
	for _, row := range p.never {
		for _, t := range row {
			list = append(list, t.Net)
		}
	}
	return list
}

// term returns the literal of a term in the sound copy.
func (p *Prover) term(t Term) int {
	if t.Value {
		return int(p.of[t.Net])
	}
	return -int(p.of[t.Net])
}

// terms returns the literals of terms.
func (p *Prover) terms(row []Term) []int {
	list := make([]int, len(row))
	for i, t := range row {
		list[i] = p.term(t)
	}
	return list
}

// solver returns a solver that knows the sound design.
func (p *Prover) solver(c *circuit) *sat.Solver {
	s := sat.New(len(c.nodes) - 1)
	c.emit(s, yes)
	c.emit(s, p.cone.list...)
	for _, row := range p.never {
		literals := p.terms(row)
		for i := range literals {
			literals[i] = -literals[i]
		}
		s.Add(literals...)
	}
	for _, row := range p.invariants {
		s.Add(p.terms(row)...)
	}
	return s
}

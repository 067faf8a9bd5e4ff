// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"

	"meshwright/internal/sat"
)

// A proof compares two copies of a design whose registers hold the same: the sound one and one with a fault. If no
// registers and no inputs tell them apart, in what they show and in what the registers hold next, then they are alike
// for ever. States that the design never comes into do not count (invariant.go), nor do inputs that it never gets.

// effort bounds a proof, in conflicts of its search, and mostConflicts each search for what all proofs know.
const (
	effort        = 20_000
	mostConflicts = 1_000_000
)

// Prover proves that faults change nothing.
type Prover struct {
	d          *Design
	tied       map[Net]bool
	shown      []Shown
	never      [][]Term
	states     [][]bool // that the design came into, by register
	window     int
	invariants [][]Term
}

// Term is a value of a net.
type Term struct {
	Net   Net
	Value bool
}

// Shown is an output. It counts only while Under is 1; One: always.
type Shown struct{ Output, Under Net }

// circuit is a design as clauses.
type circuit struct {
	clauses [][]int
	vars    int
	of      []int // by net: its variable; 0: none yet
	f       *folding
}

// yes is the variable that is 1.
const yes = 1

func newCircuit(f *folding) *circuit {
	c := &circuit{of: make([]int, f.d.nets), f: f, vars: yes}
	c.add(yes)
	return c
}

// net returns the literal of a net of the sound copy.
func (c *circuit) net(net Net) int { return c.literal(c.of, c.f.alias[net]) }

func (c *circuit) literal(of []int, net Net) int {
	switch {
	case net == Zero:
		return -yes
	case net == One:
		return yes
	case of[net] == 0:
		c.vars++
		of[net] = c.vars
	}
	return of[net]
}

// add adds a clause.
func (c *circuit) add(literals ...int) { c.clauses = append(c.clauses, literals) }

// variable returns a new variable.
func (c *circuit) variable() int {
	c.vars++
	return c.vars
}

// gate adds the clauses of a gate.
func (c *circuit) gate(g *gate, a, b, s, y int) {
	switch g.op {
	case not:
		c.add(a, y)
		c.add(-a, -y)
	case nand, and, andNot:
		if g.op == nand {
			y = -y
		}
		if g.op == andNot {
			b = -b
		}
		c.add(-a, -b, y)
		c.add(a, -y)
		c.add(b, -y)
	case nor, or, orNot:
		if g.op == nor {
			y = -y
		}
		if g.op == orNot {
			b = -b
		}
		c.add(a, b, -y)
		c.add(-a, y)
		c.add(-b, y)
	case xor, xnor:
		if g.op == xnor {
			y = -y
		}
		c.add(a, b, -y)
		c.add(-a, -b, -y)
		c.add(a, -b, y)
		c.add(-a, b, y)
	case mux:
		c.add(s, -a, y)
		c.add(s, a, -y)
		c.add(-s, -b, y)
		c.add(-s, b, -y)
	}
}

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
	if err := p.induce(ctx); err != nil {
		return nil, err
	}
	if p.sound().solver().Solve(mostConflicts) != sat.Satisfiable {
		return nil, errors.New("gate: what is known of inputs and states contradicts itself")
	}
	return p, nil
}

// sound returns the sound design as clauses, with what is known.
func (p *Prover) sound() *circuit {
	f := p.d.folded([]int{0}, p.tied)
	f.use(p.watched())
	c := newCircuit(f)
	for i := range f.gates {
		if g := &f.gates[i]; f.used[g.out] {
			c.gate(g, c.literal(c.of, g.in[0]), c.literal(c.of, g.in[1]), c.literal(c.of, g.in[2]), c.literal(c.of, g.out))
		}
	}
	p.assume(c)
	return c
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
func (c *circuit) term(t Term) int {
	if t.Value {
		return c.net(t.Net)
	}
	return -c.net(t.Net)
}

// terms returns the literals of terms.
func (c *circuit) terms(row []Term) []int {
	list := make([]int, len(row))
	for i, t := range row {
		list[i] = c.term(t)
	}
	return list
}

// value returns the value that a search has found for a net of the sound copy. What no clause has is 0.
func (c *circuit) value(s *sat.Solver, net Net) bool {
	if net = c.f.alias[net]; net > One && c.of[net] == 0 {
		return false
	}
	return s.Value(c.net(net))
}

// assume adds what is known of inputs and registers.
func (p *Prover) assume(c *circuit) {
	for _, row := range p.never {
		var literals []int
		for _, t := range row {
			literals = append(literals, -c.term(t))
		}
		c.add(literals...)
	}
	for _, row := range p.invariants {
		c.add(c.terms(row)...)
	}
}

// Equal tries to prove that a fault changes nothing.
func (p *Prover) Equal(number int) bool {
	f := p.d.folded([]int{0, number}, p.tied)
	f.use(p.watched())
	c := newCircuit(f)
	faulty := make([]Net, p.d.nets) // by net: 1 if it may differ
	other := make([]int, p.d.nets)
	for net := range f.given {
		faulty[net] = 1
		c.of[net], other[net] = -yes, yes
	}
	for i := range f.gates {
		g := &f.gates[i]
		if !f.used[g.out] {
			continue
		}
		var in [3]int
		differs := false
		for k, net := range g.inputs() {
			in[k] = c.literal(c.of, net)
			differs = differs || faulty[net] == 1
		}
		c.gate(g, in[0], in[1], in[2], c.literal(c.of, g.out))
		if !differs {
			continue
		}
		faulty[g.out] = 1
		for k, net := range g.inputs() {
			if faulty[net] == 1 {
				in[k] = c.literal(other, net)
			}
		}
		c.gate(g, in[0], in[1], in[2], c.literal(other, g.out))
	}
	var some []int
	differ := func(out, under Net) {
		out = f.alias[out]
		if faulty[out] == 0 {
			return
		}
		d := c.variable()
		a, b, u := c.literal(c.of, out), c.literal(other, out), c.net(under)
		c.add(-d, u)
		c.add(-d, a, b)
		c.add(-d, -a, -b)
		some = append(some, d)
	}
	for _, s := range p.shown {
		differ(s.Output, s.Under)
	}
	for _, r := range p.d.registers {
		if f.used[r.now] {
			differ(r.next, One)
		}
	}
	if len(some) == 0 {
		return true
	}
	c.add(some...)
	p.assume(c)
	return c.solver().Solve(effort) == sat.Unsatisfiable
}

// solver returns a solver with the clauses.
func (c *circuit) solver() *sat.Solver {
	s := sat.New(c.vars)
	for _, clause := range c.clauses {
		s.Add(clause...)
	}
	return s
}

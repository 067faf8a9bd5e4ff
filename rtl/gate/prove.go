// SPDX-License-Identifier: Apache-2.0

package gate

import "meshwright/internal/sat"

// A proof compares two copies of a design whose registers hold the same: the sound one and one with a fault. If no
// registers and no inputs tell them apart, in what they show and in what the registers hold next, then they are alike
// for ever.

// effort bounds a proof, in conflicts of its search.
const effort = 20_000

// Prover proves that faults change nothing.
type Prover struct {
	d     *Design
	tied  map[Net]bool
	shown []Shown
	rules func(*circuit) []int
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

// NewProver prepares proofs for a design.
func NewProver(d *Design, tied map[Net]bool, shown []Shown, rules func(*circuit) []int) *Prover {
	return &Prover{d, tied, shown, rules}
}

// Equal tries to prove that a fault changes nothing.
func (p *Prover) Equal(number int) bool {
	f := p.d.folded([]int{0, number}, p.tied)
	var watched []Net
	for _, s := range p.shown {
		watched = append(watched, s.Output, s.Under)
	}
	f.use(watched)
	c := &circuit{of: make([]int, p.d.nets), f: f, vars: 1}
	c.add(yes)
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
	if p.rules != nil {
		p.rules(c)
	}
	s := sat.New(c.vars)
	for _, clause := range c.clauses {
		s.Add(clause...)
	}
	return s.Solve(effort) == sat.Unsatisfiable
}

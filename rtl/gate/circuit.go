// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"slices"

	"meshwright/internal/sat"
)

// literal is a node of a circuit, or the negative of one: its complement.
type literal int32

// yes is the node that is always 1.
const yes literal = 1

// kind says what a node computes.
type kind uint8

const (
	leaf   kind = iota // an input or a register
	both               // a and b
	differ             // a xor b
	choose             // a; b if s is 1
)

// node is what computes a literal. Equal nodes are the same node.
type node struct {
	kind    kind
	a, b, s literal
}

// circuit is a design without gates that others make superfluous. Its nodes are the variables of clauses.
type circuit struct {
	nodes   []node // a node stands behind those that it reads; 0 is none
	known   map[node]literal
	below   *circuit // whose nodes come first, and stay as they are
	emitted []bool   // by node: a solver has its clauses
	marked  []bool   // the same, when the solver was marked
}

func newCircuit() *circuit {
	return &circuit{nodes: make([]node, yes+1), known: map[node]literal{}}
}

// above returns a circuit with the nodes of another one, which takes more.
func (c *circuit) above() *circuit {
	return &circuit{nodes: slices.Clone(c.nodes), known: map[node]literal{}, below: c}
}

// mark marks a solver that has clauses of nodes of the circuit below.
func (c *circuit) mark(s *sat.Solver) {
	s.Mark()
	c.marked = slices.Clone(c.emitted)
}

// rewind removes the nodes that the circuit below does not have, and takes the clauses behind the mark from the solver.
func (c *circuit) rewind(s *sat.Solver) {
	s.Rewind()
	c.nodes = c.nodes[:len(c.below.nodes)]
	clear(c.known)
	c.emitted = append(c.emitted[:0], c.marked...)
}

// leaf adds an input or a register.
func (c *circuit) leaf() literal {
	c.nodes = append(c.nodes, node{})
	return literal(len(c.nodes) - 1)
}

// add returns a node that computes this.
func (c *circuit) add(n node) literal {
	if c.below != nil {
		if l, ok := c.below.known[n]; ok {
			return l
		}
	}
	if l, ok := c.known[n]; ok {
		return l
	}
	c.nodes = append(c.nodes, n)
	l := literal(len(c.nodes) - 1)
	c.known[n] = l
	return l
}

// and returns a literal that is 1 if both are.
func (c *circuit) and(a, b literal) literal {
	switch {
	case a == -yes || b == -yes || a == -b:
		return -yes
	case a == yes || a == b:
		return b
	case b == yes:
		return a
	}
	return c.add(node{kind: both, a: min(a, b), b: max(a, b)})
}

// xor returns a literal that is 1 if they differ.
func (c *circuit) xor(a, b literal) literal {
	sign := literal(1)
	if a < 0 {
		a, sign = -a, -sign
	}
	if b < 0 {
		b, sign = -b, -sign
	}
	switch {
	case a == b:
		return -sign * yes
	case a == yes:
		return -sign * b
	case b == yes:
		return -sign * a
	}
	return sign * c.add(node{kind: differ, a: min(a, b), b: max(a, b)})
}

// mux returns a literal that is a, and b if s is 1.
func (c *circuit) mux(a, b, s literal) literal {
	if s < 0 {
		a, b, s = b, a, -s
	}
	switch {
	case s == yes:
		return b
	case a == b:
		return a
	case a == -b:
		return c.xor(a, s)
	case a == -yes || a == s:
		return c.and(s, b)
	case b == -yes || b == -s:
		return c.and(-s, a)
	case a == yes || a == -s:
		return -c.and(s, -b)
	case b == yes || b == s:
		return -c.and(-s, -a)
	}
	return c.add(node{choose, a, b, s})
}

// gate returns what a gate computes.
func (c *circuit) gate(op op, a, b, s literal) literal {
	switch op {
	case not:
		return -a
	case and:
		return c.and(a, b)
	case nand:
		return -c.and(a, b)
	case andNot:
		return c.and(a, -b)
	case or:
		return -c.and(-a, -b)
	case nor:
		return c.and(-a, -b)
	case orNot:
		return -c.and(-a, b)
	case xor:
		return c.xor(a, b)
	case xnor:
		return -c.xor(a, b)
	case mux:
		return c.mux(a, b, s)
	}
	return a // copyOf
}

// reads returns the nodes that a node reads.
func (n *node) reads() []literal {
	switch n.kind {
	case leaf:
		return nil
	case choose:
		return []literal{index(n.a), index(n.b), n.s}
	}
	return []literal{index(n.a), index(n.b)}
}

func index(l literal) literal { return max(l, -l) }

// emit gives a solver the clauses of nodes and of all that they depend on.
func (c *circuit) emit(s *sat.Solver, list ...literal) {
	list = slices.Clone(list) // what follows takes nodes off, and puts others in their places
	s.Grow(len(c.nodes) - 1)
	c.emitted = append(c.emitted, make([]bool, len(c.nodes)-len(c.emitted))...)
	for len(list) > 0 {
		l := index(list[len(list)-1])
		list = list[:len(list)-1]
		if c.emitted[l] {
			continue
		}
		c.emitted[l] = true
		if l == yes {
			s.Add(int(yes))
			continue
		}
		c.nodes[l].clauses(s, int(l))
		list = append(list, c.nodes[l].reads()...)
	}
}

// clauses gives a solver the clauses of a node.
func (n *node) clauses(s *sat.Solver, y int) {
	a, b, t := int(n.a), int(n.b), int(n.s)
	switch n.kind {
	case both:
		s.Add(-a, -b, y)
		s.Add(a, -y)
		s.Add(b, -y)
	case differ:
		s.Add(a, b, -y)
		s.Add(-a, -b, -y)
		s.Add(a, -b, y)
		s.Add(-a, b, y)
	case choose:
		s.Add(t, -a, y)
		s.Add(t, a, -y)
		s.Add(-t, -b, y)
		s.Add(-t, b, -y)
	}
}

// cone is a set of nodes, and all nodes on which they depend in this cycle.
type cone struct {
	below *cone // whose nodes it has, too
	seen  []bool
	list  []literal // that the cone below does not have
}

func (n *cone) has(l literal) bool {
	return int(l) < len(n.seen) && n.seen[l] || n.below != nil && n.below.has(l)
}

// visit adds a node.
func (n *cone) visit(c *circuit, l literal) {
	if l = index(l); n.has(l) {
		return
	}
	if int(l) >= len(n.seen) {
		n.seen = append(n.seen, make([]bool, len(c.nodes)-len(n.seen))...)
	}
	n.seen[l] = true
	n.list = append(n.list, l)
	for _, l := range c.nodes[l].reads() {
		n.visit(c, l)
	}
}

// empty removes all nodes that the cone below does not have.
func (n *cone) empty() {
	for _, l := range n.list {
		n.seen[l] = false
	}
	n.list = n.list[:0]
}

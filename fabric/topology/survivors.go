// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"strings"

	"meshwright/internal/input"
	"meshwright/router"
)

// Survivors is what dead nodes and links leave of a network. The live nodes are numbered anew,
// without gaps and in the same order, so that everything that runs on a graph runs on them.
type Survivors struct {
	Whole    *Topology
	Topology *Topology       // a graph: the live nodes, and the links that live in both directions
	Loose    *Topology       // the same with the links that live in one direction only: bounds count them
	Node     []router.NodeID // by node of Topology: the node of Whole
	Place    []router.NodeID // by node of Whole: the node of Topology, router.None of a dead node
}

// Without returns what is left of a network. Of a link, deadLink is asked for both directions. A function that is nil says that
// none is dead. The error, when nothing is left or it falls into parts, is an *input.Error.
func (t *Topology) Without(deadNode func(router.NodeID) bool, deadLink func(from, to router.NodeID) bool) (*Survivors, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	if deadNode == nil {
		deadNode = func(router.NodeID) bool { return false }
	}
	if deadLink == nil {
		deadLink = func(from, to router.NodeID) bool { return false }
	}
	s := &Survivors{Whole: t, Place: make([]router.NodeID, t.Nodes())}
	for n := range router.NodeID(t.Nodes()) {
		s.Place[n] = router.None
		if !deadNode(n) {
			s.Place[n] = router.NodeID(len(s.Node))
			s.Node = append(s.Node, n)
		}
	}
	if len(s.Node) < 2 {
		return nil, input.Errorf("expected at least 2 live nodes", "the faults leave %s of %s", input.Count(len(s.Node), "node"), t)
	}
	var both, either []edge
	for _, l := range t.Links() {
		a, b := s.Place[l.From], s.Place[l.To]
		if l.From > l.To || a == router.None || b == router.None {
			continue
		}
		there, back := deadLink(l.From, l.To), deadLink(l.To, l.From)
		if !there && !back {
			both = append(both, edge{a, b})
		}
		if !there || !back {
			either = append(either, edge{a, b})
		}
	}
	s.Topology, s.Loose = s.graph(both), s.graph(either)
	s.Topology.cycle = s.cycleOfWhole()
	return s, s.connected()
}

// Survivors says of what faults leave of a network which nodes and links these are; nil of other networks.
func (t *Topology) Survivors() *Survivors {
	if t == nil {
		return nil
	}
	return t.left
}

// graph makes a graph of the live nodes.
func (s *Survivors) graph(edges []edge) *Topology {
	g := newAdjacency(Graph, len(s.Node), edges)
	g.Spec, g.left = "what is left of "+s.Whole.Spec, s
	return g
}

// cycleOfWhole is the Hamiltonian cycle of the whole network if all of it lives, else nil.
func (s *Survivors) cycleOfWhole() []router.NodeID {
	if len(s.Node) < s.Whole.Nodes() {
		return nil
	}
	cycle := HamiltonianCycle(s.Whole)
	for i, n := range cycle {
		if _, ok := s.Topology.PortTo(n, cycle[(i+1)%len(cycle)]); !ok {
			return nil
		}
	}
	return cycle
}

// connected names a smallest part of a network that falls into several.
func (s *Survivors) connected() error {
	seen := make([]bool, len(s.Node))
	var parts, least int
	var smallest *SpanningTree
	for n := range router.NodeID(len(s.Node)) {
		if seen[n] {
			continue
		}
		part := BreadthFirst(s.Topology, n)
		for _, m := range part.Order {
			seen[m] = true
		}
		parts++
		if smallest == nil || len(part.Order) < least {
			smallest, least = part, len(part.Order)
		}
	}
	if parts == 1 {
		return nil
	}
	return input.Errorf("expected a network in one part", "the faults cut %s off from the other nodes of %s", s.list(smallest), s.Whole)
}

// maxNamed bounds the nodes that an error names.
const maxNamed = 8

// list names the nodes of a part.
func (s *Survivors) list(part *SpanningTree) string {
	var names []string
	for n, depth := range part.Depth {
		if depth >= 0 && len(names) < maxNamed {
			names = append(names, fmt.Sprint(s.Node[n]))
		}
	}
	more := ""
	if rest := len(part.Order) - len(names); rest > 0 {
		more = fmt.Sprintf(" and %d more", rest)
	}
	if len(part.Order) == 1 {
		return "node " + names[0]
	}
	return "nodes " + strings.Join(names, ", ") + more
}

// Dead returns the numbers of dead nodes, and of directed links between live nodes that plans leave out.
func (s *Survivors) Dead() (nodes, links int) {
	for _, l := range s.Whole.Links() {
		if s.Place[l.From] != router.None && s.Place[l.To] != router.None {
			links++
		}
	}
	return s.Whole.Nodes() - len(s.Node), links - len(s.Topology.Links())
}

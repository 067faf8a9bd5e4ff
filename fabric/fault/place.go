// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"slices"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// numbered returns the list with the numbers of nodes of a star graph that it names by their permutations. No
// permutation is a number of a node: it has as many digits as there are symbols, and n! has fewer.
func (l *List) numbered(t *topology.Topology) *List {
	g := t.Star()
	if g == nil || !slices.ContainsFunc(l.Faults, func(f Fault) bool { return !t.Has(f.From) || !t.Has(f.To) }) {
		return l
	}
	number := func(n router.NodeID) router.NodeID {
		if named := g.Named(decimal(int(n))); named != router.None {
			return named
		}
		return n
	}
	numbered := *l
	numbered.Faults = slices.Clone(l.Faults)
	for i := range numbered.Faults {
		f := &numbered.Faults[i]
		f.From, f.To = number(f.From), number(f.To)
	}
	return &numbered
}

// expectedNodes says how the nodes of a network are named.
func expectedNodes(t *topology.Topology) string {
	text := "0 to " + decimal(t.Nodes()-1)
	if g := t.Star(); g != nil {
		last := router.NodeID(t.Nodes() - 1)
		text += ", or a permutation such as " + g.Name(last)
	}
	return text
}

// mostNeighbors bounds the neighbours that an error names.
const mostNeighbors = 8

// checkLink demands a link of the network.
func checkLink(t *topology.Topology, x *Fault) error {
	if _, ok := t.PortTo(x.From, x.To); ok {
		return nil
	}
	for _, n := range []router.NodeID{x.From, x.To} {
		if !t.Has(n) {
			return input.Errorf("expected nodes "+expectedNodes(t), "%s %d>%d: %d is not a node of %s", x.Kind, x.From, x.To, n, t)
		}
	}
	return input.Errorf("expected a neighbour of "+decimal(int(x.From))+": "+neighborsText(t, x.From), "%s %d>%d is not a link of %s", x.Kind, x.From, x.To, t)
}

// neighborsText lists the first neighbours of a node.
func neighborsText(t *topology.Topology, n router.NodeID) string {
	var nodes []router.NodeID
	for p := range router.Port(t.Ports(n)) {
		if m := t.Neighbor(n, p); m != router.None {
			nodes = append(nodes, m)
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	var names []string
	for _, m := range nodes[:min(mostNeighbors, len(nodes))] {
		names = append(names, decimal(int(m)))
	}
	text := strings.Join(names, ", ")
	switch left := len(nodes) - len(names); {
	case len(nodes) == 0:
		return "it has none"
	case left > 0:
		return text + " and " + decimal(left) + " more"
	}
	return text
}

// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"fmt"
	"strings"

	"meshwright/fabric/topology"
	"meshwright/internal/bitset"
	"meshwright/internal/input"
	"meshwright/router"
)

// Apart returns live nodes that cannot talk to the others: with a root those to which no route leads
// from it, and without (router.None) the smaller part of a network in which some node has no route to another. Only
// nodes and links count that are dead from cycle 0 on for good. It returns nil if there are none, or if the root is dead.
func Apart(t *topology.Topology, faults []Fault, root router.NodeID) []router.NodeID {
	dead := bitset.New(t.Nodes())
	cut := map[link]bool{}
	for _, f := range faults {
		switch {
		case f.Start > 0 || f.End < Never:
		case f.Kind == Node:
			dead.Set(int32(f.From))
		case f.Kind == Link:
			cut[link{f.From, f.To}] = true
		}
	}
	n := part{t, dead, cut}
	if root != router.None {
		if dead.Has(int32(root)) {
			return nil
		}
		return n.without(n.reached(root, false))
	}
	for first := range router.NodeID(t.Nodes()) {
		if !dead.Has(int32(first)) {
			for _, back := range []bool{false, true} {
				in := n.reached(first, back)
				if rest := n.without(in); len(rest) > 0 {
					if in.Size() < len(rest) {
						return nodesOf(in)
					}
					return rest
				}
			}
			break
		}
	}
	return nil
}

// part is what faults leave of a network.
type part struct {
	t    *topology.Topology
	dead bitset.Set
	cut  map[link]bool
}

// reached returns the live nodes to which a route leads from a node, or from which one leads back to it.
func (p *part) reached(from router.NodeID, back bool) bitset.Set {
	in := bitset.New(p.t.Nodes())
	in.Set(int32(from))
	for list := []router.NodeID{from}; len(list) > 0; {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		for port := range router.Port(p.t.Ports(n)) {
			m := p.t.Neighbor(n, port)
			if m == router.None || in.Has(int32(m)) || p.dead.Has(int32(m)) || !back && p.cut[link{n, m}] || back && p.cut[link{m, n}] {
				continue
			}
			in.Set(int32(m))
			list = append(list, m)
		}
	}
	return in
}

// without lists the live nodes that are not in a set.
func (p *part) without(in bitset.Set) []router.NodeID {
	var rest []router.NodeID
	for n := range router.NodeID(p.t.Nodes()) {
		if !in.Has(int32(n)) && !p.dead.Has(int32(n)) {
			rest = append(rest, n)
		}
	}
	return rest
}

func nodesOf(s bitset.Set) []router.NodeID {
	var list []router.NodeID
	for n := range s.All() {
		list = append(list, router.NodeID(n))
	}
	return list
}

// Refuse returns an *input.Error when faults leave a collective without hope: its root is dead, or some live
// nodes cannot be reached. root is router.None of a collective without one.
func (l *List) Refuse(t *topology.Topology, root router.NodeID) error {
	if l == nil {
		return nil
	}
	for _, f := range l.Faults {
		if f.Kind == Node && f.From == root && f.Start == 0 && f.End == Never {
			err := input.Errorf("expected a live root: nothing can be promised without it", "root %d is dead", root)
			return input.Locate(err, f.file, f.line)
		}
	}
	if apart := Apart(t, l.Faults, root); apart != nil {
		from := ""
		if root != router.None {
			from = fmt.Sprintf(" from root %d", root)
		}
		return input.Errorf("expected a network that holds together", "the faults cut %s off%s", NodesText(t, apart), from)
	}
	return nil
}

// maxRuns bounds the runs of nodes that a text names.
const maxRuns = 8

// NodesText names nodes, which are in rising order, as runs such as 3-7, and one node of a star graph with its permutation; of many it names the first.
func NodesText(t *topology.Topology, nodes []router.NodeID) string {
	if len(nodes) == 1 {
		return "node " + t.NodeText(nodes[0])
	}
	var runs []string
	named := 0
	for i := 0; i < len(nodes) && len(runs) < maxRuns; i = named {
		end := i
		for end+1 < len(nodes) && nodes[end+1] == nodes[end]+1 {
			end++
		}
		text := decimal(int(nodes[i]))
		if end > i {
			text += "-" + decimal(int(nodes[end]))
		}
		runs, named = append(runs, text), end+1
	}
	text := strings.Join(runs, ", ")
	if left := len(nodes) - named; left > 0 {
		text += fmt.Sprintf(" and %d more", left)
	}
	return "nodes " + text
}

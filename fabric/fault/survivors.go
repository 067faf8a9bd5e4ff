// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Survivors returns what the faults that a plan knows leave of a network: those of a list that is
// Known which last from cycle 0 on for good. It is nil if the list is not Known, or if they take nothing: the network is the sound one. The node spare is
// not among random faults. Errors are *input.Error.
func (l *List) Survivors(t *topology.Topology, spare router.NodeID) (*topology.Survivors, error) {
	if l == nil || !l.Known {
		return nil, nil
	}
	gone, err := l.Gone(t, spare)
	if err != nil || gone.None() {
		return nil, err
	}
	return t.Without(gone.Node, gone.Link)
}

// Gone is the nodes and directed links that known faults have taken from a network: dead from cycle 0 on for good.
type Gone struct {
	nodes map[router.NodeID]bool
	links map[link]bool
}

// None reports whether nothing is dead.
func (g *Gone) None() bool { return g == nil || len(g.nodes)+len(g.links) == 0 }

// Node reports whether a node is dead.
func (g *Gone) Node(n router.NodeID) bool { return g.nodes[n] }

// Link reports whether the link between two neighbours is dead by itself; the nodes at its ends do not count.
func (g *Gone) Link(from, to router.NodeID) bool { return g.links[link{from, to}] }

// Gone returns what the faults of a list that is Known have taken; nil if it is not Known. The node spare is
// not among random faults. Errors are *input.Error.
func (l *List) Gone(t *topology.Topology, spare router.NodeID) (*Gone, error) {
	if l == nil || !l.Known {
		return nil, nil
	}
	drawn, err := l.Draw(t, spare)
	if err != nil {
		return nil, err
	}
	if _, err := drawn.On(t, 1, maxWidth, 2*maxWidth); err != nil {
		return nil, err
	}
	g := &Gone{map[router.NodeID]bool{}, map[link]bool{}}
	for i := range drawn.Faults {
		switch f := &drawn.Faults[i]; {
		case f.Start > 0 || f.End < Never:
		case f.Kind == Node:
			g.nodes[f.From] = true
		case f.Kind == Link:
			g.links[link{f.From, f.To}] = true
		}
	}
	return g, nil
}

// maxWidth is the widest payload of a flit, in bits; a stored one has fewer than twice as many.
const maxWidth = 512

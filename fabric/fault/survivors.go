// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Survivors returns what the faults that a plan knows leave of a network: those of a list that is
// Known which last from cycle 0 on for good. It is nil if the list is not Known. The node spare is
// not among random faults. Errors are *input.Error.
func (l *List) Survivors(t *topology.Topology, spare router.NodeID) (*topology.Survivors, error) {
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
	nodes, links := map[router.NodeID]bool{}, map[link]bool{}
	for i := range drawn.Faults {
		switch f := &drawn.Faults[i]; {
		case f.Start > 0 || f.End < Never:
		case f.Kind == Node:
			nodes[f.From] = true
		case f.Kind == Link:
			links[link{f.From, f.To}] = true
		}
	}
	return t.Without(func(n router.NodeID) bool { return nodes[n] }, func(from, to router.NodeID) bool { return links[link{from, to}] })
}

// maxWidth is the widest payload of a flit, in bits; a stored one has fewer than twice as many.
const maxWidth = 512

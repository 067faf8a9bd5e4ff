// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"slices"

	"meshwright/router"
)

// This file is the pairs of nodes between which packets go.

// Pairs returns the pairs between which the packets of a load go, its replies included, if the pattern lists them: a permutation or a
// matrix. Otherwise it returns nil: a packet may go from any node to any other.
func (l *Load) Pairs() []Pair {
	p, ok := l.Pattern.(interface{ pairs() []Pair })
	if !ok {
		return nil
	}
	list := p.pairs()
	if l.Replies.Largest() > 0 {
		for _, pair := range list {
			list = append(list, Pair{pair.Destination, pair.Source})
		}
	}
	return list
}

// Pairs returns the pairs between which the packets of a trace go, each once.
func (t *Trace) Pairs() []Pair {
	var list []Pair
	seen := map[Pair]bool{}
	for i := range t.packets {
		if pair := (Pair{t.packets[i].source, t.packets[i].destination}); !seen[pair] {
			seen[pair] = true
			list = append(list, pair)
		}
	}
	return list
}

func (p *permutation) pairs() []Pair {
	list := []Pair{}
	for from, to := range p.to {
		if pair := (Pair{router.NodeID(from), to}); to != pair.Source && p.sends(pair.Source) {
			list = append(list, pair)
		}
	}
	return list
}

// sends reports whether a node sends.
func (p *permutation) sends(from router.NodeID) bool {
	if p.sources == nil {
		return true
	}
	_, found := slices.BinarySearch(p.sources, from)
	return found
}

func (m *matrix) pairs() []Pair {
	list := []Pair{}
	for from := range m.nodes() {
		for _, to := range m.to[m.first[from]:m.first[from+1]] {
			list = append(list, Pair{router.NodeID(from), to})
		}
	}
	return list
}

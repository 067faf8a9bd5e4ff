// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math/rand/v2"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// This file is patterns and traces of networks in which some nodes are dead: dead nodes neither send nor receive.

// Among returns a pattern without its packets from and to dead nodes:
//
//	uniform                 every other live node is as likely
//	hotspot                 the live ones of the hot nodes are hot, the rest is uniform among live nodes
//	matrix                  weights of dead destinations are left out; a source that has no other does not send
//	permutation, and others a node whose destination is dead does not send
//
// The error, when no node is left that sends, or no hot node, is an *input.Error; so is that about a pattern which this package has not made.
func Among(p Pattern, t *topology.Topology, live func(router.NodeID) bool) (Pattern, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	if p == nil || live == nil {
		return nil, errNoPattern
	}
	if err := validPattern(p, t); err != nil {
		return nil, err
	}
	part, ok := p.(interface {
		among(live func(router.NodeID) bool) (Pattern, error)
	})
	if !ok {
		return nil, input.Errorf("expected a pattern of traffic.ParsePattern", "a pattern that knows no dead nodes")
	}
	p, err := part.among(live)
	if err != nil {
		return nil, err
	}
	if s := p.Sources(); s != nil && len(s) == 0 {
		return nil, input.Errorf("expected a pattern in which a live node sends to another", "the faults leave no node that sends")
	}
	return p, nil
}

// errNoPattern says that there is nothing to choose from.
var errNoPattern = input.Errorf("expected a pattern or a trace, and a function that says who is live", "one of them is nil")

// someUniform is uniform traffic among some of the nodes.
type someUniform struct {
	list  []router.NodeID // rising
	place []int32         // by node: in list; of dead nodes anything
}

func (s *someUniform) Sources() []router.NodeID { return s.list }

func (s *someUniform) nodes() int { return len(s.place) }

func (s *someUniform) Destination(from router.NodeID, rng *rand.Rand) router.NodeID {
	to := rng.IntN(len(s.list) - 1)
	if to >= int(s.place[from]) {
		to++
	}
	return s.list[to]
}

func (u uniform) among(live func(router.NodeID) bool) (Pattern, error) { return u.some(live), nil }

func (u uniform) some(live func(router.NodeID) bool) *someUniform {
	s := &someUniform{place: make([]int32, u)}
	for n := range router.NodeID(u) {
		if live(n) {
			s.place[n] = int32(len(s.list))
			s.list = append(s.list, n)
		}
	}
	if len(s.list) < 2 {
		s.list = s.list[:0:0] // nobody to send to
	}
	return s
}

func (h hotspot) among(live func(router.NodeID) bool) (Pattern, error) {
	if whole, ok := h.rest.(uniform); ok {
		h.rest = whole.some(live)
	}
	h.hot = slices.DeleteFunc(slices.Clone(h.hot), func(n router.NodeID) bool { return !live(n) })
	if len(h.hot) == 0 {
		return nil, input.Errorf("expected a hot node that is live, or pattern uniform", "the faults leave no hot node")
	}
	return h, nil
}

func (p *permutation) among(live func(router.NodeID) bool) (Pattern, error) {
	some := &permutation{to: p.to, sources: []router.NodeID{}}
	for n, to := range p.to {
		if n := router.NodeID(n); to != n && live(n) && live(to) {
			some.sources = append(some.sources, n)
		}
	}
	return some, nil
}

func (m *matrix) among(live func(router.NodeID) bool) (Pattern, error) {
	var rows []weight
	for n := range router.NodeID(m.nodes()) {
		before := 0.0
		for i := m.first[n]; i < m.first[n+1]; i++ {
			if live(n) && live(m.to[i]) && m.until[i] > before {
				rows = append(rows, weight{source: n, destination: m.to[i], weight: m.until[i] - before})
			}
			before = m.until[i]
		}
	}
	some := newMatrix(rows, m.nodes())
	if some.sources == nil && len(rows) == 0 {
		some.sources = []router.NodeID{}
	}
	return some, nil
}

// Among returns a trace without its packets from and to dead nodes. The error, when it has no others, is an *input.Error.
func (t *Trace) Among(live func(router.NodeID) bool) (*Trace, error) {
	if t == nil || live == nil {
		return nil, errNoPattern
	}
	some := &Trace{nodes: t.nodes}
	for i := range t.packets {
		if p := t.packets[i]; live(p.source) && live(p.destination) {
			some.packets, some.largest = append(some.packets, p), max(some.largest, int(p.flits))
			some.sources = append(some.sources, p.source)
		}
	}
	if len(some.packets) == 0 {
		return nil, input.Errorf("expected a packet between two live nodes", "the faults leave no packet of the trace")
	}
	slices.Sort(some.sources)
	some.sources = slices.Compact(some.sources)
	return some, nil
}

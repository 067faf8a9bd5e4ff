// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"meshwright/fabric/topology"
	"meshwright/internal/heap"
	"meshwright/router"
)

// booking gives hops their steps. In every step each link, or each set of links that are booked
// together, carries one of the copies that are at its beginning: the one that has the most hops to go.
type booking struct {
	hops  []hop
	after []int32 // by hop: the hop that must end before it begins, -1: none
}

// add appends a hop, and returns its number.
func (b *booking) add(h hop, after int32) int32 {
	b.hops, b.after = append(b.hops, h), append(b.after, after)
	return int32(len(b.hops) - 1)
}

// waiting is a hop whose copy is at the beginning of the link.
type waiting struct{ hop, rest int32 }

// Before prefers the hop with the most hops to go, then the earlier one.
func (w waiting) Before(v waiting) bool {
	if w.rest != v.rest {
		return w.rest > v.rest
	}
	return w.hop < v.hop
}

// rests returns for each hop the hops of the longest route that begins with it.
func (b *booking) rests() []int32 {
	rest := make([]int32, len(b.hops))
	for i := len(rest) - 1; i >= 0; i-- {
		rest[i]++
		if a := b.after[i]; a >= 0 {
			rest[a] = max(rest[a], rest[i])
		}
	}
	return rest
}

// bookLinks sets the steps of all hops, so that each link carries one copy in a step.
func (b *booking) bookLinks(t *topology.Topology) {
	ports := t.MaxPorts()
	b.book(t.Nodes()*ports, func(h *hop) int {
		port, _ := t.PortTo(h.from, h.to)
		return int(h.from)*ports + int(port)
	})
}

// book sets the steps of all hops, so that of the hops with the same number, less than count, only one is
// in a step.
func (b *booking) book(count int, number func(*hop) int) {
	rest := b.rests()
	first, next := make([]int32, len(b.hops)), make([]int32, len(b.hops)) // hops behind a hop, as lists
	for i := range first {
		first[i] = -1
	}
	links := make([]heap.Heap[waiting], count)
	var busy []int // links with hops that wait
	enter := func(i int32) {
		l := number(&b.hops[i])
		if len(links[l]) == 0 {
			busy = append(busy, l)
		}
		links[l].Push(waiting{i, rest[i]})
	}
	for i := len(b.after) - 1; i >= 0; i-- {
		if a := b.after[i]; a >= 0 {
			next[i], first[a] = first[a], int32(i)
		}
	}
	for i, a := range b.after {
		if a < 0 {
			enter(int32(i))
		}
	}
	for step := int32(0); len(busy) > 0; step++ {
		now := busy
		busy = nil
		var arrived []int32
		for _, l := range now {
			w := links[l].Pop()
			b.hops[w.hop].step = step
			arrived = append(arrived, w.hop)
			if len(links[l]) > 0 {
				busy = append(busy, l)
			}
		}
		for _, a := range arrived {
			for i := first[a]; i >= 0; i = next[i] {
				enter(i)
			}
		}
	}
}

// spread adds the hops by which a copy reaches all nodes of a tree.
func (b *booking) spread(s *topology.SpanningTree, message, copy int32) {
	into := make([]int32, len(s.Parent)) // by node: the hop that ends there
	for _, n := range s.Order {
		p := s.Parent[n]
		if p == router.None {
			into[n] = -1
			continue
		}
		into[n] = b.add(hop{message: message, copy: copy, from: p, to: n}, into[p])
	}
}

// follow adds the hops by which a copy reaches one node of a tree.
func (b *booking) follow(s *topology.SpanningTree, to router.NodeID, message, copy int32) {
	after := int32(-1)
	for _, n := range pathTo(s, to) {
		after = b.add(hop{message: message, copy: copy, from: s.Parent[n], to: n}, after)
	}
}

// pathTo lists the nodes from the root's child to a node of a tree.
func pathTo(s *topology.SpanningTree, to router.NodeID) []router.NodeID {
	path := make([]router.NodeID, s.Depth[to])
	for i := len(path) - 1; i >= 0; i-- {
		path[i], to = to, s.Parent[to]
	}
	return path
}

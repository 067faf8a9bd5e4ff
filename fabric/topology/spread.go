// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"meshwright/router"
)

// spreader plans a broadcast cycle by cycle. In every cycle it estimates how
// long each node that still lacks the flit will need to serve those behind it,
// and matches the nodes that have the flit to neighbours that lack it so that
// the largest estimates are served (a tree-based heuristic after Harutyunyan
// and Shao, with an optimal matching).
type spreader struct {
	t       *Topology
	random  *rand.Rand
	parent  []router.NodeID // of nodes that are to be served in this cycle, too
	edge    []router.NodeID // nodes with the flit that may have neighbours without
	levels  [][]router.NodeID
	dist    []int32 // to the nearest node with the flit: 0 has it, -1 not known yet
	need    []int32 // estimate of a node's own broadcast
	load    []int32 // children counted in need
	tie     []uint32
	serves  []router.NodeID // by node with the flit: whom it serves in this cycle
	via     []router.NodeID // by node with the flit: who asked for it in this search
	seen    []int32
	search  int32
	pending int
}

func newSpreader(t *Topology, root router.NodeID, seed uint64) *spreader {
	nodes := t.Nodes()
	s := &spreader{
		t: t, random: rand.New(rand.NewPCG(seed, 0x62636173)), edge: []router.NodeID{root}, pending: nodes - 1,
		parent: make([]router.NodeID, nodes), dist: make([]int32, nodes), need: make([]int32, nodes), load: make([]int32, nodes),
		tie: make([]uint32, nodes), serves: make([]router.NodeID, nodes), via: make([]router.NodeID, nodes), seen: make([]int32, nodes),
	}
	for n := range s.parent {
		s.parent[n], s.dist[n], s.serves[n] = router.None, -1, router.None
	}
	s.dist[root] = 0
	return s
}

// spread returns the tree by which the flit reached every node, nil when ctx
// ended before.
func (s *spreader) spread(ctx context.Context) *SpanningTree {
	root := s.edge[0]
	for s.pending > 0 {
		if ctx.Err() != nil {
			return nil
		}
		s.measure()
		s.estimate()
		s.cycle()
	}
	return NewSpanningTree(root, s.parent)
}

// measure finds the distances to the nodes with the flit and sorts the others
// by them.
func (s *spreader) measure() {
	for _, level := range s.levels {
		for _, n := range level {
			if s.dist[n] > 0 {
				s.dist[n] = -1
			}
		}
	}
	s.levels = s.levels[:0]
	s.edge = slices.DeleteFunc(s.edge, func(n router.NodeID) bool {
		for p := range router.Port(s.t.Ports(n)) {
			if to := s.t.Neighbor(n, p); to != router.None && s.dist[to] != 0 {
				return false
			}
		}
		return true
	})
	for at, d := s.edge, int32(1); len(at) > 0; d++ {
		var level []router.NodeID
		for _, n := range at {
			for p := range router.Port(s.t.Ports(n)) {
				if to := s.t.Neighbor(n, p); to != router.None && s.dist[to] < 0 {
					s.dist[to], s.need[to], s.load[to] = d, 0, 0
					level = append(level, to)
				}
			}
		}
		if len(level) > 0 {
			s.levels = append(s.levels, level)
		}
		at = level
	}
}

// estimate goes from the furthest level to the nearest: each node is put under
// the neighbour one level up that it delays least.
func (s *spreader) estimate() {
	for d, level := range slices.Backward(s.levels) {
		for _, n := range level {
			s.tie[n] = s.random.Uint32()
		}
		slices.SortFunc(level, func(a, b router.NodeID) int {
			return cmp.Or(cmp.Compare(s.need[b], s.need[a]), cmp.Compare(s.tie[a], s.tie[b]))
		})
		if d == 0 {
			return
		}
		for _, n := range level {
			best, least := router.None, int32(0)
			for p := range router.Port(s.t.Ports(n)) {
				up := s.t.Neighbor(n, p)
				if up == router.None || s.dist[up] != int32(d) {
					continue
				}
				need := max(s.need[up], s.need[n]+s.load[up]+1)
				if best == router.None || need < least || need == least && s.load[up] < s.load[best] {
					best, least = up, need
				}
			}
			s.need[best] = least
			s.load[best]++
		}
	}
}

// cycle serves a set of nearest nodes with the largest estimates: sets that
// can be matched are a matroid, so taking the largest first is optimal.
func (s *spreader) cycle() {
	for _, n := range s.levels[0] {
		s.match(n)
	}
	for _, n := range s.edge {
		if to := s.serves[n]; to != router.None {
			s.dist[to], s.serves[n] = 0, router.None
			s.edge = append(s.edge, to)
			s.pending--
		}
	}
}

// match finds a server for node n, along a shortest augmenting path.
func (s *spreader) match(n router.NodeID) {
	s.search++
	queue := []router.NodeID{n}
	for i := 0; i < len(queue) && i < maxChain; i++ {
		for p := range router.Port(s.t.Ports(queue[i])) {
			server := s.t.Neighbor(queue[i], p)
			if server == router.None || s.dist[server] != 0 || s.seen[server] == s.search {
				continue
			}
			s.seen[server], s.via[server] = s.search, queue[i]
			if s.serves[server] == router.None {
				s.reassign(server, n)
				return
			}
			queue = append(queue, s.serves[server])
		}
	}
}

// reassign moves every node on the path to n one server on.
func (s *spreader) reassign(server, n router.NodeID) {
	for {
		asked := s.via[server]
		before := s.parent[asked]
		s.serves[server], s.parent[asked] = asked, server
		if asked == n {
			return
		}
		server = before
	}
}

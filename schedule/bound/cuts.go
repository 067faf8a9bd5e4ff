// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// cuts is another bound that Scatter and Gather share, for machines whose links work
// independently: s + k*h + f*W/c for each of the following parts.
//
//	root --- nearer nodes --- c links ---> a part: W words, at least k links from the root
//
// The nodes that are at least k links away fall into connected parts. The W words for a part
// cross the c links into it. No flit is on one of these links before cycle s + (k-1)*h, and
// one of them has at least W/c words to carry, f cycles each or more (see wires).
func (r *reached) cuts(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	if m.Ports == machine.SinglePort {
		return 0
	}
	best := router.Cycle(0)
	levels, w := r.levels(), wiresOf(t, m)
	p := newParts(t.Nodes())
	for k := len(levels) - 1; k > 0; k-- {
		for _, n := range levels[k] { // all of a level first: neighbours may be of the same one
			p.words[n] = router.Cycle(lengths[n])
		}
		for _, n := range levels[k] {
			for port := range router.Port(t.Ports(n)) {
				if to := t.Neighbor(n, port); to != router.None && r.distance[to] >= int32(k) {
					p.join(n, to)
				}
			}
		}
		for _, n := range levels[k] {
			part := p.find(n)
			for port := range router.Port(t.Ports(n)) {
				if to := t.Neighbor(n, port); to != router.None && int(r.distance[to]) == k-1 {
					p.links[part]++
				}
			}
		}
		for _, n := range levels[k] {
			part := p.find(n)
			if words := p.words[part]; words > 0 && p.links[part] > 0 {
				best = max(best, lead(&m)+w.shared(words, p.links[part])+router.Cycle(k*m.Hop))
			}
			p.links[part] = 0 // once is enough, and the next level has its own
		}
	}
	return best
}

// levels lists the nodes by distance.
func (r *reached) levels() [][]router.NodeID {
	var levels [][]router.NodeID
	for n, d := range r.distance {
		for int(d) >= len(levels) {
			levels = append(levels, nil)
		}
		if d >= 0 {
			levels[d] = append(levels[d], router.NodeID(n))
		}
	}
	return levels
}

// parts are disjoint sets of nodes (union by size, paths halved) with the
// words and links of each, kept at its representative.
type parts struct {
	up    []router.NodeID
	size  []int32
	words []router.Cycle
	links []int
}

func newParts(nodes int) *parts {
	p := &parts{make([]router.NodeID, nodes), make([]int32, nodes), make([]router.Cycle, nodes), make([]int, nodes)}
	for n := range p.up {
		p.up[n], p.size[n] = router.NodeID(n), 1
	}
	return p
}

func (p *parts) find(n router.NodeID) router.NodeID {
	for p.up[n] != n {
		p.up[n] = p.up[p.up[n]]
		n = p.up[n]
	}
	return n
}

func (p *parts) join(a, b router.NodeID) {
	a, b = p.find(a), p.find(b)
	if a == b {
		return
	}
	if p.size[a] < p.size[b] {
		a, b = b, a
	}
	p.up[b] = a
	p.size[a] += p.size[b]
	p.words[a] += p.words[b]
}

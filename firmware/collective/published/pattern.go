// SPDX-License-Identifier: Apache-2.0

package published

import (
	"math/bits"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// pattern says with whom each node exchanges words, step by step. If the nodes are not a power
// of two, the partners are among as many as a power of two has, and each of the rest, an extra,
// takes part through a partner of its own:
//
//	before   extra > partner
//	step 0   node <-> peers[0][node]
//	step 1   node <-> peers[1][node]
//	after    partner > extra
type pattern struct {
	peers  [][]router.NodeID // by step and node; router.None of an extra
	extras [][2]router.NodeID
}

// apart returns the node's partner on a closed line of n places, in a step: the place of a
// partner is a function of the place.
type apart func(place, step, n int) int

// xor pairs places that differ in a binary digit.
func xor(place, step, n int) int { return place ^ 1<<step }

// swing pairs places that are 1, -1, 3, -5, 11 … apart, seen from an even place: the sum of
// the first powers of -2.
func swing(place, step, n int) int {
	distance := (1 - power(step+1)) / 3
	if place%2 == 1 {
		distance = -distance
	}
	return ((place+distance)%n + n) % n
}

// power returns a power of -2.
func power(exponent int) int {
	if exponent%2 == 1 {
		return -(1 << exponent)
	}
	return 1 << exponent
}

// mirrored is a pattern of a ring seen from the next place, so that pairs that are neighbours
// in the one are not in the other.
func mirrored(of apart) apart {
	return func(place, step, n int) int { return (of((place+1)%n, step, n) - 1 + n) % n }
}

// alongDims lets the dimensions of a grid take turns, from one of them on. The sides are powers
// of two.
func alongDims(t *topology.Topology, of apart, first int) pattern {
	dims, axes := len(t.Dims), t.Axes()
	left, done := make([]int, dims), make([]int, dims)
	steps := 0
	for d, size := range t.Dims {
		left[d] = bits.Len(uint(size)) - 1
		steps += left[d]
	}
	p := pattern{}
	for d := first; len(p.peers) < steps; d++ {
		d := d % dims
		if done[d] == left[d] {
			continue
		}
		peers := make([]router.NodeID, t.Nodes())
		for n := range peers {
			a, at := axes[d], router.NodeID(n)
			peers[n] = a.Move(at, of(a.Coordinate(at), done[d], a.Size))
		}
		p.peers = append(p.peers, peers)
		done[d]++
	}
	return p
}

// byNumber pairs nodes by their places in the order of their numbers, whatever the network is.
// The nodes that are left over stand behind their partners, so that they are near.
func byNumber(nodes int, of apart) pattern {
	steps := bits.Len(uint(nodes)) - 1
	rest := nodes - 1<<steps
	at := func(place int) router.NodeID { return router.NodeID(place + min(place, rest)) }
	p := pattern{}
	for i := range rest {
		p.extras = append(p.extras, [2]router.NodeID{at(i) + 1, at(i)})
	}
	for step := range steps {
		peers := slices.Repeat([]router.NodeID{router.None}, nodes)
		for place := range 1 << steps {
			peers[at(place)] = at(of(place, step, 1<<steps))
		}
		p.peers = append(p.peers, peers)
	}
	return p
}

// powersOfTwo says that all sides are powers of two.
func powersOfTwo(t *topology.Topology) bool {
	for _, size := range t.Dims {
		if size&(size-1) != 0 {
			return false
		}
	}
	return t.IsGrid()
}

// patterns lists the patterns that share the words out among them: one, or, where all links of a
// node work at once, one for each dimension with which a pattern may begin, and as many
// mirrored ones if all dimensions are closed.
func patterns(t *topology.Topology, of apart, independent bool) []pattern {
	if !powersOfTwo(t) {
		return []pattern{byNumber(t.Nodes(), of)}
	}
	list := []pattern{alongDims(t, of, 0)}
	if !independent || len(list[0].peers) == 0 {
		return list
	}
	closed := true
	for d, size := range t.Dims {
		closed = closed && size > 1 && t.Wrap[d]
		if d > 0 && size > 1 {
			list = append(list, alongDims(t, of, d))
		}
	}
	if closed {
		for d := range t.Dims {
			list = append(list, alongDims(t, mirrored(of), d))
		}
	}
	return list
}

// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/bits"

	"meshwright/fabric/topology/star"
	"meshwright/router"
)

// eachClass yields the permutations of n symbols up to new names for the symbols 2 to n, one of each class, and
// the number of permutations in its class. New names, for positions and symbols alike, move the star graph onto
// itself and keep node 0. Permutations are in one class if their cycles have equal lengths, and so have their
// cycles of symbol 1.
func eachClass(n int, yield func(v star.Permutation, count int)) {
	others := 1 // orders of the symbols 2 to n
	for i := 2; i < n; i++ {
		others *= i
	}
	for first := 1; first <= n; first++ {
		eachPartition(n-first, n-first, nil, func(parts []int) {
			// A cycle of k symbols is written in k ways, and m equal cycles stand in m! orders.
			same, equal := 1, 0
			for i, k := range parts {
				if equal++; i > 0 && k != parts[i-1] {
					equal = 1
				}
				same *= k * equal
			}
			yield(ofCycles(append([]int{first}, parts...)), others/same)
		})
	}
}

// eachPartition yields the ways to write a number as a sum of numbers up to most, the largest first.
func eachPartition(number, most int, parts []int, yield func([]int)) {
	if number == 0 {
		yield(parts)
		return
	}
	for k := min(number, most); k > 0; k-- {
		eachPartition(number-k, k, append(parts[:len(parts):len(parts)], k), yield)
	}
}

// ofCycles returns a permutation with cycles of these lengths, of which the first has symbol 1.
func ofCycles(lengths []int) star.Permutation {
	var v star.Permutation
	for i := range v {
		v[i] = uint8(i)
	}
	at := 1
	for _, k := range lengths {
		for i := range k {
			v[at+i] = uint8(at + (i+1)%k)
		}
		at += k
	}
	return v
}

// leastStarWays bounds the links of 1, 2, .. n-1 routes from node 0 to v that have no link in common. Such
// routes begin with different links, and end with different links. A route that begins with port i and ends
// by port j takes these two links, and between them at least the distance of their inner ends. All
// pairings of the ports are tried.
func leastStarWays(g *star.Graph, v router.NodeID) []int {
	const never = 1 << 20
	least := make([]int, 1<<g.Ports()) // by the set of ports by which routes end
	for set := range least {
		least[set] = never
	}
	least[0] = 0
	for i := range router.Port(g.Ports()) {
		begin := g.Neighbor(0, i)
		for set := len(least) - 1; set >= 0; set-- { // falling, so that smaller sets do not have this beginning yet
			for j := range router.Port(g.Ports()) {
				if set>>j&1 == 0 {
					continue
				}
				links := 1
				if i != j || begin != v {
					links = 2 + g.Distance(begin, g.Neighbor(v, j))
				}
				least[set] = min(least[set], least[set&^(1<<j)]+links)
			}
		}
	}
	ways := make([]int, g.Ports())
	for set, links := range least[1:] {
		if k := bits.OnesCount(uint(set+1)) - 1; ways[k] == 0 || links < ways[k] {
			ways[k] = links
		}
	}
	return ways
}

// SPDX-License-Identifier: Apache-2.0

package published

import (
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// pieces says which pieces of the words a node still works for after each step. Before step 0
// it works for all. In every step a node leaves one half to its partner, and keeps the other:
// those of the nodes that it can still reach.
//
//	step   node 0   1   2   3      of four nodes, with partners 1 and 2 apart
//	0      0123   0123 0123 0123
//	1      02     13   02   13
//	2      0      1    2    3
//
// The order of the pieces is such that a half is one range.
type pieces struct {
	count int
	first [][]int // by step and node: the first piece of the node's range
	place []int   // by node: its piece in the end; -1 of an extra
}

// findPieces cuts the words in as many pieces as nodes take part. It is nil when the pattern does
// not let every node reach each other one just once.
func findPieces(p pattern) *pieces {
	nodes := len(p.peers[0])
	least := components(p, nodes)
	s := &pieces{count: 1 << len(p.peers), place: make([]int, nodes)}
	s.first = append(s.first, make([]int, nodes))
	for k, peers := range p.peers {
		first, half := make([]int, nodes), s.count>>(k+1)
		for n, q := range peers {
			if q == router.None {
				continue
			}
			if least[k+1][n] == least[k+1][q] {
				return nil
			}
			first[n] = s.first[k][n]
			if least[k+1][n] != least[k][n] {
				first[n] += half
			}
		}
		s.first = append(s.first, first)
	}
	taken := make([]bool, s.count)
	for n := range s.place {
		s.place[n] = -1
		if p.peers[0][n] == router.None {
			continue
		}
		s.place[n] = s.first[len(p.peers)][n]
		if taken[s.place[n]] {
			return nil
		}
		taken[s.place[n]] = true
	}
	return s
}

// components gives, by step and node, the least node of those that are joined by partners of this
// step or later ones.
func components(p pattern, nodes int) [][]router.NodeID {
	least := make([][]router.NodeID, len(p.peers)+1)
	last := make([]router.NodeID, nodes)
	for n := range last {
		last[n] = router.NodeID(n)
	}
	least[len(p.peers)] = last
	for k := len(p.peers) - 1; k >= 0; k-- {
		join := make([]router.NodeID, nodes) // by least node of a component
		for n := range join {
			join[n] = router.NodeID(n)
		}
		root := func(n router.NodeID) router.NodeID {
			for join[n] != n {
				n = join[n]
			}
			return n
		}
		for n, q := range p.peers[k] {
			if q != router.None {
				a, b := root(least[k+1][n]), root(least[k+1][q])
				join[max(a, b)] = min(a, b)
			}
		}
		least[k] = make([]router.NodeID, nodes)
		for n := range least[k] {
			least[k][n] = root(least[k+1][n])
		}
	}
	return least
}

// kept returns the pieces of a node after so many steps.
func (s *pieces) kept(step int, n router.NodeID) (from, to int) {
	from = s.first[step][n]
	return from, from + s.count>>step
}

// cut returns pieces as words of a range.
func cut(words transfer.Range, from, to, count int) transfer.Set {
	length := words.To - words.From
	r := transfer.Range{From: words.From + length*from/count, To: words.From + length*to/count}
	if r.From == r.To {
		return nil
	}
	return transfer.Set{r}
}

// SPDX-License-Identifier: Apache-2.0

package star

import (
	"math/bits"
)

// MinSymbols and MaxSymbols bound the symbols of a star graph: S_9 has 362 880 nodes.
const (
	MinSymbols = 2
	MaxSymbols = 9
)

// Permutation is an arrangement of symbols: v[i] is the symbol at position i, and both count
// from 1. Symbols that the graph does not have stand at their own positions, and v[0] is 0; so the
// methods need not know how many symbols the graph has.
type Permutation [MaxSymbols + 1]uint8

// identity has every symbol at its own position.
var identity = Permutation{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}

// inverse returns the permutation that holds the position of each symbol.
func (v *Permutation) inverse() Permutation {
	var at Permutation
	for i := 1; i <= MaxSymbols; i++ {
		at[v[i]] = uint8(i)
	}
	return at
}

// after returns the permutation that has symbol h[v[i]] at position i: v with its symbols
// renamed by h.
func (v *Permutation) after(h *Permutation) Permutation {
	var w Permutation
	for i := 1; i <= MaxSymbols; i++ {
		w[i] = h[v[i]]
	}
	return w
}

// rotate applies 2 -> 3 -> .. -> n -> 2 to the positions and to the symbols.
func (v *Permutation) rotate(n int) Permutation {
	next := func(i uint8) uint8 {
		switch {
		case i == 1 || int(i) > n:
			return i
		case int(i) == n:
			return 2
		}
		return i + 1
	}
	w := identity
	for i := 1; i <= n; i++ {
		w[next(uint8(i))] = next(v[i])
	}
	return w
}

// valid reports whether v arranges the first n symbols, and leaves all others at their positions.
func (v *Permutation) valid(n int) bool {
	seen := uint32(0)
	for i, symbol := range v {
		if i > n && int(symbol) != i || symbol > MaxSymbols {
			return false
		}
		seen |= 1 << symbol
	}
	return v[0] == 0 && seen == 1<<(MaxSymbols+1)-1
}

// misplaced returns the positions from 2 on that hold another symbol than their own, as bits.
func (v *Permutation) misplaced() uint32 {
	mask := uint32(0)
	for i := 2; i <= MaxSymbols; i++ {
		if int(v[i]) != i {
			mask |= 1 << i
		}
	}
	return mask
}

// cyclicallyAfter returns the first of a set of positions after p, round to p, which itself
// does not count; 0 if there is none.
func cyclicallyAfter(set uint32, p int) int {
	set &^= 1 << p
	if set == 0 {
		return 0
	}
	if after := set >> p << p; after != 0 {
		return bits.TrailingZeros32(after)
	}
	return bits.TrailingZeros32(set)
}

// distance returns the links between v and the identity. The symbols that are not at their
// own positions form cycles. A cycle of m symbols takes m+1 links: one link brings its first
// symbol to position 1, and then every link puts a symbol at its own position. For the cycle
// that holds position 1 both links that bring and return symbol 1 are saved: m-1.
func (v *Permutation) distance() int {
	links := 0
	seen := uint32(0)
	for i := 1; i <= MaxSymbols; i++ {
		if seen>>i&1 == 1 || int(v[i]) == i {
			continue
		}
		links++
		for at := i; seen>>at&1 == 0; at = int(v[at]) {
			seen |= 1 << at
			links++
		}
	}
	if v[1] != 1 {
		links -= 2
	}
	return links
}

// shorter returns the dimension of the link from v to its parent in the shortest-path tree
// of the identity, 0 at the identity itself. Fragopoulou and Akl choose, for a node in which
// symbol 1 is at position p > 1, so that symbol 1 stays there until the last link:
//
//   - the first symbol is k, not p: dimension k, which puts k at its position;
//   - the first symbol is p: the first misplaced position after p, cyclically, which joins
//     its cycle to that of p; p itself if no other position is misplaced.
//
// So the (n-1)! nodes with symbol 1 at position p form the p-th subtree. A node that begins
// with symbol 1 can go along every misplaced position; the first one after position v[2]
// keeps the subtrees about equal.
func (v *Permutation) shorter(misplaced uint32) int {
	switch first := int(v[1]); {
	case first == 1:
		return cyclicallyAfter(misplaced, int(v[2]))
	case v[first] != 1:
		return first
	default:
		if next := cyclicallyAfter(misplaced, first); next != 0 {
			return next
		}
		return first
	}
}

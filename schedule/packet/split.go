// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"fmt"
	"math/big"

	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// Most bounds message lengths, distances and node numbers in the closed
// formulas.
const Most = 1_000_000_000_000_000_000

var wantFormula = fmt.Sprintf("expected 1 to %d", Most)

// Split is a message cut into packets whose sizes differ by at most one flit:
// Large packets of Flits flits, then Small packets of Flits-1.
type Split struct {
	Flits        int64 // the larger size, ceil(m/r)
	Large, Small int64 // how many packets of either size
}

// EvenSplit cuts m flits into r packets, the larger ones first. In a
// furthest-first schedule no other split into r packets is faster (Tsai, lemma
// 13). Errors: m outside 1..Most, r outside 1..m.
func EvenSplit(m, r int64) (Split, error) {
	if err := formulaRange("flits", m); err != nil {
		return Split{}, err
	}
	if r < 1 || r > m {
		return Split{}, input.Errorf("expected 1 to as many packets as flits", "%d packets of %d flits", r, m)
	}
	return evenSplit(m, r), nil
}

func evenSplit(m, r int64) Split {
	flits := ceil(m, r)
	small := flits*r - m
	return Split{Flits: flits, Large: r - small, Small: small}
}

// Sizes lists the sizes in flits, in the order in which the packets leave.
func (s Split) Sizes() []int {
	if s.Large < 0 || s.Small < 0 {
		return nil
	}
	sizes := make([]int, s.Large+s.Small)
	for i := range sizes {
		sizes[i] = int(s.Flits)
		if int64(i) >= s.Large {
			sizes[i]--
		}
	}
	return sizes
}

// Alpha is the time in cycles, m + r*beta + (l-1)*(beta + ceil(m/r)), that a
// message of m flits in r packets takes to a node l links away when nothing
// else is under way (Tsai, lemma 12). Errors: l or m outside 1..Most, r
// outside 1..m.
func Alpha(l, m, r int64, beta rational.Rational) (*big.Rat, error) {
	if err := formulaRange("links", l); err != nil {
		return nil, err
	}
	split, err := EvenSplit(m, r)
	if err != nil {
		return nil, err
	}
	return contiguousTime(1, l-1, m, r, split.Flits, beta), nil
}

// contiguousTime is n*(m + r*beta) + hops*(beta + flits), exactly.
func contiguousTime(n, hops, m, r, flits int64, beta rational.Rational) *big.Rat {
	message := affine(r, m, beta)
	time := message.Mul(message, whole(n))
	hop := affine(1, flits, beta)
	return time.Add(time, hop.Mul(hop, whole(hops)))
}

// affine is a*beta + b.
func affine(a, b int64, beta rational.Rational) *big.Rat {
	sum := beta.Rat()
	sum.Mul(sum, whole(a))
	return sum.Add(sum, whole(b))
}

func whole(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// ceil is a/b rounded up, for a >= 0 and b >= 1.
func ceil(a, b int64) int64 {
	if a == 0 {
		return 0
	}
	return (a-1)/b + 1
}

func formulaRange(what string, n int64) error {
	if n < 1 || n > Most {
		return input.Errorf(wantFormula, "%d %s", n, what)
	}
	return nil
}

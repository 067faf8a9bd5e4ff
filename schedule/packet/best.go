// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"fmt"
	"math"
	"math/big"

	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// Choice is a best number of packets.
type Choice struct {
	Packets     int64    // r: how many packets a message is split into
	PacketFlits int64    // ceil(m/r): the largest of them
	Time        *big.Rat // cycles
}

// Best splits a message of m flits to a node l links away so that it arrives as early as
// possible on an idle network. It returns the number r of packets with the least Alpha; of
// several the smallest. The result is exact. Errors: m or l outside 1..Most.
//
// It is the integer program min r*beta + (l-1)*b, r*b >= m, of Tsai, section 5.2. See cheapest
// for the running time.
func Best(m, l int64, beta rational.Rational) (Choice, error) {
	if err := formulaRange("flits", m); err != nil {
		return Choice{}, err
	}
	if err := formulaRange("links", l); err != nil {
		return Choice{}, err
	}
	return choose(1, l-1, m, beta), nil
}

// ScatterContiguous splits messages of m flits each for the nodes s..t of a path with the root
// at 0, for the earliest end of a scatter. It sends furthest first. One r for all messages is
// optimal (Tsai, theorem 17). With r packets a message the last packet reaches node s at
//
//	(t-s+1)*(r*beta + m) + (s-1)*(beta + ceil(m/r)).
//
// (The thesis has floor for ceil here. It ignores that the smaller packets wait behind the
// larger ones, as its own lemma 12 says.) Of several best r it returns the smallest. Errors:
// m, s or t outside 1..Most, t below s.
func ScatterContiguous(m, s, t int64, beta rational.Rational) (Choice, error) {
	if err := formulaRange("flits", m); err != nil {
		return Choice{}, err
	}
	if err := checkRange(s, t); err != nil {
		return Choice{}, err
	}
	return choose(t-s+1, s-1, m, beta), nil
}

func checkRange(s, t int64) error {
	if s < 1 || t > Most || t < s {
		return input.Errorf(fmt.Sprintf("expected rising numbers from 1 to %d", Most), "nodes %d..%d", s, t)
	}
	return nil
}

// choose minimises n*(m + r*beta) + hops*(beta + ceil(m/r)).
func choose(n, hops, m int64, beta rational.Rational) Choice {
	r, flits := cheapest(uint64(m), product(uint64(n), uint64(beta.Num())), product(uint64(hops), uint64(beta.Den())))
	return Choice{Packets: int64(r), PacketFlits: int64(flits), Time: contiguousTime(n, hops, m, int64(r), int64(flits), beta)}
}

// cheapest minimises a*x + b*y over whole x, y >= 1 with x*y >= m. Of several best x it
// returns the smallest. It needs 1 <= m <= Most and a, b < 2^90.
//
// The search runs over the variable that is smaller at the real optimum. Call it u, its cost
// p, the other variable's cost q, and the other variable's real optimum v. From the real
// optimum the search walks to both sides:
//
//	stop <---- u ---- real optimum ---- u ----> stop
//
// It stops on a side when even the real relaxation p*u + q*m/u, which is convex, is above the
// best value so far. The best value is within about q of the real minimum. So the walk takes
// at most about 2*sqrt(q*u/p) = 2*u/sqrt(v) steps. Since u <= v and u*v <= 10^18 this is at
// most some 60 000, and about a tenth of that in practice. All comparisons are exact.
func cheapest(m uint64, a, b wide) (x, y uint64) {
	switch {
	case b.zero():
		return 1, m
	case a.zero():
		return m, 1
	case a.less(b):
		w := walk{m: m, p: b, q: a}
		w.run()
		return w.other, w.best
	}
	w := walk{m: m, p: a, q: b, few: true}
	w.run()
	return w.best, w.other
}

// walk is the state of cheapest's search over u with w = ceil(m/u).
type walk struct {
	m           uint64
	p, q        wide // cost of u and of the other variable
	best, other uint64
	cost        wide // of the incumbent
	few         bool // of equal costs take the smaller u, not the larger one
}

func (w *walk) run() {
	start := math.Sqrt(float64(w.m) * w.q.float() / w.p.float())
	u := uint64(max(1, min(start, float64(w.m))))
	u = min(u, w.m)
	w.best, w.other = u, w.ceil(u)
	w.cost = w.p.times(u).add(w.q.times(w.other))
	up, down := u < w.m, u > 1
	for lo, hi := u, u; up || down; {
		if up {
			hi++
			up = w.try(hi) && hi < w.m
		}
		if down {
			lo--
			down = w.try(lo) && lo > 1
		}
	}
}

func (w *walk) ceil(u uint64) uint64 { return (w.m-1)/u + 1 }

// try takes u if it is better, and returns whether others beyond it may be.
// u is next to one that passed, so p*u does not overflow.
func (w *walk) try(u uint64) bool {
	own := w.p.times(u)
	if w.cost.less(own) || above(w.q.long(w.m), w.cost.sub(own).long(u)) {
		return false
	}
	other := w.ceil(u)
	cost := own.add(w.q.times(other))
	if cost.less(w.cost) || cost == w.cost && w.few == (u < w.best) {
		w.best, w.other, w.cost = u, other, cost
	}
	return true
}

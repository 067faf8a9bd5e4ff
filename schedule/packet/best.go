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

// Best splits a message of m flits to a node l links away so that it arrives
// as early as it can when nothing else is under way: the r with the least
// Alpha, and the fewest packets among those. Exact; errors: m or l outside
// 1..Most.
//
// It is the integer program min r*beta + (l-1)*b, r*b >= m, of Tsai, section
// 5.2. See cheapest for the time it takes.
func Best(m, l int64, beta rational.Rational) (Choice, error) {
	if err := formulaRange("flits", m); err != nil {
		return Choice{}, err
	}
	if err := formulaRange("links", l); err != nil {
		return Choice{}, err
	}
	return choose(1, l-1, m, beta), nil
}

// ScatterContiguous splits messages of m flits each for the nodes s..t of a
// path with the root at 0, for the earliest end of a scatter. The order is
// furthest first, and one r for all is optimal (Tsai, theorem 17). With it the
// last packet reaches node s at
//
//	(t-s+1)*(r*beta + m) + (s-1)*(beta + ceil(m/r)).
//
// (The thesis has floor for ceil here, which forgets that the smaller packets
// wait behind the larger ones, as its own lemma 12 says.) The fewest packets
// among the best. Errors: m, s or t outside 1..Most, t below s.
//
// A gather has the same least time: a schedule that runs backwards in time turns
// links and roles around and keeps all rules of the machine. The gather takes
// that time, nearest first, when node i sends its first packet, a larger one, at
//
//	(i-s)*(r*beta + m - beta - ceil(m/r)):
//
// the root has the first of all packets at s*(beta + ceil(m/r)), and receives
// without a pause from then on. (The thesis counts one message less than the
// root receives: its A' = (t-s)*beta and B' = s leave out the first message's
// packets after its first.)
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

// cheapest minimises a*x + b*y over whole x, y >= 1 with x*y >= m, with the
// smallest x among the best, for 1 <= m <= Most and a, b < 2^90.
//
// It walks from the real optimum to both sides over the variable that is
// smaller there, say u with cost p, and stops on a side as soon as even the
// real relaxation p*u + q*m/u, which is convex, is above the incumbent. With v
// the other variable's real optimum the incumbent is within about q of the
// real minimum, so the walk takes at most about 2*sqrt(q*u/p) = 2*u/sqrt(v)
// steps, never more than some 60 000 since u <= v and u*v <= 10^18, and about
// a tenth of that in practice. All comparisons are exact.
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

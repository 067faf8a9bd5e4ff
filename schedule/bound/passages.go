// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"slices"
	"sort"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// gossipCrossings bounds a gossip by the words that cross into parts of the network, and by what is left of the time when they do (see crossing). It is at least a known bound.
//
// Each of the V nodes of a part needs all W words from outside. A flit that takes a link into the part in cycle t brings a word to G(T-t) of the nodes at most. No link has a flit before
// cycle s, and c links have c flits in f cycles:
//
//	W*V  <=  c * sum over t = s, s+f, s+2f, ... of G(T-t)
//
// With a single port the flits into all parts that a node separates share its port. They do so on their way out of the node into the parts, and on their way in from the parts. A flit into a part counts G/V there,
// and the parts need their words W together.
func gossipCrossings(t *topology.Topology, m machine.Machine, lengths []int, known router.Cycle) router.Cycle {
	return crossingBound(t, m, known, false, slices.Min(lengths) == slices.Max(lengths), func(outside uint64) (words float64) {
		for n := range eachNode(outside) {
			words += float64(lengths[n])
		}
		return words
	})
}

// sumCrossings bounds an allreduce of W words in the same way. Each of the V nodes of a part needs something from each of the U nodes outside, for each of the W places. The flit with
// which it comes takes a link into the part in some cycle t. It has something of A(t) nodes outside at most, and reaches G(T-t) nodes of the part at most:
//
//	W*U*V  <=  c * sum over t = s, s+f, s+2f, ... of A(t)*G(T-t)
//
// So flits are of little use as long as sums are made, and again when the last ones are spread.
func sumCrossings(t *topology.Topology, m machine.Machine, words int, known router.Cycle) router.Cycle {
	return crossingBound(t, m, known, true, true, func(uint64) float64 { return float64(words) })
}

func crossingBound(t *topology.Topology, m machine.Machine, known router.Cycle, sums, alike bool, words func(outside uint64) float64) router.Cycle {
	if m.PacketSwitched() || t.Nodes() > maxCrossingNodes {
		return known
	}
	c := newCrossings(t, m)
	for _, part := range c.parts(alike) {
		x := c.into(part)
		p := &passage{first: c.Lead(), flit: c.Flit, ways: x.links, sums: sums}
		p.add(x, words)
		known = p.least(known)
	}
	if m.Ports != machine.SinglePort {
		return known
	}
	for n := range t.Nodes() {
		out := &passage{first: c.Lead(), flit: c.Flit, ways: 1, sums: sums}
		in := *out
		for _, part := range c.connected(c.everyone() &^ (1 << n)) {
			out.add(c.into(part), words)
			in.add(c.into(c.everyone()&^part), words)
		}
		known = in.least(out.least(known))
	}
	return known
}

// passage is what flits cross: some links, or a port. Each of its ways passes a flit in some cycles from the first cycle on, into one of several parts.
type passage struct {
	first, flit router.Cycle
	ways        int
	sums        bool // of an allreduce
	into        []*crossing
	needed      float64
}

func (p *passage) add(x *crossing, words func(outside uint64) float64) {
	p.into = append(p.into, x)
	p.needed += words(x.outside)
}

// least returns the least time, at least the known one, in which everything crosses.
func (p *passage) least(known router.Cycle) router.Cycle {
	step := 1
	for !p.fits(known + router.Cycle(step) - 1) {
		step *= 2
	}
	return known + router.Cycle(sort.Search(step-1, func(more int) bool { return p.fits(known + router.Cycle(more)) }))
}

// turn is a change of what a flit into a part is worth: of the nodes whose words it can have, and of those that it can reach.
type turn struct {
	at             router.Cycle // in times of a flit, from the first cycle on
	part           int
	gathers, tells int
}

// fits reports whether all flits cross in so many cycles. Each way passes a flit in each time of a flit. It is taken to tell as many nodes as at the beginning of this time, and to have the words of as many as at its end.
func (p *passage) fits(cycles router.Cycle) bool {
	turns := p.turns(cycles)
	gathers, tells := make([]int, len(p.into)), make([]int, len(p.into))
	sum, since := 0.0, router.Cycle(0)
	for _, turn := range turns {
		if turn.at > since {
			most := 0.0
			for i, x := range p.into {
				most = max(most, float64(gathers[i])/float64(len(x.before))*float64(tells[i])/float64(len(x.after)))
			}
			sum += most * float64(turn.at-since)
			since = turn.at
		}
		gathers[turn.part] += turn.gathers
		tells[turn.part] += turn.tells
	}
	return sum*float64(p.ways) >= p.needed*(1-1e-9)
}

// turns lists all changes in the order of time.
func (p *passage) turns(cycles router.Cycle) (turns []turn) {
	for i, x := range p.into {
		for _, after := range x.after {
			if last := cycles - 1 - after - p.first; last >= 0 {
				turns = append(turns, turn{0, i, 0, 1}, turn{last/p.flit + 1, i, 0, -1})
			}
		}
		for _, before := range x.before {
			at := router.Cycle(0)
			if p.sums {
				at = (before - p.first) / p.flit
			}
			turns = append(turns, turn{at, i, 1, 0})
		}
	}
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Compare(a.at, b.at) })
	return turns
}

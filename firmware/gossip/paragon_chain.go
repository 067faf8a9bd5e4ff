// SPDX-License-Identifier: Apache-2.0

package gossip

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// Chain is the longest chain of messages of a gossip through one port: what a
// message needs before it can leave, back to the beginning.
//
// A message of W flits over d links adds one startup, W flits, d hops and one
// arrival. Where a PE only has to have placed a message before it does the next
// thing, that adds a startup and W flits.
type Chain struct{ Startups, Flits, Hops, Arrivals int }

// Cycles returns the time of an operation with such a chain: a message takes
// startup + W·flit + d·hop - 1 cycles until it can be passed on, and the
// operation ends a cycle later.
func (c Chain) Cycles(m machine.Machine) router.Cycle {
	if c.Startups == 0 {
		return 0
	}
	cycle := func(n, each int) router.Cycle { return router.Cycle(n) * router.Cycle(each) }
	return cycle(c.Startups, m.Startup) + cycle(c.Flits, m.Flit) + cycle(c.Hops, m.Hop) - router.Cycle(c.Arrivals) + 1
}

func (c Chain) plus(d Chain) Chain {
	return Chain{c.Startups + d.Startups, c.Flits + d.Flits, c.Hops + d.Hops, c.Arrivals + d.Arrivals}
}

// onePortChain adds up a chain. A token is a message of one flit.
type onePortChain struct {
	Chain
	sync bool
}

func message(flits, links int) Chain { return Chain{1, flits, links, 1} }
func placed(flits int) Chain         { return Chain{1, flits, 0, 0} }
func token(links int) Chain          { return message(1, links) }

// onePortLine is the geometry of the places 0 to n-1 of a line.
type onePortLine struct {
	n      int
	closed bool
	links  func(i, j int) int // from place to place
}

// straight is a line along a dimension; so many links from place to place.
func straight(n, each int, closed bool) onePortLine {
	return onePortLine{n, closed, func(i, j int) int {
		d := max(i-j, j-i)
		if closed {
			d = min(d, n-d)
		}
		return d * each
	}}
}

// gathered is the most links that messages pass on the way to the first of some
// places, each waiting for those before it: what concentrate does.
func (o onePortLine) gathered(places []int) int {
	if len(places) < 2 {
		return 0
	}
	near, far := split(places)
	return max(o.gathered(near), o.gathered(far)) + o.links(far[0], near[0])
}

// spread is the same on the way from the first place, where a message need not
// arrive before the next can leave: what tree does.
func (o onePortLine) spread(places []int) int {
	if len(places) < 2 {
		return 0
	}
	near, far := split(places)
	return max(o.spread(near), o.spread(far)+o.links(far[0], near[0]))
}

func split(places []int) (near, far []int) {
	middle := (len(places) + 1) / 2
	return places[:middle], places[middle:]
}

// concentrate adds that of so many flits a place, in groups that begin at the
// bounds. A level of it moves up to half a group; anywhere: the root may be in
// its smaller half.
func (c *onePortChain) concentrate(o onePortLine, bounds []int, flits int, anywhere bool) {
	links, steps, words := 0, 0, 0
	for g := range len(bounds) - 1 {
		links = max(links, o.gathered(numbers(bounds[g], bounds[g+1], 1)))
	}
	for size := widest(bounds); size > 1; size = (size + 1) / 2 {
		half := size / 2
		if anywhere {
			half = (size + 1) / 2
		}
		steps, words = steps+1, words+half*flits
	}
	c.Chain = c.plus(Chain{steps, words, links, steps})
	if c.sync {
		c.Chain = c.plus(Chain{steps, steps, links, steps})
	}
}

// numbers are those from one to below another, so far apart.
func numbers(from, to, apart int) []int {
	list := make([]int, 0, (to-from+apart-1)/apart)
	for i := from; i < to; i += apart {
		list = append(list, i)
	}
	return list
}

// multiply adds that groups, which begin at the bounds, get finer: the first
// place of each brings so many flits to those of its finer groups. The tokens
// of a tree have come long before.
func (c *onePortChain) multiply(o onePortLine, bounds, finer []int, parts, flits int) {
	most, links, apart, k := 1, 0, 0, 0
	for g := range len(bounds) - 1 {
		var heads []int
		for ; finer[k] < bounds[g+1]; k++ {
			heads = append(heads, finer[k])
		}
		most, links = max(most, len(heads)), max(links, o.spread(heads))
		for i := range len(heads) - 1 {
			apart = max(apart, o.links(heads[i], heads[i+1]))
		}
	}
	if parts == 1 || most < 3 {
		c.Chain = c.plus(Chain{log2(most), log2(most) * flits, links, log2(most)})
		return
	}
	c.relay(spreadSteps(most, parts), (flits+parts-1)/parts, apart)
}

// relay adds turns in which all messages pass so many links: with tokens a
// PE grants what it takes when it has placed what it sent.
func (c *onePortChain) relay(turns, flits, links int) {
	c.round(turns, flits, turns*links, links)
}

// round adds turns over so many links together, and the last one's.
func (c *onePortChain) round(turns, flits, links, last int) {
	if !c.sync {
		c.Chain = c.plus(Chain{turns, turns * flits, links, turns})
		return
	}
	c.Chain = c.plus(Chain{turns, turns, links, turns}).plus(Chain{turns - 1, (turns - 1) * flits, 0, 0}).plus(message(flits, last))
}

// exchange adds that of so many flits among some places, in the order of their
// ring. Without tokens a PE's flits wait while it takes as many. With tokens one
// comes against the direction of the messages from turn to turn. Of two
// rounds all links count then but those of the two turns that are missing.
func (c *onePortChain) exchange(o onePortLine, places []int, flits int) {
	ring := ringOf(places, o.closed)
	n := len(ring)
	if n < 2 {
		return
	}
	d, sum := make([]int, n), 0
	for i := range ring {
		d[i] = o.links(ring[i], ring[(i+1)%n])
		sum += d[i]
	}
	switch {
	case !c.sync:
		c.round(n-1, 2*flits, sum-slices.Min(d), 0)
		return
	case n%2 == 1:
		c.round(2*n, flits, 2*sum, d[0])
		return
	}
	most, last := -1, 0
	for i := 0; i < n; i += 2 {
		if links, end := 2*sum-d[i+1]-d[(i+2)%n], d[(i+3)%n]; links+end > most+last {
			most, last = links, end
		}
	}
	c.round(2*(n-1), flits, most, last)
}

// along adds a gossip along lines: every place has so many flits at first.
func (c *onePortChain) along(o onePortLine, s scheme, flits int) {
	groups := between(o.n, s.headsOf(o.n))
	size := widest(groups)
	c.concentrate(o, groups, flits, false)
	c.exchange(o, groups[:len(groups)-1], size*flits)
	if c.sync && len(groups) == 2 && size > 1 { // the last to send grants when it has placed that
		c.Chain = c.plus(placed(1))
	}
	for size > 1 {
		finer := refine(groups, s.factorOf(size))
		c.multiply(o, groups, finer, s.parts, o.n*flits)
		groups, size = finer, widest(finer)
	}
}

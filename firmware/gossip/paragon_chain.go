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

// step adds a message that the taker grants when both are ready for it.
func (c *onePortChain) step(flits, links int) {
	if c.sync {
		c.Chain = c.plus(token(links))
	}
	c.Chain = c.plus(message(flits, links))
}

// line is the geometry of the places 0 to n-1 of a line.
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

// halfway is the most links between the roots of the halves of groups of size
// places, so far apart; the groups of a power of two begin at its multiples.
func (o onePortLine) halfway(size, spacing int) int {
	every, apart := 1, min(o.n-1, (size+1)/2*spacing)
	if size&(size-1) == 0 {
		every = size * spacing
	}
	links := 0
	for i := 0; i+apart < o.n; i += every {
		links = max(links, o.links(i, i+apart))
	}
	return links
}

// concentrate adds that in groups of n places, each with so many flits. Level
// by level from the last message back, half a group goes over half its length.
// The root is at a group's first place, or anywhere.
func (c *onePortChain) concentrate(o onePortLine, n, flits int, anywhere bool) {
	for size := n; size > 1; size = (size + 1) / 2 {
		half := size / 2
		if anywhere {
			half = (size + 1) / 2
		}
		c.step(half*flits, o.halfway(size, 1))
	}
}

// spread adds that of so many flits from one place to n, spaced so far. The
// tokens of a tree have come long before.
func (c *onePortChain) spread(o onePortLine, n, spacing, parts, flits int) {
	if n < 2 {
		return
	}
	if parts == 1 || n < 3 {
		for size := n; size > 1; size = (size + 1) / 2 {
			c.Chain = c.plus(message(flits, o.halfway(size, spacing)))
		}
		return
	}
	links, part := o.halfway(2, spacing), (flits+parts-1)/parts
	c.relay(spreadSteps(n, parts), part, links)
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
	c.concentrate(o, size, flits, false)
	c.exchange(o, groups[:len(groups)-1], size*flits)
	if c.sync && len(groups) == 2 && size > 1 { // the last to send grants when it has placed that
		c.Chain = c.plus(placed(1))
	}
	for size > 1 {
		finer := refine(groups, s.factorOf(size))
		c.spread(o, s.factorOf(size), widest(finer), s.parts, o.n*flits)
		groups, size = finer, widest(finer)
	}
}

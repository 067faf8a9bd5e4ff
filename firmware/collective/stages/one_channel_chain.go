// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// Chain is the longest chain of dependent messages of an all-gather in its half-duplex,
// one-channel form: each message of the chain waits for the message before it.
//
// A message of W flits over d links adds one startup, W flits, d hops and one arrival. In some
// places a PE does not wait for the arrival: it goes on a cycle after it began to place the
// message's last flit. Then the message adds only a startup and W flits (Placed).
type Chain struct{ Startups, Flits, Hops, Arrivals, Placed int }

// Cycles returns the time of an operation with such a chain, which ends a cycle after
// its last message is whole.
func (c Chain) Cycles(m machine.Machine) router.Cycle {
	if c.Startups == 0 {
		return 0
	}
	model := timing.Of(&m)
	placed := router.Cycle(c.Placed) * (model.Startup - (model.Flit - 1)) // and their flits
	return model.Chain(c.Arrivals, c.Flits, c.Hops) + placed + model.Flits(c.Placed, 0) + 1
}

func (c Chain) plus(d Chain) Chain {
	return Chain{c.Startups + d.Startups, c.Flits + d.Flits, c.Hops + d.Hops, c.Arrivals + d.Arrivals, c.Placed + d.Placed}
}

// oneChannelChain adds up a chain. A token is a message of one flit.
type oneChannelChain struct {
	Chain
	sync bool
	m    machine.Machine // on which the longest is looked for
}

func message(flits, links int) Chain { return messages(1, flits, links) }
func placed(flits int) Chain         { return Chain{Startups: 1, Flits: flits, Placed: 1} }

// messages are so many, with so many flits and links together.
func messages(count, flits, links int) Chain {
	return Chain{Startups: count, Flits: flits, Hops: links, Arrivals: count}
}

func token(links int) Chain { return message(1, links) }

// oneChannelLine is the geometry of the places 0 to n-1 of a line.
type oneChannelLine struct {
	n      int
	closed bool
	links  func(i, j int) int // from place to place
}

// straight is a line along a dimension; so many links from place to place.
func straight(n, each int, closed bool) oneChannelLine {
	return oneChannelLine{n, closed, func(i, j int) int {
		d := max(i-j, j-i)
		if closed {
			d = min(d, n-d)
		}
		return d * each
	}}
}

// gathered is the most links that messages pass on the way to the first of some
// places, each waiting for those before it: what concentrate does.
func (o oneChannelLine) gathered(places []int) int {
	if len(places) < 2 {
		return 0
	}
	near, far := split(places)
	return max(o.gathered(near), o.gathered(far)) + o.links(far[0], near[0])
}

// spread is the same on the way from the first place, where a message need not
// arrive before the next can leave: what tree does.
func (o oneChannelLine) spread(places []int) int {
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
func (c *oneChannelChain) concentrate(o oneChannelLine, bounds []int, flits int, anywhere bool) {
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
	c.Chain = c.plus(messages(steps, words, links))
	if c.sync {
		c.Chain = c.plus(messages(steps, steps, links))
	}
}

// numbers returns the numbers from, from + apart, .. below to.
func numbers(from, to, apart int) []int {
	list := make([]int, 0, (to-from+apart-1)/apart)
	for i := from; i < to; i += apart {
		list = append(list, i)
	}
	return list
}

// multiply adds the step in which groups become finer. The groups begin at the bounds; the
// first place of each group sends so many flits to the first places of its finer groups. The
// tokens of a tree have arrived long before.
func (c *oneChannelChain) multiply(o oneChannelLine, bounds, finer []int, parts, flits int) {
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
		c.Chain = c.plus(messages(log2(most), log2(most)*flits, links))
		return
	}
	c.stream(most-1, parts, (flits+parts-1)/parts, apart)
}

// stream adds that of some parts along a chain: the first one all the way, and
// behind it each other one when the next place has taken, and placed, the one before.
func (c *oneChannelChain) stream(places, parts, flits, links int) {
	again := message(flits, links).plus(message(flits, links))
	if c.sync {
		again = placed(flits).plus(token(links)).plus(message(flits, links))
	}
	for range places {
		c.Chain = c.plus(message(flits, links))
	}
	for range parts - 1 {
		c.Chain = c.plus(again)
	}
}

// round adds turns over so many links together, and the last one's: with tokens
// a PE grants what it takes when it has placed what it sent.
func (c *oneChannelChain) round(turns, flits, links, last int) {
	if !c.sync {
		c.Chain = c.plus(messages(turns, turns*flits, links))
		return
	}
	c.Chain = c.plus(messages(turns, turns, links)).plus(message(flits, last))
	for range turns - 1 {
		c.Chain = c.plus(placed(flits))
	}
}

// exchange adds an exchange of so many flits among some places, in the order of their ring.
// Without tokens a PE's own flits wait while it receives as many. With tokens, a token travels
// against the direction of the messages between two turns. Of two rounds all links count,
// except the links of the two turns that are missing.
func (c *oneChannelChain) exchange(o oneChannelLine, places []int, flits int) {
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
		c.oddRing(n, flits, slices.Max(d))
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

// oddRing adds an exchange with tokens among an odd number. Messages follow one
// another through all 2n turns; or tokens come against them from turn to turn,
// until a place has rested: that saves one.
func (c *oneChannelChain) oddRing(n, flits, links int) {
	forward := oneChannelChain{c.Chain.plus(token(links)), c.sync, c.m}
	forward.Chain = forward.plus(messages(2*n, 2*n*flits, 2*n*links))
	back := oneChannelChain{c.Chain.plus(token(links)).plus(message(flits, links)), c.sync, c.m}
	for left, behind := 2*n-1, n-3; left > 0; {
		switch {
		case behind >= 2:
			left, behind = left-1, behind-2
		case left >= 2:
			left, behind = left-2, n-3
		default:
			left = 0
			back.Chain = back.plus(message(flits, links))
			continue
		}
		back.Chain = back.plus(placed(flits)).plus(token(links))
	}
	c.Chain = slower(c.m, forward.Chain, back.Chain)
}

// slower returns the chain that takes longer.
func slower(m machine.Machine, a, b Chain) Chain {
	if a.Cycles(m) > b.Cycles(m) {
		return a
	}
	return b
}

// along adds a gossip along lines: every place has so many flits at first.
func (c *oneChannelChain) along(o oneChannelLine, s scheme, flits int) {
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

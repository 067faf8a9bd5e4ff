// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Chain returns the longest chain of an algorithm when every block has so many
// flits: the formula of its time on machine m. The lengths do not matter.
//
// With n a power of two, log n its logarithm to base 2, W the flits of a block,
// the messages of a chain and their flits are, along a line of n:
//
//	approach 1     2 log n         (n-1)W + n log n W
//	approach 2     2(n-1)          2(n-1)W
//	CIRCGOS(a,b)   2 log(n/a) + 2(a-1)   (n/a-1)W + 2(a-1)(n/a)W + log(n/a) n W
//
// (Juurlink, Sibeyn, Rao, last section, with half duplex as the factor 2 of
// the exchange; b the least). Tokens come on top: one for every message, but
// for those that bring everything to PEs which wait for it.
//
// It is exact where all messages of a step have one size and go over one
// distance; else each step counts with its largest.
func (o OneChannel) Chain(m machine.Machine, flits int) (Chain, error) {
	p, err := o.plan()
	if err != nil || flits == 0 || o.Topology.Nodes() == 1 {
		return Chain{}, err
	}
	t := o.Topology
	c := &oneChannelChain{sync: o.Sync, m: m}
	switch {
	case p.vendor:
		all := make([]router.NodeID, t.Nodes())
		for n := range all {
			all[n] = router.NodeID(n)
		}
		c.along(through(t, all, false), scheme{heads: 1, parts: 1}, flits)
	case p.torgos:
		c.torgos(t, p, flits)
	case p.start == BlackWhite:
		c.blackWhite(t, p.scheme, flits)
	case p.start == Around:
		ring, closed := throughAll(t)
		c.along(through(t, ring, closed), p.scheme, flits)
	default:
		for _, axis := range order(t, p.start) {
			c.along(straight(t.Dims[axis], 1, t.Wrap[axis]), p.scheme, flits)
			flits *= t.Dims[axis]
		}
	}
	return c.Chain, nil
}

// through is a line through nodes of a grid.
func through(t *topology.Topology, nodes []router.NodeID, closed bool) oneChannelLine {
	at := make([][]int, len(nodes))
	for i, n := range nodes {
		at[i] = t.Coordinates(n)
	}
	return oneChannelLine{len(nodes), closed, func(i, j int) int {
		links := 0
		for axis, length := range t.Dims {
			links += straight(length, 1, t.Wrap[axis]).links(at[i][axis], at[j][axis])
		}
		return links
	}}
}

// torgos adds TORGOS: rows, columns, and a round for each factor.
func (c *oneChannelChain) torgos(t *topology.Topology, p oneChannelPlan, flits int) {
	row := order(t, p.start)[0]
	width, height := t.Dims[row], t.Dims[1-row]
	rows, columns := straight(width, 1, t.Wrap[row]), straight(height, 1, t.Wrap[1-row])
	spacing, factors := spacings(width, height, max(1, p.scheme.factor))
	c.concentrate(rows, []int{0, spacing}, flits, spacing&(spacing-1) != 0)
	c.exchange(rows, numbers(0, width, spacing), spacing*flits)
	c.exchange(columns, numbers(0, height, spacing), width*flits)
	known := width * (height / spacing) * flits
	for _, factor := range factors {
		fine := spacing / factor
		c.multiply(rows, []int{0, spacing}, append(numbers(0, spacing, fine), spacing), p.scheme.parts, known)
		window := columns
		window.closed = false
		c.exchange(window, numbers(0, spacing, fine), known)
		spacing, known = fine, known*factor
	}
}

// blackWhite adds the two phases: the slower colour, and the steps in which
// words pass from colour to colour.
func (c *oneChannelChain) blackWhite(t *topology.Topology, s scheme, flits int) {
	width, height := t.Dims[0], t.Dims[1]
	c.slower(t, s, [2]int{flits, flits}, [2]int{0, 1})
	c.pairs(width/2*flits, height/2*flits)
	c.pairs(width/2*flits, height/2*flits)
	c.slower(t, s, [2]int{width * flits, height * flits}, [2]int{1, 0})
	c.pairs(width*height/2*flits, width*height/2*flits)
}

// slower adds the slower of two gossips on half a line of a dimension each.
func (c *oneChannelChain) slower(t *topology.Topology, s scheme, flits, axes [2]int) {
	var both [2]Chain
	for i, axis := range axes {
		one := &oneChannelChain{sync: c.sync, m: c.m}
		one.along(straight(t.Dims[axis]/2, 2, t.Wrap[axis]), s, flits[i])
		both[i] = one.Chain
	}
	c.Chain = c.plus(slower(c.m, both[0], both[1]))
}

// pairs adds two steps between neighbours, one each way.
func (c *oneChannelChain) pairs(first, second int) {
	if c.sync {
		c.Chain = c.plus(token(1)).plus(placed(first)).plus(token(1)).plus(message(second, 1))
		return
	}
	c.Chain = c.plus(message(first, 1)).plus(message(second, 1))
}

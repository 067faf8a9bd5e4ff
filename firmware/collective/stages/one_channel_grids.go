// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// vendor is an all-gather made of two other calls of a library: a gather to node 0 along a
// binomial tree of the node numbers, then a broadcast of all blocks along the same tree.
// The tree does not depend on the network.
func (l *oneChannelList) vendor(nodes int) {
	all := make([]router.NodeID, nodes)
	for n := range all {
		all[n] = router.NodeID(n)
	}
	steps := log2(nodes)
	l.concentrate(all, 0, l.step+steps)
	l.step += steps
	l.tree(all, 0, l.step, l.held[0])
	l.step += steps
}

// blackWhite sends the blocks of black nodes, x+y even, along rows and then along columns.
// At the same time it sends the blocks of white nodes along columns and then along rows.
// The black nodes of a line carry the black blocks, as a line of half the length in which
// neighbours are two links apart; the white nodes carry the white blocks.
//
//	row      B w B w B w      black blocks move from B to B along the row,
//	         w B w B w B      white blocks from w to w along the columns
//
// So a node takes part in one of the two all-gathers, and these use links of different
// dimensions. A step before brings words from the nodes of the other colour; a step after
// brings words to them.
func (l *oneChannelList) blackWhite(o OneChannel, s scheme) {
	t := o.Topology
	var colours [2]*oneChannelList
	for c := range colours {
		own := newOneChannelList(o)
		own.list = l.list
		for n := range own.held {
			if colour(t, router.NodeID(n)) != c {
				own.held[n] = nil
			}
		}
		colours[c] = own
	}
	step := l.step
	for phase := range 2 {
		for c, own := range colours { // words of the other colour's nodes, one colour after the other
			own.step = step + c
			for _, pair := range pairs(t, (phase+c)%2, c) {
				own.concentrate(pair, 0, own.step+1)
			}
		}
		if phase > 0 { // in phase 0 the other colour's nodes have no such words
			step += 2
		}
		longest := step
		for c, own := range colours {
			axis := (phase + c) % 2
			own.step = step
			own.along(coloured(t, axis, c), t.Wrap[axis], s)
			longest = max(longest, own.step)
		}
		step = longest
		for c, own := range colours {
			for _, pair := range pairs(t, (phase+c)%2, c) {
				own.tree(pair, 0, step+c, own.held[pair[0]])
			}
		}
		step += 2
	}
	l.step = step
}

// colour returns 0 for black nodes and 1 for white nodes.
func colour(t *topology.Topology, n router.NodeID) int {
	at := t.Coordinates(n)
	return (at[0] + at[1]) % 2
}

// coloured returns the nodes of a colour on every line along a dimension.
func coloured(t *topology.Topology, axis, c int) [][]router.NodeID {
	all := lines(t, axis)
	for i, line := range all {
		var own []router.NodeID
		for _, n := range line {
			if colour(t, n) == c {
				own = append(own, n)
			}
		}
		all[i] = own
	}
	return all
}

// pairs returns the pairs of neighbours along a dimension that begin at even places. The
// node of colour c comes first in its pair.
func pairs(t *topology.Topology, axis, c int) [][]router.NodeID {
	var all [][]router.NodeID
	for _, line := range lines(t, axis) {
		for i := 0; i < len(line); i += 2 {
			if colour(t, line[i]) == c {
				all = append(all, []router.NodeID{line[i], line[i+1]})
			} else {
				all = append(all, []router.NodeID{line[i+1], line[i]})
			}
		}
	}
	return all
}

// torgos is TORGOS(n, a, b) on a grid of two dimensions. With a spacing p that divides both
// sides, the node at place x of line y is a bridgehead if x = y modulo p: in every row and
// in every column one node of p is a bridgehead.
//
// Each group of p nodes of a row sends its blocks to its bridgehead. The bridgeheads of a
// row exchange these blocks, then the bridgeheads of a column. Now every bridgehead of row
// y knows all rows that are y modulo p. Then p shrinks, round after round: each bridgehead
// sends its words to new bridgeheads in its group, and the bridgeheads of a column exchange
// words within groups of the old spacing.
func (l *oneChannelList) torgos(t *topology.Topology, p oneChannelPlan) {
	row := order(t, p.start)[0]
	rows, columns := lines(t, row), lines(t, 1-row)
	spacing, factors := spacings(len(columns), len(rows), max(1, p.scheme.factor))
	end := l.step + log2(spacing)
	for y, line := range rows {
		for x := 0; x < len(line); x += spacing {
			l.concentrate(line[x:x+spacing], y%spacing, end)
		}
	}
	l.step = end
	for y, line := range rows {
		l.exchange(ringOf(every(line, y, spacing), t.Wrap[row]))
	}
	l.step += l.turns(len(columns) / spacing)
	for x, line := range columns {
		l.exchange(ringOf(every(line, x, spacing), t.Wrap[1-row]))
	}
	l.step += l.turns(len(rows) / spacing)
	for _, factor := range factors {
		l.torgosRound(rows, columns, spacing, factor, p.scheme.parts)
		spacing /= factor
	}
}

// torgosRound multiplies the bridgeheads by a factor.
func (l *oneChannelList) torgosRound(rows, columns [][]router.NodeID, spacing, factor, parts int) {
	fine := spacing / factor
	for y, line := range rows {
		for x := 0; x < len(line); x += spacing {
			l.spread(every(line[x:x+spacing], y, fine), y%spacing/fine, parts)
		}
	}
	l.step += spreadSteps(factor, parts)
	for x, line := range columns {
		for y := 0; y < len(line); y += spacing {
			l.exchange(ringOf(every(line[y:y+spacing], x, fine), false))
		}
	}
	l.step += l.turns(factor)
}

// every returns the nodes of a line at the places that are offset modulo spacing.
func every(line []router.NodeID, offset, spacing int) []router.NodeID {
	var some []router.NodeID
	for i := offset % spacing; i < len(line); i += spacing {
		some = append(some, line[i])
	}
	return some
}

// spacings returns the first spacing of bridgeheads on a grid: the largest
// that divides both sides and leaves a on the shorter one; and the factors that
// lead from it to 1: a, or the largest divisor below, or where there is none the
// smallest above.
func spacings(width, height, a int) (first int, factors []int) {
	first = 1
	for p := 2; p*a <= min(width, height); p++ {
		if width%p == 0 && height%p == 0 {
			first = p
		}
	}
	for p := first; p > 1; {
		f := min(a, p)
		for f > 1 && p%f != 0 {
			f--
		}
		for f < 2 || p%f != 0 {
			f = max(2, f+1)
			for p%f != 0 {
				f++
			}
		}
		factors = append(factors, f)
		p /= f
	}
	return first, factors
}

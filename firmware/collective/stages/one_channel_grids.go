// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// vendor is what a library makes of two of its own calls: a gather to node 0
// over a binomial tree of the node numbers, then a broadcast of everything
// over the same tree. It knows nothing of the network.
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

// blackWhite gossips the blocks of white nodes, x+y even, along rows and then
// along columns, and those of black nodes along columns and then along rows,
// both at once. A colour's own nodes do the work, as a line of half the length
// on which they are two links apart; so a node has one of the two
// gossips to do, and they use links of different dimensions. Before and after
// it a step brings words from the other colour's nodes, and to them.
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
		for c, own := range colours { // the other colour's words, in turns
			own.step = step + c
			for _, pair := range pairs(t, (phase+c)%2, c) {
				own.concentrate(pair, 0, own.step+1)
			}
		}
		if phase > 0 { // at first the other colour's nodes have none
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

// colour is 0 for white nodes, 1 for black ones.
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

// pairs returns the pairs of neighbours along a dimension that begin at even
// places, the node of the colour first.
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

// torgos is TORGOS(n, a, b) on a grid of two dimensions. With a spacing p that
// divides both sides, the node at place x of line y is a bridgehead if x = y
// modulo p: every line of either dimension has one in p. Groups of
// p concentrate in their bridgeheads, those of a line exchange, then those of
// the columns; now every bridgehead of line y knows all lines that are y modulo
// p. Then, spacing by spacing, each makes new ones in its group, and these
// exchange in columns within groups of the old spacing.
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

// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Doubling is the tree of a recursive broadcast on a grid (path, ring, mesh,
// torus, hypercube), in messages that pass nodes: the best of several ways.
//
// With a channel for every link a node informs one on either side with every
// startup: a line of n nodes around the root needs s startups when n <= 3^s,
// and no side of the root has more than (3^s-1)/2 nodes. The places of the
// receivers are the best ones (see line), and lines along the axes follow one
// another. Or, in more dimensions, it informs one in every direction: the box
// of nodes that it stands for loses a strip on each side, of about equal parts
// (see strips). With one channel the nodes with the words double with every
// startup: each gives half of its box to the first node of that half.
//
// words says how many there are in a message that makes its receiver stand for so
// many nodes: a constant for a broadcast, all their blocks for a scatter.
func Doubling(t *topology.Topology, m machine.Machine, root router.NodeID, words func(nodes int) int) *Tree {
	return double(t, newClock(m), root, words)
}

// Joining is Doubling for lists that will be reversed in time. A node receives messages
// one directly behind the other, however long their startups are. So it may receive many
// before another startup of its own would be worth while.
func Joining(t *topology.Topology, m machine.Machine, root router.NodeID, words func(nodes int) int) *Tree {
	return double(t, newClock(m).backwards(), root, words)
}

func double(t *topology.Topology, c *clock, root router.NodeID, words func(nodes int) int) *Tree {
	grow := func(by func(*doubler)) *Tree {
		d := &doubler{topology: t, c: c, words: words, tree: newTree(root, t.Nodes()), at: t.Coordinates(root), position: make([]int, len(t.Dims))}
		by(d)
		return d.tree
	}
	if !c.links {
		return grow((*doubler).halve)
	}
	best := grow((*doubler).spread)
	least := best.cycles(c, best.standing(words))
	for _, share := range stripShares {
		if len(t.Dims) == 1 {
			break
		}
		tree := grow(func(d *doubler) { d.strip(share) })
		if time := tree.cycles(c, tree.standing(words)); time < least {
			best, least = tree, time
		}
	}
	return best
}

// stripShares are the sizes of strips that are tried, by what equal parts are.
var stripShares = [...]float64{0.7, 0.85, 1, 1.2, 1.5}

// doubler grows a tree. Nodes are named by their offsets from the root, in
// rings the shorter way.
type doubler struct {
	topology *topology.Topology
	c        *clock
	words    func(int) int
	tree     *Tree
	at       []int // coordinates of the root
	position []int // of the node that is being looked at
}

// span returns the least and the greatest offset along an axis.
func (d *doubler) span(axis int) (low, high int) {
	size := d.topology.Dims[axis]
	if d.topology.Wrap[axis] {
		return -((size - 1) / 2), size / 2
	}
	return -d.at[axis], size - 1 - d.at[axis]
}

// node returns the node at some offsets.
func (d *doubler) node(offset []int) router.NodeID {
	for axis, size := range d.topology.Dims {
		d.position[axis] = (d.at[axis] + offset[axis] + size) % size
	}
	return d.topology.At(d.position)
}

// region is the set of nodes for which a node is responsible: so many nodes on both of its
// sides along an axis, and all nodes behind these along the axes that follow.
type region struct {
	offset      []int
	axis        int
	minus, plus int
}

// offer is a node that is to be served.
type offer struct {
	region
	hand router.Cycle // after its parent has the words
	port router.Port
	hops int
}

// spread grows the tree for channels that work at once.
func (d *doubler) spread() {
	axes := len(d.topology.Dims)
	lines := make([]*line, axes)
	behind := 1 // nodes that a node of a line stands for along later axes
	for axis := axes - 1; axis >= 0; axis-- {
		low, high := d.span(axis)
		scale := behind
		lines[axis] = newLine(d.c, max(-low, high), func(q int) int { return d.words(q * scale) })
		behind *= d.topology.Dims[axis]
	}
	low, high := d.span(0)
	queue := []region{{make([]int, axes), 0, -low, high}}
	for i := 0; i < len(queue); i++ {
		r := queue[i]
		from := d.node(r.offset)
		var offers []offer
		for axis := r.axis; axis < axes; axis++ {
			minus, plus := r.minus, r.plus
			if axis > r.axis {
				low, high := d.span(axis)
				minus, plus = -low, high
			}
			offers = d.offers(offers, lines[axis], r, axis, plus, 1)
			offers = d.offers(offers, lines[axis], r, axis, minus, -1)
		}
		slices.SortStableFunc(offers, func(a, b offer) int { return cmp.Compare(a.hand, b.hand) })
		turn := 0
		for k, o := range offers {
			if k == 0 || o.hand > offers[k-1].hand {
				turn++
			}
			d.tree.add(d.node(o.offset), from, turn, o.hops, o.port)
			queue = append(queue, o.region)
		}
	}
}

// offers lists whom a node serves on one side along an axis, m nodes in all.
func (d *doubler) offers(list []offer, l *line, r region, axis, m, sign int) []offer {
	behind := 1
	for _, size := range d.topology.Dims[axis+1:] {
		behind *= size
	}
	hand := router.Cycle(0)
	for m > 0 {
		keep := l.keep[m]
		near := l.near[m-keep]
		far := m - keep - 1 - near
		o := offer{region: region{slices.Clone(r.offset), axis, near, far}, hand: hand, port: router.Port(2 * axis), hops: keep + 1 + near}
		o.offset[axis] += sign * o.hops
		if sign < 0 {
			o.minus, o.plus, o.port = far, near, o.port+1
		}
		list = append(list, o)
		hand += d.c.turn(d.words((m - keep) * behind))
		m = keep
	}
	return list
}

// box is the set of nodes for which a node is responsible when the set is not a line: all
// nodes between two corners.
type box struct{ offset, low, high []int }

// whole is the box of the root.
func (d *doubler) whole() box {
	axes := len(d.topology.Dims)
	b := box{make([]int, axes), make([]int, axes), make([]int, axes)}
	for axis := range axes {
		b.low[axis], b.high[axis] = d.span(axis)
	}
	return b
}

// halve grows the tree for one channel.
func (d *doubler) halve() {
	queue := []box{d.whole()}
	for i := 0; i < len(queue); i++ {
		b := queue[i]
		from := d.node(b.offset)
		for turn := 1; ; turn++ {
			axis := b.longest()
			if b.low[axis] == b.high[axis] {
				break
			}
			other, hops, port := b.cut(axis)
			d.tree.add(d.node(other.offset), from, turn, hops, port)
			queue = append(queue, other)
		}
	}
}

func (b *box) longest() int {
	best := 0
	for axis := range b.low {
		if b.high[axis]-b.low[axis] > b.high[best]-b.low[best] {
			best = axis
		}
	}
	return best
}

// cut gives half of the box away, to the node nearest to this one.
func (b *box) cut(axis int) (other box, hops int, port router.Port) {
	middle := b.low[axis] + (b.high[axis]-b.low[axis])/2 // the last of the lower half
	other = box{slices.Clone(b.offset), slices.Clone(b.low), slices.Clone(b.high)}
	b.low, b.high = slices.Clone(b.low), slices.Clone(b.high)
	if at := b.offset[axis]; at <= middle {
		b.high[axis], other.low[axis], other.offset[axis] = middle, middle+1, middle+1
		return other, middle + 1 - at, router.Port(2 * axis)
	}
	at := b.offset[axis]
	b.low[axis], other.high[axis], other.offset[axis] = middle+1, middle, middle
	return other, at - middle, router.Port(2*axis + 1)
}

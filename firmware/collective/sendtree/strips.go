// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"cmp"
	"math"
	"slices"

	"meshwright/router"
)

// strip grows the tree for channels that work at once, in all directions: a
// node cuts, with every turn, strips off its box, one on each side along the
// longest axis, then along the next one off what is left, and so on, and sends
// each to the middle of the strip, straight ahead. share 1 makes all these, and
// what is left, equal parts. The strips of a turn, and all later ones, use
// different links or follow one another over one channel: no message waits.
func (d *doubler) strip(share float64) {
	queue := []box{d.whole()}
	for i := 0; i < len(queue); i++ {
		b := queue[i]
		from := d.node(b.offset)
		offers := d.strips(&b, share)
		slices.SortStableFunc(offers, func(a, b strip) int { return cmp.Compare(a.hand, b.hand) })
		turn := 0
		for k, o := range offers {
			if k == 0 || o.hand > offers[k-1].hand {
				turn++
			}
			d.tree.add(d.node(o.offset), from, turn, o.hops, o.port)
			queue = append(queue, o.box)
		}
	}
}

// strip is an offer of a box.
type strip struct {
	box
	hand router.Cycle // after its parent has the words
	port router.Port
	hops int
}

// strips cuts all of a box off but the node itself.
func (d *doubler) strips(b *box, share float64) []strip {
	var list []strip
	hand := make([]router.Cycle, 2*len(b.low))
	order := make([]int, len(b.low))
	for axis := range order {
		order[axis] = axis
	}
	for {
		parts := 1
		for axis, at := range b.offset {
			parts += min(1, b.high[axis]-at) + min(1, at-b.low[axis])
		}
		if parts == 1 {
			return list
		}
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.high[y]-b.low[y], b.high[x]-b.low[x]) })
		for _, axis := range order {
			extent := b.high[axis] - b.low[axis] + 1
			size := max(1, int(math.Round(share*float64(extent)/float64(parts))))
			for sign := 1; sign >= -1; sign -= 2 {
				s, ok := b.off(axis, sign, size)
				if !ok {
					continue
				}
				s.hand = hand[s.port]
				hand[s.port] += d.c.turn(d.words(s.nodes()))
				list = append(list, s)
				parts--
			}
		}
	}
}

// off cuts a strip of so many nodes, if there are, off a side of a box.
func (b *box) off(axis, sign, size int) (s strip, ok bool) {
	room := b.high[axis] - b.offset[axis]
	if sign < 0 {
		room = b.offset[axis] - b.low[axis]
	}
	if size = min(size, room); size == 0 {
		return s, false
	}
	s.box = box{slices.Clone(b.offset), slices.Clone(b.low), slices.Clone(b.high)}
	b.low, b.high = slices.Clone(b.low), slices.Clone(b.high)
	s.hops, s.port = room-size+1+(size-1)/2, router.Port(2*axis)
	s.offset[axis] += sign * s.hops
	if sign > 0 {
		b.high[axis] -= size
		s.low[axis] = b.high[axis] + 1
	} else {
		b.low[axis] += size
		s.high[axis] = b.low[axis] - 1
		s.port++
	}
	return s, true
}

// nodes counts the nodes of a box.
func (b *box) nodes() int {
	count := 1
	for axis := range b.low {
		count *= b.high[axis] - b.low[axis] + 1
	}
	return count
}

// SPDX-License-Identifier: Apache-2.0

package balanced

import "slices"

// divider divides nodes among the sides from which their blocks come, for one piece after the other.
type divider struct {
	*network
	via   []int32 // by node
	load  []int   // by side: nodes of this distance
	total []int   // by side: nodes, for all pieces
}

// divide divides the nodes at each distance, such that the most for a side are as few as possible. Where that leaves a choice, all nodes and pieces together are divided evenly.
func (d *divider) divide() []int32 {
	d.via = make([]int32, d.nodes)
	for _, layer := range d.layers[1:] {
		clear(d.load)
		for _, y := range layer {
			best := d.may[y][0]
			for _, k := range d.may[y][1:] {
				if d.lighter(k, best, 0) {
					best = k
				}
			}
			d.give(y, best)
		}
		for d.level(layer) {
		}
	}
	return d.via
}

func (d *divider) give(y, side int32) {
	d.via[y] = side
	d.load[side]++
	d.total[side]++
}

// lighter reports whether a side has less than another one would have with so many nodes fewer.
func (d *divider) lighter(a, b int32, fewer int) bool {
	return d.load[a] < d.load[b]-fewer || d.load[a] == d.load[b]-fewer && d.total[a] < d.total[b]-fewer
}

// level lets a side have one node less, and a lighter one one more: nodes move from side to side along a shortest chain. It reports false if there is no such chain.
func (d *divider) level(layer []int32) bool {
	moves := d.moves(layer)
	sides := int32(len(d.sides))
	for from := range sides {
		before := slices.Repeat([]int32{-1}, int(sides)) // by side: that from which a chain comes
		before[from] = from
		for queue := []int32{from}; len(queue) > 0; queue = queue[1:] {
			at := queue[0]
			if d.lighter(at, from, 1) {
				d.shift(moves, before, at)
				return true
			}
			for k := range sides {
				if before[k] < 0 && moves[at*sides+k] >= 0 {
					before[k] = at
					queue = append(queue, k)
				}
			}
		}
	}
	return false
}

// moves returns by side and other side a node that can move there; -1 if there is none.
func (d *divider) moves(layer []int32) []int32 {
	sides := int32(len(d.sides))
	moves := slices.Repeat([]int32{-1}, int(sides*sides))
	for _, y := range layer {
		for _, k := range d.may[y] {
			moves[d.via[y]*sides+k] = y
		}
	}
	return moves
}

// shift moves a node to a side, one from there to the next side of the chain back, and so on.
func (d *divider) shift(moves, before []int32, to int32) {
	for before[to] != to {
		from := before[to]
		d.load[from]--
		d.total[from]--
		d.give(moves[int(from)*len(d.sides)+int(to)], to)
		to = from
	}
}

// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Circle is an all-gather on any network. The nodes stand in a circle, wherever they are in the network. In step i every
// node sends to the node Apart[i] places before it all that this node lacks:
//
//	Apart           known to place 0 after each step, N = 6
//	1 1 1 1 1       01 012 0123 01234 012345        a block at a time: the ring
//	1 2 4           01 0123 012345                  doubling, near nodes first (Bruck, Ho, Kipnis, Upfal, Weathersby)
//	3 2 1           03 0235 012345                  doubling, far nodes first: long routes for short messages
//
// All places know the same blocks, counted from themselves, so one look at place 0 lists all messages.
type Circle struct {
	Order []router.NodeID // by place
	Apart []int           // by step; 1 to places-1
}

// maxRadix bounds the digits of circles that are tried, besides the number of all nodes.
const maxRadix = 4

// maxGroup bounds the groups of neighbours whose nodes go around the circle side by side.
const maxGroup = 8

// Circles returns circles to choose from, for orders of the nodes: the ring, and for each radix r from 2 to 4 those in which blocks
// grow r-fold, near nodes first and far nodes first; and groups of neighbours, whose members go around the circle side by side, before or after
// they exchange what they know.
func Circles(orders ...[]router.NodeID) (list []Circle) {
	for _, order := range orders {
		list = append(list, circles(order)...)
	}
	return list
}

func circles(order []router.NodeID) (list []Circle) {
	nodes := len(order)
	seen := map[string]bool{}
	add := func(apart []int) {
		if key := fmt.Sprint(apart); !seen[key] {
			seen[key] = true
			list = append(list, Circle{order, apart})
		}
	}
	add(slices.Repeat([]int{1}, max(0, nodes-1)))
	for radix := 2; radix <= maxRadix; radix++ {
		add(nearFirst(nodes, radix))
		add(farFirst(nodes, radix))
	}
	for size := 2; size <= maxGroup && 2*size < nodes; size++ {
		ring := slices.Repeat([]int{size}, (nodes+size-1)/size-1)
		add(append(ring, slices.Repeat([]int{1}, size-1)...))
		add(append(slices.Repeat([]int{1}, size-1), ring...))
	}
	return list
}

// nearFirst returns the distances by which runs of 1, r, r^2 … blocks become r times as long.
func nearFirst(nodes, radix int) (apart []int) {
	for run := 1; run < nodes; run *= radix {
		for digit := 1; digit < radix && digit*run < nodes; digit++ {
			apart = append(apart, run)
		}
	}
	return apart
}

// farFirst returns the distances by which blocks are first ceil(n/r) places apart, then a part of these …
func farFirst(nodes, radix int) (apart []int) {
	for run := nodes; run > 1; {
		next := (run + radix - 1) / radix
		for at := next; at < run; at += next {
			apart = append(apart, next)
		}
		run = next
	}
	return apart
}

// List lists the transfers for blocks of these lengths, by node, which follow one another in every node's memory.
func (c Circle) List(lengths []int) *transfer.List {
	nodes := len(c.Order)
	offset := make([]int, nodes+1)
	for n, length := range lengths {
		offset[n+1] = offset[n] + length
	}
	known := make([]bool, nodes) // by place, as place 0 sees it
	known[0] = true
	l := &transfer.List{Nodes: nodes}
	for step, apart := range c.Apart {
		var fresh []int // places whose blocks place 0 gets
		for x := range nodes {
			if known[x] && !known[(x+apart)%nodes] {
				fresh = append(fresh, (x+apart)%nodes)
			}
		}
		if len(fresh) == 0 {
			continue
		}
		for _, x := range fresh {
			known[x] = true
		}
		for turn := range 2 { // half-duplex nodes send in one turn and receive in the other
			for place := range c.Order {
				if place/apart%2 == turn {
					l.Transfers = append(l.Transfers, c.transfer(step, place, fresh, offset))
				}
			}
		}
	}
	return l
}

// transfer is a message of a step to a place: of the blocks at some places, as place 0 sees them.
func (c Circle) transfer(step, place int, fresh, offset []int) transfer.Transfer {
	nodes := len(c.Order)
	blocks := make([]router.NodeID, len(fresh))
	for i, x := range fresh {
		blocks[i] = c.Order[(place+x)%nodes]
	}
	slices.Sort(blocks)
	sets := make([]transfer.Set, len(blocks))
	for i, n := range blocks {
		sets[i] = transfer.Set{{From: offset[n], To: offset[n+1]}}
	}
	from := c.Order[(place+c.Apart[step])%nodes]
	return transfer.Transfer{Step: step, From: from, To: c.Order[place], Out: transfer.Join(sets...)}
}

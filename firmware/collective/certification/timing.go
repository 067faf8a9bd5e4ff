// SPDX-License-Identifier: Apache-2.0

package certification

import (
	"cmp"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/router"
)

// certTimes decides, from the shape of a tree alone, in which order a node
// sends its tokens and how long every node holds its certificate back, so that
// no two arrive at one node in a cycle.
//
// Let R(v) be the cycles from v's token to its certificate, 0 at a leaf. The
// token of child j is there j cycles after v's, and its certificate could be
// back at j + R_j + 1. Arrivals must differ: taken one a cycle in the order in
// which they can be there, the last comes as early as it can, and that is R(v).
//
// With the children in falling order of their broadcast time, which attains
// B(v) = max over j of j + B_j, R(v) <= 2 B(v): let x be the first cycle from
// which on arrivals follow one another up to the last, and child l the last of
// these in the order of tokens. Then x <= l + R_l + 1, there are at most l of
// them, and so R(v) <= x + l - 1 <= 2 l + R_l <= 2 (l + B_l) <= 2 B(v).
type certTimes struct {
	tree      *plan.GatherTree
	broadcast []int32 // B
	answer    []int32 // R
	hold      []int32 // from token to certificate, at least R
	sorted    []router.NodeID
	slots     []slot
}

// slot is a certificate in flight to its parent.
type slot struct {
	node    router.NodeID
	arrives int32 // after the parent's token
	token   int32 // arrives at the child, after the parent's
}

// newCertTimes sorts the children of every node of the tree into the order of
// the tokens: of falling broadcast time, or of falling R where that makes the
// node's own R smaller.
func newCertTimes(tree *plan.GatherTree) *certTimes {
	n := len(tree.Parent)
	c := &certTimes{tree: tree, broadcast: make([]int32, n), answer: make([]int32, n), hold: make([]int32, n)}
	for i := n - 1; i >= 0; i-- {
		at := tree.Order[i]
		children := tree.Children(at)
		c.sortBy(children, c.broadcast)
		for j, child := range children {
			c.broadcast[at] = max(c.broadcast[at], int32(j)+1+c.broadcast[child])
		}
		c.answer[at] = c.respond(children)
		c.sorted = append(c.sorted[:0], children...)
		c.sortBy(c.sorted, c.answer)
		if other := c.respond(c.sorted); other < c.answer[at] {
			c.answer[at] = other
			copy(children, c.sorted)
		} else {
			c.respond(children)
		}
		for _, s := range c.slots {
			c.hold[s.node] = s.arrives - 1 - s.token
		}
	}
	return c
}

// sortBy sorts nodes into falling order of a time, the lower number first.
func (c *certTimes) sortBy(nodes []router.NodeID, time []int32) {
	slices.SortFunc(nodes, func(a, b router.NodeID) int {
		return cmp.Or(cmp.Compare(time[b], time[a]), cmp.Compare(a, b))
	})
}

// respond times the certificates of children that get their tokens in this
// order, and returns when the last one arrives; 0 without children.
func (c *certTimes) respond(children []router.NodeID) int32 {
	c.slots = c.slots[:0]
	for j, child := range children {
		token := int32(j) + 1
		c.slots = append(c.slots, slot{child, token + c.answer[child] + 1, token})
	}
	slices.SortFunc(c.slots, func(a, b slot) int {
		return cmp.Or(cmp.Compare(a.arrives, b.arrives), cmp.Compare(a.token, b.token))
	})
	last := int32(0)
	for i := range c.slots {
		last = max(last+1, c.slots[i].arrives)
		c.slots[i].arrives = last
	}
	return last
}

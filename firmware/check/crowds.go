// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"

	"meshwright/router"
)

// crowds is the uses of nodes that have no owner, listed one by one. They may
// be as many as messages times hops, so they are made and looked at in batches
// of nodes.
type crowds struct {
	uses    *portUses
	corners []rect  // by worms that start, turn or end at the node
	batch   []int32 // by node: its batch, -1 for nodes with an owner
	batches int32
	several []int32 // of the batch at hand: rising slots by which worms pass straight through
	index   []int32 // by slot: how many of several are below
	list    []rect
	sort    *sorter
}

func newCrowds(u *portUses, corners []rect, sort *sorter) *crowds {
	c := &crowds{uses: u, corners: corners, batch: make([]int32, len(u.owner)), index: make([]int32, len(u.nodes)+1), sort: sort}
	count := make([]int, len(u.owner))
	for slot, node := range u.nodes {
		count[node] += int(u.passing[slot])
	}
	for i := range corners {
		count[corners[i].x1]++
	}
	held := 0
	for node, owner := range u.owner {
		switch {
		case owner >= 0 || count[node] == 0:
			c.batch[node] = -1
			continue
		case c.batches == 0 || held+count[node] > u.p.batch:
			c.batches++
			held = 0
		}
		held += count[node]
		c.batch[node] = c.batches - 1
	}
	return c
}

func (c *crowds) free() bool {
	for batch := range c.batches {
		if !c.points(batch, math.MaxInt64).free() {
			return false
		}
	}
	return true
}

func (c *crowds) find(to *collector) {
	for batch := range c.batches {
		c.points(batch, to.limit).find(to)
	}
}

// points returns the uses of a batch's nodes that begin before the limit.
func (c *crowds) points(batch int32, limit router.Cycle) *points {
	c.choose(batch)
	list := c.list[:0]
	for i := range c.corners {
		if use := &c.corners[i]; c.batch[use.x1] == batch && use.from < limit {
			list = append(list, *use)
		}
	}
	u := c.uses
	for i := range u.p.pieces {
		part := &u.p.pieces[i]
		if part.at >= limit {
			continue
		}
		first, last := u.straight(part)
		if first >= last {
			continue
		}
		for _, slot := range c.several[c.index[first]:c.index[last]] {
			if part.at+router.Cycle(slot-part.first)*u.p.hop >= limit {
				break // a worm reaches later slots later
			}
			list = append(list, u.at(part, slot))
		}
	}
	c.list = list
	return newPoints(u.kind, atNode, list, c.sort)
}

// choose lists the slots at contested nodes of a batch.
func (c *crowds) choose(batch int32) {
	c.several = c.several[:0]
	for slot, node := range c.uses.nodes {
		c.index[slot] = int32(len(c.several))
		if c.batch[node] == batch && c.uses.passing[slot] > 0 {
			c.several = append(c.several, int32(slot))
		}
	}
	c.index[len(c.uses.nodes)] = int32(len(c.several))
}

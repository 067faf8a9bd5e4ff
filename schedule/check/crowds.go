// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"slices"

	"meshwright/router"
)

// crowds is the uses of nodes that have no owner, listed one by one. They may
// be as many as messages times hops, so they are made and looked at in batches
// of nodes.
type crowds struct {
	uses    *portUses
	batch   []int32 // by node: its batch, -1 for nodes with an owner
	size    []int   // by batch: number of uses
	several []int32 // of the batch at hand: rising slots by which worms pass straight through
	index   []int32 // by slot: how many of several are below
	list    []rect
	sort    *sorter
}

func newCrowds(u *portUses, sort *sorter) *crowds {
	c := &crowds{uses: u, batch: make([]int32, len(u.owner)), index: make([]int32, len(u.nodes)+1), sort: sort}
	count := make([]int, len(u.owner))
	for slot, node := range u.nodes {
		count[node] += int(u.passing[slot])
	}
	for i := range u.p.pieces {
		if slot, ok := u.homeless(&u.p.pieces[i]); ok {
			count[u.nodes[slot]]++
		}
	}
	for node, owner := range u.owner {
		switch {
		case owner >= 0 || count[node] == 0:
			c.batch[node] = -1
			continue
		case len(c.size) == 0 || c.size[len(c.size)-1]+count[node] > u.p.batch:
			c.size = append(c.size, 0)
		}
		last := len(c.size) - 1
		c.size[last] += count[node]
		c.batch[node] = int32(last)
	}
	return c
}

func (c *crowds) free() bool {
	defer c.release()
	for batch := range c.size {
		if !c.points(int32(batch), math.MaxInt64).free() {
			return false
		}
	}
	return true
}

func (c *crowds) find(to *collector) {
	defer c.release()
	for batch := range c.size {
		c.points(int32(batch), to.limit).find(to)
	}
}

// release gives the list's memory back: the next search may be far off.
func (c *crowds) release() { c.list = nil }

// points returns the uses of a batch's nodes that begin before the limit.
func (c *crowds) points(batch int32, limit router.Cycle) *points {
	c.choose(batch)
	list := slices.Grow(c.list[:0], c.size[batch])
	u := c.uses
	for i := range u.p.pieces {
		part := &u.p.pieces[i]
		if part.at >= limit {
			continue
		}
		if slot, ok := u.homeless(part); ok && c.batch[u.nodes[slot]] == batch {
			if use := u.at(part, slot); use.from < limit {
				list = append(list, use)
			}
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

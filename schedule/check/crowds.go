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
	early   []int32 // pieces that begin before the limit of the last batch, when that was one
	limit   router.Cycle
	list    []rect
	sort    *sorter
}

func newCrowds(u *portUses, sort *sorter) *crowds {
	c := &crowds{uses: u, batch: make([]int32, len(u.owner)), index: make([]int32, len(u.nodes)+1), limit: math.MaxInt64, sort: sort}
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

func (c *crowds) free(e effort) bool {
	defer c.release()
	rule := c.rule()
	for batch := range c.size {
		if e.ctx.Err() != nil || !rule.free(c.points(int32(batch), math.MaxInt64)) {
			return false
		}
	}
	return true
}

func (c *crowds) rule() pointRule { return pointRule{kind: c.uses.kind, place: atNode} }

func (c *crowds) find(_ effort, to *collector) {
	defer c.release()
	rule := c.rule()
	for batch := range c.size {
		rule.find(c.points(int32(batch), to.limit), to)
	}
}

// release gives the list's memory back: the next search may be far off.
func (c *crowds) release() { c.list, c.early, c.limit = nil, nil, math.MaxInt64 }

// points returns the uses of a batch's nodes that begin before the limit, by node, then by start.
func (c *crowds) points(batch int32, limit router.Cycle) []rect {
	c.choose(batch)
	c.list = slices.Grow(c.list[:0], c.size[batch])
	c.before(limit)
	if c.limit == math.MaxInt64 {
		for i := range c.uses.p.pieces {
			c.add(batch, &c.uses.p.pieces[i], limit)
		}
	} else {
		for _, i := range c.early {
			c.add(batch, &c.uses.p.pieces[i], limit)
		}
	}
	return c.sort.byGroupAndStart(c.list, func(r *rect) int32 { return r.x1 })
}

// before finds the pieces that begin before a limit, which only ever falls.
func (c *crowds) before(limit router.Cycle) {
	if limit >= c.limit {
		return
	}
	pieces := c.uses.p.pieces
	if c.limit == math.MaxInt64 {
		for i := range pieces {
			if pieces[i].at < limit {
				c.early = append(c.early, int32(i))
			}
		}
	} else {
		c.early = slices.DeleteFunc(c.early, func(i int32) bool { return pieces[i].at >= limit })
	}
	c.limit = limit
}

// add adds the uses of a batch's nodes by a piece that begin before the limit.
func (c *crowds) add(batch int32, part *piece, limit router.Cycle) {
	u := c.uses
	if slot, ok := u.homeless(part); ok && c.batch[u.nodes[slot]] == batch {
		if use := u.at(part, slot); use.from < limit {
			c.list = append(c.list, use)
		}
	}
	first, last := u.straight(part)
	if first >= last {
		return
	}
	for _, slot := range c.several[c.index[first]:c.index[last]] {
		if part.at+router.Cycle(slot-part.first)*u.p.hop >= limit {
			break // a worm reaches later slots later
		}
		c.list = append(c.list, u.at(part, slot))
	}
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

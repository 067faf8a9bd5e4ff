// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"sort"

	"meshwright/internal/parallel"
	"meshwright/router"
	"meshwright/schedule"
)

// holders know who uses some things, as cells know until when. They tell a collector of all pairs that collide.
type holders struct {
	p        *plan
	to       *collector
	since    router.Cycle // the first cycle whose collisions it wants to know
	at       func(i int32) (router.Conflict, place)
	twoSided bool        // uses of one thing do not collide with each other, but with those of another
	last     []int32     // by thing: the piece of the last use, crowded if others have not ended when it begins
	crowds   [][]holding // by thing that is crowded: the uses that had not ended when the last one began
}

// holding is a use by a piece, up to a cycle.
type holding struct {
	part int32
	to   router.Cycle
}

const crowded int32 = -1

// holders returns those of a window's cells, nil if nobody wants to know.
func (w *window) holders(at func(i int32) (router.Conflict, place)) *holders {
	if w.pairs == nil {
		return nil
	}
	return &holders{p: w.p, to: w.pairs, since: w.since, at: at}
}

// reserve makes room for n things.
func (h *holders) reserve(n int) {
	if h != nil {
		h.last, h.crowds = make([]int32, n), make([][]holding, n)
	}
}

// hold adds a use of thing i. All uses before it end by cycle until.
func (h *holders) hold(i, part int32, from, to, until router.Cycle) {
	switch {
	case until <= from:
		h.last[i] = part
		return
	case from >= h.to.limit: // as all later ones: nobody wants to know
		return
	}
	if h.twoSided {
		h.drop(i, from, until)
	} else {
		h.meet(i, part, from, until)
	}
	h.crowds[i] = append(h.crowds[i], holding{part, to})
}

// meet tells of the collisions of a piece that begins to use thing i, or its other side, with those that do.
func (h *holders) meet(i, part int32, from, until router.Cycle) {
	if from >= h.to.limit {
		return
	}
	h.drop(i, from, until)
	if from < h.since {
		return
	}
	kind, at := h.at(i)
	for _, other := range h.crowds[i] {
		h.to.add(found{from, kind, at}, h.p.pieces[other.part].row, h.p.pieces[part].row)
	}
}

// drop leaves the uses of thing i that have not ended.
func (h *holders) drop(i int32, now, until router.Cycle) {
	list := h.crowds[i]
	if h.last[i] != crowded {
		list = append(list[:0], holding{h.last[i], until})
		h.last[i] = crowded
	}
	kept := list[:0]
	for _, use := range list {
		if use.to > now {
			kept = append(kept, use)
		}
	}
	h.crowds[i] = kept
}

func (p *plan) linkAt(slot int32) (router.Conflict, place) {
	return router.LinkConflict, p.atLink(slot)
}

// atHalf is about cells 2v and 2v+1: what node v receives and sends.
func (p *plan) atHalf(half int32) (router.Conflict, place) {
	if half&1 == 0 {
		return router.ReceiveConflict, atNode(half >> 1)
	}
	return router.SendConflict, atNode(half >> 1)
}

func (p *plan) channelAt(slot int32) (router.Conflict, place) {
	return schedule.InjectionConflict, place{p.lines.tail[slot], -1}
}

func (p *plan) channelOf(node int32) (router.Conflict, place) {
	return schedule.InjectionConflict, atNode(node)
}

func (p *plan) ejectionAt(node int32) (router.Conflict, place) {
	return router.EjectConflict, atNode(node)
}

func (p *plan) faceAt(side int32) (router.Conflict, place) {
	return router.DuplexConflict, atNode(side >> 1)
}

// find hands what collides to the collector, up to its limit. To count, it walks through several windows at the same
// time; to name, in one only, so that the result does not depend on the number of workers.
func (w *walk) find(e effort, c *collector) {
	all := *w
	all.inject = true // a link that implies it has another name
	windows := []*window{{walk: &all, to: math.MaxInt64, pairs: c}}
	whole := &sharedTally{to: c}
	if c.tally != nil {
		windows = all.overlapping(whole)
	}
	_ = parallel.Each(e.ctx, e.phase, len(windows), len(windows), func() func(int) error { // its error is the context's
		return func(i int) error { return windows[i].run(e.ctx) }
	})
	for _, part := range windows {
		if part.pairs != c {
			part.pairs.flush()
		}
	}
}

// overlapping returns windows that begin so early that they see all uses which have not ended when it is their turn to
// tell of collisions; one window, if the others would be longer for it than they are.
func (w *walk) overlapping(whole *sharedTally) []*window {
	longest, rows := router.Cycle(0), w.p.rows
	for row := range rows {
		longest = max(longest, w.p.span(int32(row)), w.p.hold(int32(row)))
	}
	windows := w.windows()
	if last := rows[len(rows)-1].dispatch; w.p.windows == 0 && longest*router.Cycle(len(windows)) > last {
		windows = []*window{{walk: w, to: math.MaxInt64}}
	}
	for _, part := range windows {
		part.pairs = whole.part()
		if part.since = part.from; part.from > 0 {
			part.from = max(0, part.from-longest)
			part.begin = sort.Search(len(rows), func(i int) bool { return rows[i].dispatch >= part.from })
		}
	}
	return windows
}

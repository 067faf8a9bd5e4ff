// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"slices"
	"sync"

	"meshwright/router"
)

// joinUses replaces the busy times of links on which worms overlap: several that
// want a link in the same cycle make it busy once. In the frame t - h·x a worm
// wants the same cycles of every slot of its piece; so a sweep along a line that
// keeps the union of the intervals of the worms at hand gives every slot's time.
func (p *plan) joinUses(e effort, links []LinkUse) {
	cut := p.stripes()
	var joiners []*joiner
	var lock sync.Mutex
	e.all(cut.begin, func() func(int) bool {
		j := &joiner{stripes: cut, change: make([]router.Cycle, len(p.lines.line)+1)}
		lock.Lock()
		joiners = append(joiners, j)
		lock.Unlock()
		return j.join
	})
	busy := router.Cycle(0)
	for slot, link := range p.lines.link {
		for _, j := range joiners {
			busy += j.change[slot]
		}
		links[link].Busy = uint64(busy)
	}
}

// joiner joins the uses of stripes.
type joiner struct {
	*stripes
	change []router.Cycle // by slot: of the busy time from the slot before
	list   []rect
	sort   sorter
}

// join adds the busy times of a stripe; it always returns true.
func (j *joiner) join(stripe int) bool {
	j.list = j.rects(j.list[:0], stripe)
	of := j.cycles(stripe)
	for i := range j.list {
		r := &j.list[i]
		r.from, r.to = max(r.from, of.from), min(r.to, of.to)
	}
	list := j.sort.byStart(j.list)
	for first := 0; first < len(list); {
		end := clump(list, first)
		if end-first <= few {
			j.cover(list[first:end], rect{from: math.MinInt64, to: math.MaxInt64, x2: math.MaxInt32}, 1)
		} else {
			joinClump(list[first:end], j.change)
		}
		first = end
	}
	return true
}

// few is the largest clump that is joined by inclusion and exclusion.
const few = 8

// cover adds what some rectangles have in common with another one: each of them, less what two have in common, plus
// what three have, and so on.
func (j *joiner) cover(list []rect, of rect, sign router.Cycle) {
	for i := range list {
		r := &list[i]
		both := rect{from: max(r.from, of.from), to: min(r.to, of.to), x1: max(r.x1, of.x1), x2: min(r.x2, of.x2)}
		if both.from >= both.to || both.x1 >= both.x2 {
			continue
		}
		j.change[both.x1] += sign * (both.to - both.from)
		j.change[both.x2] -= sign * (both.to - both.from)
		j.cover(list[i+1:], both, -sign)
	}
}

// clump returns the end of the rectangles, sorted by start, from the first on that are not
// before or after the others: the next one starts when all of them have ended.
func clump(list []rect, first int) int {
	until, end := list[first].to, first+1
	for ; end < len(list) && list[end].from < until; end++ {
		until = max(until, list[end].to)
	}
	return end
}

// joinClump adds what a clump is busy to the changes between slots.
func joinClump(list []rect, change []router.Cycle) {
	enter, leave := make([]int32, len(list)), make([]int32, len(list))
	for i := range list {
		enter[i], leave[i] = int32(i), int32(i)
	}
	slices.SortFunc(enter, func(a, b int32) int { return int(list[a].x1) - int(list[b].x1) })
	slices.SortFunc(leave, func(a, b int32) int { return int(list[a].x2) - int(list[b].x2) })
	u, busy := newUnion(list), router.Cycle(0)
	for len(leave) > 0 {
		slot := list[leave[0]].x2
		if len(enter) > 0 {
			slot = min(slot, list[enter[0]].x1)
		}
		for ; len(enter) > 0 && list[enter[0]].x1 == slot; enter = enter[1:] {
			u.add(&list[enter[0]], 1)
		}
		for ; len(leave) > 0 && list[leave[0]].x2 == slot; leave = leave[1:] {
			u.add(&list[leave[0]], -1)
		}
		change[slot] += u.length[1] - busy
		busy = u.length[1]
	}
}

// union is the length of the union of intervals that come and go: a tree whose
// nodes have the elementary intervals between ends, and count the intervals that
// cover all of theirs and not all of their parent's.
type union struct {
	ends   []router.Cycle
	count  []int32
	length []router.Cycle
}

// newUnion returns an empty union for intervals of the list.
func newUnion(list []rect) *union {
	u := &union{ends: make([]router.Cycle, 0, 2*len(list))}
	for i := range list {
		u.ends = append(u.ends, list[i].from, list[i].to)
	}
	slices.Sort(u.ends)
	u.ends = slices.Compact(u.ends)
	u.count, u.length = make([]int32, 4*len(u.ends)), make([]router.Cycle, 4*len(u.ends))
	return u
}

// add lets the interval of a use come, by 1, or go, by -1.
func (u *union) add(r *rect, by int32) {
	from, _ := slices.BinarySearch(u.ends, r.from)
	to, _ := slices.BinarySearch(u.ends, r.to)
	u.change(1, 0, len(u.ends)-1, from, to, by)
}

// change does so below a node with the elementary intervals low to high-1.
func (u *union) change(node, low, high, from, to int, by int32) {
	switch {
	case to <= low || high <= from:
		return
	case from <= low && high <= to:
		u.count[node] += by
	default:
		middle := (low + high) / 2
		u.change(2*node, low, middle, from, to, by)
		u.change(2*node+1, middle, high, from, to, by)
	}
	switch {
	case u.count[node] > 0:
		u.length[node] = u.ends[high] - u.ends[low]
	case high-low > 1:
		u.length[node] = u.length[2*node] + u.length[2*node+1]
	default:
		u.length[node] = 0
	}
}

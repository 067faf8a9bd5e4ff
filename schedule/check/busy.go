// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"slices"

	"meshwright/router"
)

// joinUses replaces the busy times of links on which worms overlap: several that
// want a link in the same cycle make it busy once. In the frame t - h·x a worm
// wants the same cycles of every slot of its piece; so a sweep along a line that
// keeps the union of the intervals of the worms at hand gives every slot's time.
func (p *plan) joinUses(links []LinkUse) {
	sort := &sorter{}
	uses := p.linkUses(sort).(*lineUses)
	change := make([]router.Cycle, len(p.lines.line)+1) // of the busy time from the slot before
	var list []rect
	for line := range p.lines.rings {
		list = sort.byStart(uses.rects(list[:0], line, math.MaxInt64))
		for first := 0; first < len(list); {
			end := clump(list, first)
			joinClump(list[first:end], change)
			first = end
		}
	}
	busy := router.Cycle(0)
	for slot, link := range p.lines.link {
		busy += change[slot]
		links[link].Busy = uint64(busy)
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
	if len(list) == 1 {
		change[list[0].x1] += list[0].to - list[0].from
		change[list[0].x2] -= list[0].to - list[0].from
		return
	}
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

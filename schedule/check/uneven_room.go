// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"slices"
	"sort"

	"meshwright/router"
)

// visit is a message in the buffer behind a link, from the cycle in which its head is let onto the link: its k-th.
type visit struct {
	row int
	k   int
}

// times returns when the flits of a visit take a place in the buffer, and when they leave it.
func (u *uneven) times(v visit) (in, out []router.Cycle) {
	c := &u.courses[v.row]
	return c.crossed(v.k), c.crossed(v.k + 1)
}

// findFull hands messages of which a flit finds no room in a buffer to a collector, with the last message that has some of it. A message that
// is alone finds room at the times of its course; so only flits that are left from messages before can take it.
func (u *uneven) findFull(e effort, c *collector) {
	visits := make(map[channel][]visit)
	for row := range u.courses {
		for k, l := range u.courses[row].links {
			visits[l] = append(visits[l], visit{row, k})
		}
	}
	for l, list := range visits {
		if e.ctx.Err() != nil || c.more && c.tally != nil {
			return
		}
		slices.SortStableFunc(list, func(a, b visit) int {
			x, _ := u.times(a)
			y, _ := u.times(b)
			return cmp.Compare(x[0], y[0])
		})
		var before []visit
		for _, v := range list {
			in, _ := u.times(v)
			before = slices.DeleteFunc(before, func(w visit) bool {
				_, out := u.times(w)
				return out[len(out)-1] < in[0]
			})
			if cycle, by, full := u.full(before, v, 0); full {
				c.add(found{cycle, BufferConflict, u.atLink(l.slot)}, int32(before[by].row), int32(v.row))
			}
			before = append(before, v)
		}
	}
}

// full returns the first cycle in which a flit of a visit, so many cycles later, finds no room besides those of visits before it, and the last of these
// that has a flit there.
func (u *uneven) full(before []visit, v visit, delay router.Cycle) (cycle router.Cycle, by int, full bool) {
	if len(before) == 0 {
		return 0, 0, false
	}
	in, out := u.times(v)
	for i, at := range in {
		cycle = at + delay
		held, by := i-left(out, at), -1
		for n, w := range before {
			if others := u.held(w, cycle); others > 0 {
				held += others
				by = n
			}
		}
		if by < 0 && i > 0 {
			return 0, 0, false
		}
		if by >= 0 && held >= u.m.Buffer {
			return cycle, by, true
		}
	}
	return 0, 0, false
}

// held returns how many flits of a visit have a place in the buffer at the beginning of a cycle.
func (u *uneven) held(v visit, cycle router.Cycle) int {
	in, out := u.times(v)
	return left(in, cycle) - left(out, cycle)
}

// left counts the times before a cycle.
func left(times []router.Cycle, cycle router.Cycle) int {
	return sort.Search(len(times), func(i int) bool { return times[i] >= cycle })
}

// smallestDelay returns the smallest delay of row b, at least 1, that clears it of row a, which is dispatched no later.
func (u *uneven) smallestDelay(a, b int) router.Cycle {
	byThing := func(x, y use) int { return cmp.Or(cmp.Compare(x.thing, y.thing), cmp.Compare(x.from, y.from)) }
	first, second := u.appendUses(nil, a), u.appendUses(nil, b)
	slices.SortFunc(first, byThing)
	slices.SortFunc(second, byThing)
	for delay := router.Cycle(1); ; {
		switch next := u.clear(first, second, delay); {
		case next > delay:
			delay = next
		case u.crowded(a, b, delay):
			delay++
		default:
			return delay
		}
	}
}

// clear returns the delay of the uses of a second message with which none of those overlaps that do so now; the same delay if none does. Both are
// sorted by thing and time.
func (u *uneven) clear(first, second []use, delay router.Cycle) router.Cycle {
	next, i := delay, 0
	for _, y := range second {
		for i < len(first) && (first[i].thing < y.thing || first[i].thing == y.thing && first[i].to <= y.from+delay && y.thing < u.things.interfaces) {
			i++
		}
		for k := i; k < len(first) && first[k].thing == y.thing && first[k].from < y.to+delay; k++ {
			if x := &first[k]; x.to > y.from+delay && x.meets(&y, &u.things) {
				next = max(next, x.to-y.from)
			}
		}
	}
	return next
}

// crowded reports whether flits of one of two messages find no room because of the other one, where the second is so much later.
func (u *uneven) crowded(a, b int, delay router.Cycle) bool {
	for k, l := range u.courses[a].links {
		for n, m := range u.courses[b].links {
			if l != m {
				continue
			}
			va, vb := visit{a, k}, visit{b, n}
			ina, _ := u.times(va)
			inb, _ := u.times(vb)
			var full bool
			if ina[0] <= inb[0]+delay {
				_, _, full = u.full([]visit{va}, vb, delay)
			} else {
				_, _, full = u.full([]visit{vb}, va, -delay)
			}
			if full {
				return true
			}
		}
	}
	return false
}

// SPDX-License-Identifier: Apache-2.0

package booking

import (
	"cmp"
	"slices"

	"meshwright/router"
)

// Interval is the cycles From to To-1.
type Interval struct{ From, To router.Cycle }

// Calendar is the reserved intervals of one thing in rising order, apart; nil:
// everything is free.
type Calendar []Interval

// firstFree returns the first cycle, not before at, from which on the calendar is free
// for so long. The search begins at interval near-1, if that is known not to be behind it; near is 0 otherwise. The second result is near for a later cycle.
func (c Calendar) firstFree(at, long router.Cycle, near int) (free router.Cycle, nearer int) {
	if last := len(c) - 1; last < 0 || c[last].To <= at {
		return at, len(c) // most messages come behind all others
	}
	k := c.endsAfter(at, near)
	for ; k < len(c) && c[k].From < at+long; k++ {
		at = c[k].To
	}
	return at, k + 1
}

// endsAfter returns the first interval that ends after a cycle. There is one. From interval near-1 on it looks in ever larger steps, and then between the last two.
func (c Calendar) endsAfter(at router.Cycle, near int) int {
	low, high := 0, len(c)
	if near > 0 {
		low, high = near-1, near-1
		for step := 1; high < len(c) && c[high].To <= at; step *= 2 {
			low, high = high+1, high+step
		}
		high = min(high, len(c))
	}
	for low < high {
		if middle := int(uint(low+high) / 2); c[middle].To <= at {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// reserve enters an interval; neighbouring ones become one.
func (c *Calendar) reserve(add Interval) {
	if last := len(*c) - 1; last < 0 || (*c)[last].To < add.From {
		*c = append(*c, add)
		return
	}
	k, _ := slices.BinarySearchFunc(*c, add.From, func(t Interval, from router.Cycle) int { return cmp.Compare(t.To, from) })
	end := k
	for end < len(*c) && (*c)[end].From <= add.To {
		add.From, add.To = min(add.From, (*c)[end].From), max(add.To, (*c)[end].To)
		end++
	}
	*c = slices.Replace(*c, k, end, add)
}

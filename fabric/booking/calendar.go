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
// for so long.
func (c Calendar) firstFree(at, long router.Cycle) router.Cycle {
	if last := len(c) - 1; last < 0 || c[last].To <= at {
		return at // most messages come behind all others
	}
	k, _ := slices.BinarySearchFunc(c, at, func(t Interval, at router.Cycle) int {
		return cmp.Compare(t.To, at+1) // the first that ends after at
	})
	for ; k < len(c) && c[k].From < at+long; k++ {
		at = c[k].To
	}
	return at
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

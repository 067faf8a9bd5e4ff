// SPDX-License-Identifier: Apache-2.0

// Package calendar remembers when something is taken.
package calendar

import (
	"cmp"
	"slices"

	"meshwright/router"
)

// Interval is the cycles From to To-1.
type Interval struct{ From, To router.Cycle }

// Calendar is intervals in rising order, apart; nil: nothing is taken.
type Calendar []Interval

// Clear returns the first cycle from at on from which nothing is taken for so long.
func (c Calendar) Clear(at, long router.Cycle) router.Cycle {
	k, _ := slices.BinarySearchFunc(c, at, func(t Interval, at router.Cycle) int {
		return cmp.Compare(t.To, at+1) // the first that ends after at
	})
	for ; k < len(c) && c[k].From < at+long; k++ {
		at = c[k].To
	}
	return at
}

// Take enters an interval; neighbouring ones become one.
func (c *Calendar) Take(add Interval) {
	k, _ := slices.BinarySearchFunc(*c, add.From, func(t Interval, from router.Cycle) int { return cmp.Compare(t.To, from) })
	end := k
	for end < len(*c) && (*c)[end].From <= add.To {
		add.From, add.To = min(add.From, (*c)[end].From), max(add.To, (*c)[end].To)
		end++
	}
	*c = slices.Replace(*c, k, end, add)
}

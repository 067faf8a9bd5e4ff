// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"slices"

	"meshwright/router"
)

// interval is the cycles from from to to-1.
type interval struct{ from, to router.Cycle }

// calendar is when something is taken: intervals in rising order, apart.
type calendar []interval

// clear returns the first cycle from at on from which nothing is taken for so long.
func (c calendar) clear(at, long router.Cycle) router.Cycle {
	k, _ := slices.BinarySearchFunc(c, at, func(t interval, at router.Cycle) int {
		return cmp.Compare(t.to, at+1) // the first that ends after at
	})
	for ; k < len(c) && c[k].from < at+long; k++ {
		at = c[k].to
	}
	return at
}

// take enters an interval; neighbouring ones become one.
func (c *calendar) take(add interval) {
	k, _ := slices.BinarySearchFunc(*c, add.from, func(t interval, from router.Cycle) int { return cmp.Compare(t.to, from) })
	end := k
	for end < len(*c) && (*c)[end].from <= add.to {
		add.from, add.to = min(add.from, (*c)[end].from), max(add.to, (*c)[end].to)
		end++
	}
	*c = slices.Replace(*c, k, end, add)
}

// SPDX-License-Identifier: Apache-2.0

package booking_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/booking"
	"meshwright/router"
)

// TestCalendarAgainstCells keeps every single cycle beside the intervals.
func TestCalendarAgainstCells(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var c booking.Calendar
		var taken [200]bool
		for range 20 {
			at, long := router.Cycle(random.IntN(60)), router.Cycle(1+random.IntN(5))
			want := at
			for i := router.Cycle(0); i < long; i++ {
				if taken[want+i] {
					want, i = want+i+1, -1
				}
			}
			use := []booking.Use{{Calendar: &c, Long: long}}
			got := booking.Earliest(use, at)
			require.Equal(t, want, got, "seed %d", seed)
			booking.Reserve(use, got)
			for i := range long {
				taken[got+i] = true
			}
		}
		for i := 1; i < len(c); i++ {
			require.Less(t, c[i-1].To, c[i].From, "apart and in order")
		}
	}
}

// A message with many uses, of calendars in pieces, goes at the first cycle in which all are free.
func TestEarliestAgainstCells(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		const cycles = 3000
		calendars, taken := make([]booking.Calendar, 1+random.IntN(40)), make([][cycles]bool, 40)
		for range 30 {
			var uses []booking.Use
			var of []int
			for range 1 + random.IntN(2*len(calendars)) {
				c := random.IntN(len(calendars))
				of = append(of, c)
				uses = append(uses, booking.Use{Calendar: &calendars[c], At: router.Cycle(random.IntN(9)), Long: router.Cycle(1 + random.IntN(6))})
			}
			free := func(start router.Cycle) bool {
				for i, u := range uses {
					for x := range u.Long {
						if taken[of[i]][start+u.At+x] {
							return false
						}
					}
				}
				return true
			}
			from := router.Cycle(random.IntN(50))
			want := from
			for !free(want) {
				want++
			}
			require.Equal(t, want, booking.Earliest(uses, from), "seed %d", seed)
			uses, of = uses[:1], of[:1] // calendars have no two uses at once
			booking.Reserve(uses, want)
			for x := range uses[0].Long {
				taken[of[0]][want+uses[0].At+x] = true
			}
		}
	}
}

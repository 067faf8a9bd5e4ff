// SPDX-License-Identifier: Apache-2.0

package booking_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/booking"
	"meshwright/router"
)

// TestAgainstCells keeps every single cycle beside the intervals.
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

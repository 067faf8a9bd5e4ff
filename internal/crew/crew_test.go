// SPDX-License-Identifier: Apache-2.0

package crew

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every piece is done once, in every call, whatever the number of workers.
func TestEveryPieceIsDoneOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		c := New(workers)
		for call := range 200 {
			pieces := call % 17
			done := make([]int, pieces)
			c.Do(pieces, func(i int) { done[i]++ })
			for i, times := range done {
				require.Equal(t, 1, times, "%d workers, call %d, piece %d of %d", workers, call, i, pieces)
			}
		}
		c.Close()
	}
}

// Workers that sleep are woken.
func TestSleepersWake(t *testing.T) {
	c := New(4)
	defer c.Close()
	sum := make([]int, 8)
	for range 5 {
		c.Do(8, func(i int) { sum[i]++ })
		time.Sleep(5 * time.Millisecond)
	}
	require.Equal(t, []int{5, 5, 5, 5, 5, 5, 5, 5}, sum)
}

func TestClosedCrewsEnd(t *testing.T) {
	for range 100 {
		c := New(3)
		c.Do(3, func(int) {})
		c.Close()
	}
}

// Every piece has both turns in every call, the second after the first turns of its neighbours.
func TestTurnsComeAfterThoseOfNeighbours(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		c := New(workers)
		for call := range 100 {
			pieces := call % 17
			advanced, settled := make([]atomic.Int64, pieces+2), make([]int, pieces)
			for _, end := range []int{0, pieces + 1} {
				advanced[end].Store(1)
			}
			ready := func(i int) bool {
				return advanced[i].Load() == 1 && advanced[i+1].Load() == 1 && advanced[i+2].Load() == 1
			}
			c.DoInTurn(pieces, func(i int) { advanced[i+1].Add(1) }, ready, func(i int) {
				settled[i]++
			})
			for i, times := range settled {
				require.Equal(t, int64(1), advanced[i+1].Load(), "%d workers, call %d, piece %d of %d", workers, call, i, pieces)
				require.Equal(t, 1, times, "%d workers, call %d, piece %d of %d", workers, call, i, pieces)
			}
		}
		c.Close()
	}
}

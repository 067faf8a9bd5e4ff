// SPDX-License-Identifier: Apache-2.0

package parallel_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/parallel"
	"meshwright/internal/progress"
)

func TestEachPieceIsDoneOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, count := range []int{0, 1, 3, 100} {
			done := make([]int, count)
			phase := progress.Begin(t.Context(), "count", count)
			require.NoError(t, parallel.Each(t.Context(), phase, workers, count, func() func(int) error {
				return func(piece int) error { done[piece]++; return nil }
			}))
			ended, _, _ := phase.State()
			require.Equal(t, count, ended)
			for _, times := range done {
				require.Equal(t, 1, times)
			}
		}
	}
}

func TestFailuresAndEnds(t *testing.T) {
	broken := errors.New("broken")
	phase := progress.Begin(t.Context(), "fail", 0)
	err := parallel.Each(t.Context(), phase, 2, 50, func() func(int) error {
		return func(piece int) error {
			if piece == 20 {
				return broken
			}
			return nil
		}
	})
	require.ErrorIs(t, err, broken)

	ctx, cancel := context.WithCancel(t.Context())
	var pieces atomic.Int64
	err = parallel.Each(ctx, phase, 2, 1<<30, func() func(int) error {
		return func(int) error {
			if pieces.Add(1) >= 10 {
				cancel() // by whichever worker is first: the other one may be late
				<-ctx.Done()
			}
			return nil
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.LessOrEqual(t, pieces.Load(), int64(11), "each worker ends with the piece at hand")
}

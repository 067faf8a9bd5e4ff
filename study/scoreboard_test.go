// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
	"meshwright/study"
)

// Our all-gathers take no longer than the published ones, which are at the bound, in the cost models of their
// sources: the bound comes out at the published times only if the models are the same.
func TestScoreboardOfAllGathers(t *testing.T) {
	board := study.Scoreboard{Groups: []string{"tacos", "te-ccl"}}
	scores, err := board.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, scores, 11)
	for _, s := range scores {
		require.InDelta(t, s.Theirs, s.Bound, 0.01, s.Case)
		require.InDelta(t, s.Bound, s.Ours, 0.01, s.Case)
	}
}

// The default allreduce is never slower than the fastest of the published algorithms.
func TestScoreboardOfAllreduces(t *testing.T) {
	board := study.Scoreboard{Groups: []string{"allreduce"}, Side: soak.Number(2, 4), Bytes: soak.Some(2, []int{32, 128 << 10, 512 << 20})}
	scores, err := board.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, scores, len(board.Bytes))
	shortest, longest := scores[0], scores[len(scores)-1]
	require.Equal(t, fmt.Sprintf("torus:%dx%[1]d, 32 B", board.Side), shortest.Case)
	require.Equal(t, fmt.Sprintf("torus:%dx%[1]d, 512 MiB", board.Side), longest.Case)
	for _, s := range scores {
		require.LessOrEqual(t, s.Ours, s.Theirs, s.Case)
		require.GreaterOrEqual(t, s.Ours, s.Bound, s.Case)
	}
	require.LessOrEqual(t, shortest.Ours, 1.1*shortest.Bound, "the shortest vector")
	require.LessOrEqual(t, longest.Ours, 1.01*longest.Bound, "the longest vector")
}

// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

func TestRecord(t *testing.T) {
	r := Record{From: 10}
	_, _, ok := r.Span()
	require.False(t, ok, "nothing happened")
	r.Arrive(1, 3) // before the first cycle of interest
	r.Arrive(1, 12)
	r.Leave(1, 14)
	r.Arrive(2, 13)
	r.Leave(2, 13) // it does not wait
	r.Leave(1, 11)
	first, last, ok := r.Span()
	require.True(t, ok)
	require.Equal(t, []router.Cycle{10, 14}, []router.Cycle{first, last})
	walk := r.Walk()
	var waiting []int
	for cycle := router.Cycle(10); cycle < 17; cycle++ {
		walk.To(cycle)
		waiting = append(waiting, walk.At(1))
		require.Zero(t, walk.At(2))
	}
	require.Equal(t, []int{1, 1, 0, 1, 1, 0, 0}, waiting)

	r.Arrive(2, 20) // it never leaves
	_, last, _ = r.Span()
	require.Equal(t, router.Cycle(21), last)
	r.Drop()
	_, _, ok = r.Span()
	require.False(t, ok)
}

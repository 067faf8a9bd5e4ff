// SPDX-License-Identifier: Apache-2.0

package sweep_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study/sweep"
)

// A sweep of some places, in shards, has their points.
func TestPlaces(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "places")
	var text bytes.Buffer
	require.NoError(t, sweep.WritePlaces(&text, []int{1, 3, 4, 8}))
	require.NoError(t, os.WriteFile(path, text.Bytes(), 0o644))
	places, err := sweep.ReadPlaces(path)
	require.NoError(t, err)
	require.Equal(t, []int{1, 3, 4, 8}, places)
	s := begin(t, filepath.Join(dir, "s.db"), 3)
	for i := range 2 { // places 1 and 4, places 3 and 8
		s.Places, s.Shard = places, sweep.Shard{Index: i + 1, Count: 2}
		require.Equal(t, 2, s.Shard.Size(len(places)))
		summary, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{2, 0, 2, i}, []int{summary.Points, summary.There, summary.Computed, summary.Failed}, "place 8 fails")
	}
	rows, err := s.Store.Rows(t.Context(), "s")
	require.NoError(t, err)
	require.Equal(t, places, slices.Sorted(maps.Keys(rows)))
	require.NoError(t, os.WriteFile(path, []byte("3\n3\n"), 0o644))
	_, err = sweep.ReadPlaces(path)
	require.EqualError(t, err, path+`:2: "3" (expected the places of points, from 0 and rising, one a line)`)
}

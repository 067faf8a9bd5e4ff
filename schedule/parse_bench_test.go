// SPDX-License-Identifier: Apache-2.0

package schedule_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
	"meshwright/schedule"
)

// BenchmarkRead reads a schedule of a million messages from a file.
func BenchmarkRead(b *testing.B) {
	s := &schedule.Schedule{}
	for i := range 1_000_000 {
		s.Rows = append(s.Rows, schedule.Row{
			Message: int32(i), Source: router.NodeID(i % 1000), Destination: router.NodeID((i + 1) % 1000), Flits: 1 + i%16, Dispatch: router.Cycle(10 * i),
		})
	}
	file := filepath.Join(b.TempDir(), "schedule.csv")
	f, err := os.Create(file)
	require.NoError(b, err)
	require.NoError(b, s.Write(f))
	require.NoError(b, f.Close())
	b.ReportAllocs()
	for b.Loop() {
		got, err := schedule.Read(file)
		require.NoError(b, err)
		require.Len(b, got.Rows, len(s.Rows))
	}
}

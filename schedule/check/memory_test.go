// SPDX-License-Identifier: Apache-2.0

package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/internal/memory"
	"meshwright/schedule"
)

// A check that needs too much memory is refused before it starts. The error names
// the check and the estimate of its memory.
func TestTooLargeIsForeseen(t *testing.T) {
	ctx := memory.With(t.Context(), memory.KB) // less than any process takes
	ring, s := parse(t, "ring:4", "0,0,1,1,0 1,1,2,1,0")
	packets, err := machine.Preset("store-forward")
	require.NoError(t, err)
	wormhole, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for _, row := range []struct {
		what string
		job  func() error
	}{
		{"a check of 2 messages needs about", func() error {
			_, err := Check(s, ring, with(t), Under(ctx))
			return err
		}},
		{"a check of 2 packets needs about", func() error {
			_, err := Packets(s, ring, packets, Under(ctx))
			return err
		}},
		{"a schedule of 2 messages on ring:4 needs about", func() error {
			_, err := schedule.Execute(ctx, s, ring, wormhole)
			return err
		}},
	} {
		err := row.job()
		var large *memory.TooLarge
		require.ErrorAs(t, err, &large, row.what)
		require.ErrorContains(t, err, row.what)
	}
}

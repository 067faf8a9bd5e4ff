// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/memory"
)

// A file is refused while it is read, by the estimate of its rows.
func TestTooLargeFileIsForeseen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.csv")
	require.NoError(t, os.WriteFile(file, []byte("0,0,1,1,0\n"), 0o644))
	_, err := ReadWithin(memory.With(t.Context(), memory.KB), file)
	var large *memory.TooLarge
	require.ErrorAs(t, err, &large)
	require.ErrorContains(t, err, "the schedule "+file+" needs about")
}

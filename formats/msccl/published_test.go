// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var published = flag.String("published", "../../examples/imports/*.xml", "algorithms to run: ours, or those published elsewhere: 'dir/*.xml'")

// Files of algorithms run, and every word comes out right.
func TestFilesOfAlgorithms(t *testing.T) {
	files, err := filepath.Glob(*published)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := Read(file)
			require.NoError(t, err)
			f, err := a.Flow(0)
			require.NoError(t, err)
			require.NoError(t, f.Failure)
			r := execute(t, a, fmt.Sprintf("complete:%d", a.Ranks), "wormhole", 2)
			require.NoError(t, r.Failure)
			t.Logf("%s %d ranks, %d messages, %d cycles, races %d", a.Collective, a.Ranks, r.Plan.Messages, r.Cycles, f.Races)
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"flag"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var published = flag.String("published", "", "algorithms to run, none of which is part of the project: 'dir/*.xml'")

// Published algorithms, by -published.
func TestPublishedAlgorithms(t *testing.T) {
	if *published == "" {
		t.Skip("-published names no files")
	}
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
			r := execute(t, a, fmt.Sprintf("torus:2x%d", a.Ranks/2), "wormhole", 2)
			require.NoError(t, r.Failure)
			t.Logf("%s %d ranks, %d messages, %d cycles, races %d", a.Collective, a.Ranks, r.Plan.Messages, r.Cycles, f.Races)
		})
	}
}

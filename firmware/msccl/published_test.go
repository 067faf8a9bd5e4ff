// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/router"
)

// execute runs an algorithm on a machine and compares every word.
func execute(t *testing.T, a *Algorithm, spec, preset string, length int) *collective.Result {
	t.Helper()
	f, err := a.Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure)
	network, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	l, sizes := f.List(length)
	w, err := f.Words(l, sizes, length, m.Width, 1)
	require.NoError(t, err)
	plan, err := collective.FromTransfers(a.Collective, a.Name, network, m, l, func(n router.NodeID) collective.Block {
		return collective.Block{Words: w.End[n], Start: w.Start[n]}
	})
	require.NoError(t, err)
	r, err := collective.Execute(t.Context(), plan)
	require.NoError(t, err)
	return r
}

// Published algorithms, where a pattern for some is given: MESHWRIGHT_MSCCL='dir/*.xml'.
func TestPublishedAlgorithms(t *testing.T) {
	pattern := os.Getenv("MESHWRIGHT_MSCCL")
	if pattern == "" {
		t.Skip("MESHWRIGHT_MSCCL names no files")
	}
	files, err := filepath.Glob(pattern)
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

// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/router"
	"meshwright/study"
)

var rerun = flag.Int("rerun", 16, "most flits of a block of the published rows that are run in the model again; 20000: all, an hour")

// The rows behind docs/paragon.md are computed again: by formulas, by following the
// PEs and, for small blocks, by the model. The times must not have changed.
func TestPublishedRowsStillHold(t *testing.T) {
	store, err := study.OpenStore("../docs/data/paragon.csv")
	require.NoError(t, err)
	defer store.Close()
	rows := store.Rows()
	require.Greater(t, len(rows), 200)
	again := 0
	for _, r := range rows {
		s := paragon(t, 0, "8", r.Topology)
		require.Equal(t, s.Machine.Describe(), r.Machine)
		require.Equal(t, r.Bytes, 2*r.Flits)
		topo, err := topology.Parse(r.Topology)
		require.NoError(t, err)
		j := collective.Job{Topology: topo, Machine: s.Machine, Sync: r.Sync, Start: r.Start, Seed: 9, Lengths: make([]int, topo.Nodes())}
		for n := range j.Lengths {
			j.Lengths[n] = r.Flits
		}
		f, err := collective.Predict(r.Collective, r.Algorithm, j)
		require.NoError(t, err)
		require.Equal(t, []int{f.A, f.B}, []int{r.A, r.B}, "%+v", r)
		require.Equal(t, f.Formula, r.Formula, "%+v", r)
		require.Contains(t, []router.Cycle{0, 1}, r.Cycles-f.Predicted, "%+v", r) // a token may be in a message's way
		if r.Source != study.Model || r.Flits > *rerun {
			continue
		}
		again++
		p, err := collective.Generate(t.Context(), r.Collective, r.Algorithm, j)
		require.NoError(t, err)
		ran, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		require.NoError(t, ran.Failure)
		require.Equal(t, r.Cycles, ran.Cycles, "%+v", r)
	}
	require.Greater(t, again, 20)
}

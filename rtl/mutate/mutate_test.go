// SPDX-License-Identifier: Apache-2.0

package mutate_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/rtl"
	"meshwright/rtl/mutate"
)

var (
	mutants = flag.Int("mutants", 10, "mutants of the chip")
	network = flag.String("network", "path:3", "the network whose chip is mutated")
	least   = flag.Float64("least", 0, "the lowest score that will do")
)

// export writes a scatter with a stress phase, and returns the folder and what nobody reads.
func export(t *testing.T) (string, []string) {
	topo, err := topology.Parse(*network)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	require.NoError(t, m.Set("width", "8"))
	require.NoError(t, m.Set("nic.channels", "1"))
	lengths := make([]int, topo.Nodes())
	for n := range lengths {
		lengths[n] = min(n, 1) * 4
	}
	plan, err := collective.Generate(t.Context(), "scatter", "furthest-first", collective.Job{Topology: topo, Machine: m, Lengths: lengths})
	require.NoError(t, err)
	var recorder *rtl.Recorder
	_, err = collective.Execute(t.Context(), plan, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return nil
	})
	require.NoError(t, err)
	_, err = recorder.Stress(t.Context(), rtl.DefaultStress, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "export")
	d, err := recorder.Export(dir)
	require.NoError(t, err)
	return dir, d.Unread()
}

// middle is the instance of the chip to mutate.
func middle(t *testing.T) string {
	if *network == "path:3" {
		return "n1_chip"
	}
	require.Equal(t, "mesh:3x3", *network)
	return "n4_chip"
}

// Every mutant gets a state, a proof never speaks for a mutant that the bench finds, and the states are found again.
func TestMutantsAreJudged(t *testing.T) {
	dir, unread := export(t)
	opt := mutate.Options{Mutants: *mutants, Seed: 1, Instance: middle(t), Unread: unread}
	w, err := mutate.New(t.Context(), dir, opt)
	require.NoError(t, err)
	require.Len(t, w.Mutants, *mutants)
	require.NoError(t, w.Simulate(t.Context()))
	killed := w.Count(mutate.Killed)
	require.Greater(t, killed, *mutants/2)
	require.NoError(t, w.Prove(t.Context()))
	require.Equal(t, killed, w.Count(mutate.Killed))
	require.Equal(t, *mutants, killed+w.Count(mutate.Survived)+w.Count(mutate.Equivalent))
	for _, m := range w.Mutants {
		require.NotEmpty(t, m.Source, "mutant %d", m.Number)
		if m.State == mutate.Survived {
			t.Logf("survived: %+v", *m)
		}
	}
	t.Logf("%d killed, %d equivalent, score %.3f", killed, w.Count(mutate.Equivalent), w.Score())
	require.GreaterOrEqual(t, w.Score(), *least)
	requireProofsSeeDifferences(t, w)
}

// requireProofsSeeDifferences wants no proof for mutants that the bench has killed.
func requireProofsSeeDifferences(t *testing.T, w *mutate.Work) {
	asked := 0
	for _, m := range w.Mutants {
		if m.State == mutate.Killed && asked < 4 {
			m.State = mutate.Survived
			asked++
		} else {
			m.State = mutate.Killed
		}
	}
	require.NoError(t, w.Prove(t.Context()))
	require.Zero(t, w.Count(mutate.Equivalent))
}

// SPDX-License-Identifier: Apache-2.0

// Package collectivetest makes jobs for the tests of collectives, random ones among
// them, and checks what their runs came to.
package collectivetest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/soak"
	"meshwright/router"
)

// Job makes a job from a spec, a preset and lengths for all nodes.
func Job(t testing.TB, spec, preset string, root int, lengths ...int) collective.Job {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	return collective.Job{Topology: topo, Machine: m, Root: router.NodeID(root), Lengths: lengths}
}

// Equal is a job in which every node that has words has as many.
func Equal(t testing.TB, spec, preset string, root, words int) collective.Job {
	j := Job(t, spec, preset, root)
	j.Lengths = slices.Repeat([]int{words}, j.Topology.Nodes())
	return j
}

// Effort is that of tests which have many jobs, and ask of a plan no more than that it is right: a tenth of the usual one without a soak.
func Effort() float64 { return float64(soak.Number(1, 10)) / 10 }

// Describe returns the description of a job that is needed to run it again.
func Describe(j collective.Job) string {
	return fmt.Sprintf("%s root %d lengths %v machine %+v", j.Topology, j.Root, j.Lengths, j.Machine)
}

func WriteSpec(t testing.TB, kind, text string) string {
	file := filepath.Join(t.TempDir(), kind+".csv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return kind + ":" + file
}

// PacketJob is a job on the preset store-forward with another set-up.
func PacketJob(t testing.TB, spec, setup string, lengths ...int) collective.Job {
	t.Helper()
	j := Job(t, spec, "store-forward", 0, lengths...)
	require.NoError(t, j.Machine.Set("setup", setup))
	return j
}

var Setups = []string{"0", "1/2", "1", "3/2", "2", "5/2", "3", "1/3", "4/3", "7/3"}

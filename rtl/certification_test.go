// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

// compareCertification runs a gather with certificates on a small tree, on the
// machines on which its timing must be right, in the model and in a simulator.
func compareCertification(t *testing.T, seed uint64, simulator sim.Simulator) {
	rng := rand.New(rand.NewPCG(seed, 98))
	nodes := 2 + rng.IntN(11)
	var text strings.Builder
	name := rng.Perm(nodes)
	fmt.Fprintf(&text, "%d,\n", name[0])
	for i := 1; i < nodes; i++ {
		fmt.Fprintf(&text, "%d,%d\n", name[i], name[rng.IntN(i)])
	}
	specs := []string{"tree:" + sample(t, "tree.csv", text.String()), "mesh:3x3", "torus:4x3", "hypercube:3", "graph:" + sampleGraph(t)}
	topo, err := topology.Parse(specs[max(0, rng.IntN(8)-3)])
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	algorithm := []string{"certification", "certification-tight", "certification-parallel"}[seed%3]
	if algorithm == "certification-parallel" || rng.IntN(3) == 0 {
		m.Ports, m.Channels = machine.AllPort, machine.Links
	}
	j := collective.Job{Topology: topo, Machine: m, Root: router.NodeID(rng.IntN(topo.Nodes())), Lengths: make([]int, topo.Nodes()), Seed: seed}
	for v := range j.Lengths {
		j.Lengths[v] = max(0, rng.IntN(9)-2)
	}
	plan, err := collective.Generate(t.Context(), "gather", algorithm, j)
	require.NoError(t, err)
	n, array, err := plan.Network(t.Context())
	require.NoError(t, err)
	r := rtl.NewRecorder(n)
	require.NoError(t, n.Run(t.Context(), 2000))
	require.NoError(t, array.Err())
	_, collisions := n.Collisions()
	require.Zero(t, collisions)
	t.Logf("seed %d: %s on %s, %s, %d flits", seed, algorithm, topo, n.Machine.Describe(), n.Delivered())
	dir := filepath.Join(t.TempDir(), "export")
	_, err = r.Export(dir)
	require.NoError(t, err)
	result, err := sim.Run(t.Context(), simulator, dir, sim.Options{})
	require.NoError(t, err)
	require.True(t, result.Pass, result.Line)
	require.Equal(t, r.Flits(), result.Flits)
}

func TestRandomCertificationsAgreeInIcarus(t *testing.T) {
	for i := range (*icarusRuns + 3) / 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			compareCertification(t, *firstSeed+uint64(i), sim.Icarus)
		})
	}
}

func TestRandomCertificationsAgreeInVerilator(t *testing.T) {
	for i := range (*verilatorRuns + 2) / 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) { compareCertification(t, *firstSeed+1000+uint64(i), sim.Verilator) })
	}
}

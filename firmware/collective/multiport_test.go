// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/router"
)

func multiport(t testing.TB) machine.Machine {
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	m.Ports, m.Channels = machine.AllPort, machine.Links
	return m
}

func TestTemp(t *testing.T) {
	for _, spec := range []string{"mesh:8x8", "torus:8x8", "hypercube:6", "debruijn:6", "random:64,4", "random:64,6", "complete:20", "ring:16", "torus:4x4x4"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, root := range []router.NodeID{0, router.NodeID(topo.Nodes()/2 - 3)} {
			for _, length := range []int{1, 4, 100, -1} {
				j := collective.Job{Topology: topo, Machine: multiport(t), Root: root}
				rng := rand.New(rand.NewPCG(1, 1))
				for range topo.Nodes() {
					l := length
					if l < 0 {
						l = rng.IntN(30) * rng.IntN(30)
					}
					j.Lengths = append(j.Lengths, l)
				}
				text := fmt.Sprintf("%s root %d deg %d len %d:", spec, root, topo.Degree(root), length)
				for _, what := range []string{"scatter", "gather"} {
					for _, alg := range []string{map[string]string{"scatter": "furthest-first", "gather": "nearest-first"}[what], "edge-disjoint", "shared-edges"} {
						plan, err := collective.Generate(what, alg, j)
						require.NoError(t, err)
						r, err := collective.Execute(t.Context(), plan)
						require.NoError(t, err)
						require.NoError(t, r.Failure, "%s %s %v", what, alg, r.Collisions)
						text += fmt.Sprintf(" %d", r.Cycles)
						if alg == "edge-disjoint" {
							text += fmt.Sprintf("[%d/%d split]", plan.Facts[0].Value, plan.Facts[3].Value)
						}
						if alg == "shared-edges" {
							text += fmt.Sprintf(" bound %d", plan.LowerBound)
						}
					}
				}
				t.Log(text)
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Stored routes and those that are put together are the machine's.
func TestPairsHaveTheRoutesOfTheMachine(t *testing.T) {
	for _, spec := range []string{"mesh:5x4", "twisted-torus:5x3,3", "random:30,3,5", "mesh:23x23", "torus:30x20", "random:520,3,5", "hypercube:10"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		net, err := fabric.NewRoutes(topo, m)
		require.NoError(t, err)
		pairs, err := plan.NewPairs(&plan.Task{Job: plan.Job{Topology: topo, Machine: m}})
		require.NoError(t, err)
		random := rand.New(rand.NewPCG(1, 0x7061697273))
		for range 500 {
			u, v := random.Int32N(int32(topo.Nodes())), random.Int32N(int32(topo.Nodes()))
			if u == v {
				continue
			}
			want := net.Route(router.NodeID(u), router.NodeID(v))
			require.Equal(t, want, pairs.Route(u, v), "%s %d>%d", spec, u, v)
			require.Equal(t, len(want), pairs.Links(u, v))
			require.LessOrEqual(t, len(want), pairs.Furthest)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/study"
)

// comparedJob is a job of two words from every node.
func comparedJob(t *testing.T, spec, preset string, faults ...string) collective.Job {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	if preset == "bufferless" {
		m.Ports, m.Channels = machine.AllPort, machine.Links
	}
	m.Faults, err = fault.Parse(faults, 1)
	require.NoError(t, err)
	return collective.Job{Topology: topo, Machine: m, Seed: 1, Lengths: slices.Repeat([]int{2}, topo.Nodes()), Effort: collectivetest.Effort()}
}

// Every algorithm of the collective has its row. The first row takes no longer than auto, the times are those of
// runs, and whoever refuses says why.
func TestAlgorithmsAreCompared(t *testing.T) {
	for _, row := range []struct{ spec, preset string }{{"ring:4", "wormhole"}, {"mesh:3x2", "bufferless"}, {"binary:2", "store-forward"}} {
		for _, kind := range plan.Kinds() {
			j := comparedJob(t, row.spec, row.preset)
			list, err := study.CompareAlgorithms(t.Context(), study.Comparison{Collective: kind.Name}, j)
			require.NoError(t, err)
			require.Len(t, list, len(collective.Algorithms(kind.Name))-1)
			best, err := collective.Generate(t.Context(), kind.Name, collective.Auto, j)
			if err != nil {
				require.NotNil(t, list[0].Refused, "%s on %v: %v", kind.Name, row, err)
				continue
			}
			r, err := collective.Execute(t.Context(), best)
			require.NoError(t, err)
			require.LessOrEqual(t, list[0].Cycles, r.Cycles, "%s on %v", kind.Name, row)
			for i, one := range list {
				p, err := collective.Generate(t.Context(), kind.Name, one.Algorithm, j)
				if one.Refused != nil {
					require.EqualError(t, err, one.Refused.Error())
					continue
				}
				require.NoError(t, err)
				r, err := collective.Execute(t.Context(), p)
				require.NoError(t, err)
				require.Equal(t, r.Cycles, one.Cycles, "%s %s on %v", kind.Name, one.Algorithm, row)
				require.True(t, one.Ran || i > 0 && one.Predicted.Exact)
				require.LessOrEqual(t, one.Predicted.Least, one.Cycles)
				require.True(t, !one.Predicted.Exact || one.Predicted.Least == one.Cycles)
				require.True(t, one.Delivered)
				require.GreaterOrEqual(t, one.Cycles, one.Bound)
				require.True(t, i == 0 || list[i-1].Cycles <= one.Cycles)
			}
		}
	}
}

// Plans that know faults deliver, others do not.
func TestAlgorithmsAroundFaults(t *testing.T) {
	list, err := study.CompareAlgorithms(t.Context(), study.Comparison{Collective: plan.Gossip}, comparedJob(t, "torus:3x3", "bufferless", "random:1,links", "known"))
	require.NoError(t, err)
	require.Equal(t, "rerouted", list[0].Algorithm)
	require.True(t, list[0].Delivered)
	require.Equal(t, "ring", list[1].Algorithm)
	require.NotNil(t, list[2].Refused)
	list, err = study.CompareAlgorithms(t.Context(), study.Comparison{Collective: plan.Gossip}, comparedJob(t, "torus:3x3", "bufferless", "random:1,links"))
	require.NoError(t, err)
	i := slices.IndexFunc(list, func(c study.AlgorithmTime) bool { return c.Algorithm == "highdimgos" }) // it uses all links
	require.False(t, list[i].Delivered)
	require.True(t, list[i].Ran)
	require.Zero(t, list[i].Predicted)
}

// An algorithm that takes longer than the limit is refused, and the others have their times.
func TestComparisonsHaveALimit(t *testing.T) {
	list, err := study.CompareAlgorithms(t.Context(), study.Comparison{Collective: plan.Gossip, Limit: time.Nanosecond}, comparedJob(t, "torus:3x3", "wormhole"))
	require.NoError(t, err)
	require.Len(t, list, len(collective.Algorithms(plan.Gossip))-1)
	require.EqualError(t, list[0].Refused, "not planned within 1ns (expected a higher limit)")
	require.NotZero(t, list[0].Bound)
	require.NotEmpty(t, list[0].BoundBy)
	list, err = study.CompareAlgorithms(t.Context(), study.Comparison{Collective: plan.Gossip, Algorithm: "torgos"}, comparedJob(t, "torus:3x3", "wormhole"))
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.True(t, list[0].Ran)
}

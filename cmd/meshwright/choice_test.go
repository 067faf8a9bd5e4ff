// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
)

// An algorithm that was compared with options of its own is not said to be left out.
func TestChoiceNamesWhatIsLeftOut(t *testing.T) {
	topo, err := topology.Parse("torus:4x4")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	chosen := &contest.Outcome{Weighed: []contest.Weighed{
		{Name: "staggered", Cycles: 20, How: contest.Predicted},
		{Name: "strides(4·1)", Cycles: 21, How: contest.Predicted},
		{Name: "bine", Cycles: 22, How: contest.Bounded},
		{Name: "strides", How: contest.LeftOut},
		{Name: "crosses", How: contest.LeftOut},
	}}
	o := &outcome{delivered: true, topology: topo, machine: m, plan: &plan.Plan{Chosen: chosen}}
	require.Equal(t, "staggered: 20 cycles; next strides(4·1) 21, bine at least 22; left out on 16 nodes: crosses", o.choice())
}

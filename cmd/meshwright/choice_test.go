// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
	"meshwright/router"
	"meshwright/schedule/bound"
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
	require.Equal(t, "staggered: 20 cycles; next strides(4·1) 21; bine at least 22; left out on 16 nodes: crosses", o.choice())
}

// What was only bounded may be faster than what was timed: the row does not say that the latter comes next.
func TestChoiceSaysWhatComesNext(t *testing.T) {
	timed := func(name string, cycles router.Cycle) contest.Weighed {
		return contest.Weighed{Name: name, Cycles: cycles, How: contest.Simulated}
	}
	bounded := func(name string, cycles router.Cycle) contest.Weighed {
		return contest.Weighed{Name: name, Cycles: cycles, How: contest.Bounded}
	}
	for _, row := range []struct {
		rivals  []contest.Weighed
		atFloor bool
		want    string
	}{
		{nil, false, ", the only one that fits"},
		{nil, true, ", the lower bound"},
		{[]contest.Weighed{timed("a", 30), timed("b", 40)}, false, "; next a 30, b 40"},
		{[]contest.Weighed{timed("a", 30), timed("b", 40), timed("c", 50), bounded("d", 40), bounded("e", 45)}, false, "; next a 30, b 40 and 1 more; 2 others at least 40"},
		{[]contest.Weighed{timed("a", 30), timed("b", 40), bounded("c", 39)}, false, "; compared with a 30, b 40; c at least 39"},
		{[]contest.Weighed{timed("a", 30), bounded("b", 21), bounded("c", 21)}, false, "; compared with a 30; 2 others at least 21"},
		{[]contest.Weighed{bounded("a", 21), bounded("b", 22), bounded("c", 22)}, false, "; compared with a at least 21, b at least 22 and 1 more"},
		{[]contest.Weighed{timed("a", 30), bounded("b", 40)}, true, ", the lower bound; compared with a 30; b at least 40"},
	} {
		chosen := &contest.Outcome{AtFloor: row.atFloor, Weighed: append([]contest.Weighed{{Name: "winner", Cycles: 20, How: contest.Predicted}}, row.rivals...)}
		p := &plan.Plan{Chosen: chosen}
		p.SetBound(bound.OfPackets(20))
		require.Equal(t, "winner: 20 cycles"+row.want, (&outcome{delivered: true, plan: p}).choice())
	}
}

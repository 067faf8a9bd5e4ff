// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"errors"
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

var (
	gossipsIcarus    = flag.Int("gossips.icarus", 3, "random gossips, exchanges, broadcasts and reductions to compare in Icarus Verilog")
	gossipsVerilator = flag.Int("gossips.verilator", 1, "random gossips, exchanges, broadcasts and reductions to compare in Verilator")
)

// everywhere are the algorithms whose words end up in more than one PE, or
// come from all of them.
func everywhere() []collective.Algorithm {
	var list []collective.Algorithm
	for _, a := range collective.Table() {
		if a.Collective != "scatter" && a.Collective != "gather" {
			list = append(list, a)
		}
	}
	return list
}

// randomPlan draws machines until one fits an algorithm.
func randomPlan(t *testing.T, a collective.Algorithm, seed uint64) *collective.Plan {
	var refused error
	for attempt := range uint64(400) {
		topo, m, rng := randomMachine(t, seed+10_000*attempt)
		if a.Collective != "gossip" && a.Collective != "exchange" {
			m.Width = max(32, m.Width) // sums need all bits
		}
		job := collective.Job{Topology: topo, Machine: m, Root: router.NodeID(rng.IntN(topo.Nodes())), Lengths: make([]int, topo.Nodes()), Seed: seed}
		kind, err := plan.KindOf(a.Collective)
		require.NoError(t, err)
		length := 1 + rng.IntN(9)
		for n := range job.Lengths {
			if job.Lengths[n] = length; kind.Holders == plan.Everyone {
				job.Lengths[n] = rng.IntN(10)
			}
		}
		plan, err := collective.Generate(t.Context(), a.Collective, a.Name, job)
		if err == nil {
			return plan
		}
		var bad *input.Error
		require.True(t, errors.As(err, &bad), "%v", err)
		refused = err
	}
	t.Fatalf("no machine drawn runs %s %s: %v", a.Collective, a.Name, refused)
	return nil
}

// compareEverywhere runs one of the algorithms on a random machine that it fits.
func compareEverywhere(t *testing.T, seed uint64, simulator sim.Simulator) {
	list := everywhere()
	a := list[seed%uint64(len(list))]
	if !a.Switches(machine.Wormhole) && !a.Switches(machine.Bufferless) {
		t.Fatalf("%s %s runs on packets only", a.Collective, a.Name)
	}
	plan := randomPlan(t, a, seed)
	var recorder *rtl.Recorder
	run, err := collective.Execute(t.Context(), plan, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, run.Failure, "%s %s on %s, %s", a.Collective, a.Name, plan.Topology, plan.Machine.Describe())
	t.Logf("%s %s in %d cycles", a.Collective, a.Name, run.Cycles)
	result := agree(t, seed, run.Network, recorder, simulator)
	require.Equal(t, uint64(run.Cycles), result.Cycles)
	require.Equal(t, uint64(run.Network.Quiet()), result.Quiet)
}

func TestGossipsAgreeInIcarus(t *testing.T) {
	for i := range *gossipsIcarus {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			compareEverywhere(t, *firstSeed+uint64(i), sim.Icarus)
		})
	}
}

func TestGossipsAgreeInVerilator(t *testing.T) {
	for i := range *gossipsVerilator {
		t.Run(fmt.Sprint(i), func(t *testing.T) { compareEverywhere(t, *firstSeed+2036+7*uint64(i), sim.Verilator) })
	}
}

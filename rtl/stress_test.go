// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

var stressIcarus = flag.Int("stress.icarus", 2, "random machines whose stress phases are compared in Icarus Verilog")

// exportStressed exports some cycles of a machine's load and a stress phase.
func exportStressed(t *testing.T, draw draw, seed uint64, run, stress int) string {
	topo, m, rng := draw(t, seed)
	n, _ := loaded(t, topo, m, rng)
	r := rtl.NewRecorder(n)
	for range run {
		n.Step()
	}
	_, err := r.Stress(t.Context(), stress, seed)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "export")
	_, err = r.Export(dir)
	require.NoError(t, err)
	return dir
}

// The Verilog goes through a stress phase as the model does: full buffers, resets in the midst of them, and
// losses of chips without buffers.
func TestStressPhasesAgree(t *testing.T) {
	for i := range *stressIcarus {
		for name, draw := range map[string]draw{"flits": randomMachine, "packets": packetMachine, "bufferless": bufferlessMachine} {
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				t.Parallel()
				dir := exportStressed(t, draw, *firstSeed+uint64(i), 100, 120)
				result, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
				require.NoError(t, err)
				require.True(t, result.Pass, result.Line)
				require.Contains(t, result.Line, " stress=")
			})
		}
	}
}

// bufferlessMachine draws a small network of chips without buffers.
func bufferlessMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	for {
		if topo, m, rng := randomMachine(t, seed); m.Switching == machine.Bufferless {
			return topo, m, rng
		}
		seed += 1000
	}
}

// Faults that good schedules never meet, because these fill no buffer and let few heads contend.
var contended = []fault{
	{"links without back-pressure", "", "link.v", "assign ready_o[v] = count != Buffer[CountWidth-1:0];", "assign ready_o[v] = 1'b1;"},
	{"injection registers drop blocked flits", "", "injection_register.v", "else if (tick_i) full_q <= valid_o & !leave_i;", "else if (tick_i) full_q <= 1'b0;"},
	{"claim pointers stuck", "", "round_robin.v", "else if (update_i) order_q <= order_d;", "else if (update_i) order_q <= order_q;"},
}

// A schedule that passes with such faults does not with its stress phase.
func TestStressFindsFaultsThatSchedulesMiss(t *testing.T) {
	topo, err := topology.Parse("mesh:3x3")
	require.NoError(t, err)
	quiet, stressed := exportScatter(t, topo, 0), exportScatter(t, topo, rtl.DefaultStress)
	for _, f := range contended {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for dir, pass := range map[string]bool{quiet: true, stressed: false} {
				result, err := sim.Run(t.Context(), sim.Icarus, f.plant(t, dir), sim.Options{})
				require.NoError(t, err)
				require.Equal(t, pass, result.Pass, result.Line)
			}
		})
	}
}

// exportScatter exports a scatter, and so many cycles of stress.
func exportScatter(t *testing.T, topo *topology.Topology, stress int) string {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	job := collective.Job{Topology: topo, Machine: m, Lengths: []int{0, 8, 8, 8, 8, 8, 8, 8, 8}}
	plan, err := collective.Generate(t.Context(), "scatter", "furthest-first", job)
	require.NoError(t, err)
	var recorder *rtl.Recorder
	_, err = collective.Execute(t.Context(), plan, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return nil
	})
	require.NoError(t, err)
	_, err = recorder.Stress(t.Context(), stress, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "export")
	_, err = recorder.Export(dir)
	require.NoError(t, err)
	return dir
}

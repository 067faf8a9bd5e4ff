// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	networkfault "meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/soak"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

var stressIcarus = flag.Int("stress.icarus", 1, "random machines whose stress phases are compared in Icarus Verilog")

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

// The Verilog goes through a stress phase as the model does: full buffers, resets in the midst of them,
// losses of chips without buffers, and bits that change in buffers.
func TestStressPhasesAgree(t *testing.T) {
	for i := range *stressIcarus {
		for name, draw := range map[string]draw{"flits": randomMachine, "packets": packetMachine, "bufferless": bufferlessMachine, "upsets": upsetMachine} {
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				t.Parallel()
				dir := exportStressed(t, draw, *firstSeed+1+uint64(i), 100, 120)
				result, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
				require.NoError(t, err)
				require.True(t, result.Pass, result.Line)
				require.Contains(t, result.Line, " stress=")
			})
		}
	}
}

// The logs of both simulators are the same, and go on through the stress phase: they have all flits that the vectors have.
func TestLogsHaveTheStressPhase(t *testing.T) {
	dir := exportStressed(t, bufferlessMachine, *firstSeed, 30, 60)
	var logs []string
	for _, s := range []sim.Simulator{sim.Icarus, sim.Verilator} {
		result, err := sim.Run(t.Context(), s, dir, sim.Options{Log: true})
		require.NoError(t, err)
		require.True(t, result.Pass, result.Line)
		text, err := os.ReadFile(result.Log)
		require.NoError(t, err)
		logs = append(logs, string(text))
	}
	require.Equal(t, logs[0], logs[1])
	count := func(word string) int { return strings.Count("\n"+logs[0], "\n"+word+" ") }
	require.Positive(t, count("reset"))
	require.Equal(t, sizeOf(t, dir, "Stimuli")-1, count("place")+count("reset"))
	require.Equal(t, sizeOf(t, dir, "Events")-1, count("show"))
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

// upsetMachine draws a small network whose buffers have a code, and upsets of one and of two bits.
func upsetMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	for try := seed; ; try += 1000 {
		topo, m, rng := []draw{randomMachine, packetMachine}[seed%2](t, try)
		if m.Switching == machine.Bufferless {
			continue
		}
		require.NoError(t, m.Set("header", "wires")) // upsets do not flip bits of headers
		specs := drawUpsets(t, topo, &m, rng, new(strings.Builder))
		var err error
		m.Faults, err = networkfault.Parse(append(specs, "upset:0.1", "upset:0.1,2"), seed)
		require.NoError(t, err)
		return topo, m, rng
	}
}

// The upsets of a stress phase are those of its own flits: each phase has some, and a reset clears the counters.
func TestStressHasUpsets(t *testing.T) {
	topo, err := topology.Parse("mesh:2x2")
	require.NoError(t, err)
	for _, row := range []struct {
		faults string
		phase  bool
	}{{"upset:0.3", true}, {"testdata/upsets.csv", true}, {"upset:0.3 drop:0.1", false}, {"random:1,links", false}, {"corrupt:0.5", false}} {
		m := settled(t, "wormhole", []string{"width", "8", "nic.channels", "1", "buffer.code", "secded", "faults", row.faults})
		n, err := fabric.New(topo, m)
		require.NoError(t, err)
		r := rtl.NewRecorder(n)
		n.Step()
		cycles, err := r.Stress(t.Context(), 300, 1)
		require.NoError(t, err)
		require.Equal(t, row.phase, cycles > 0, row.faults)
		dir := filepath.Join(t.TempDir(), "export")
		_, err = r.Export(dir)
		require.NoError(t, err)
		counts, err := os.ReadFile(filepath.Join(dir, "errors.mem"))
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(counts)), "\n")
		require.Equal(t, row.faults == "upset:0.3", len(lines) > 100, row.faults)
		if len(lines) > 100 {
			require.Regexp(t, `(?m)^[0-9a-f]{16}00000000$`, string(counts), "cleared")
		}
	}
}

// Faults that good schedules never meet, because these fill no buffer and let few heads contend.
var contended = []fault{
	{"links without back-pressure", "", "link.v", "assign ready_o[v] = count != Buffer[CountWidth-1:0];", "assign ready_o[v] = 1'b1;"},
	{"injection registers drop blocked flits", "", "injection_register.v", "else if (tick_i) full_q <= valid_o & !leave_i;", "else if (tick_i) full_q <= 1'b0;"},
	{"claim pointers stuck", "", "round_robin.v", "else if (update_i) order_q <= order_d;", "else if (update_i) order_q <= order_q;"},
}

// stressedRuns are runs of all kinds on several machines.
var stressedRuns = []struct {
	collective, topology string
	keys                 [][2]string
}{
	{"scatter", "mesh:3x3", nil},
	{"gather", "mesh:4x2", [][2]string{{"routing", "source"}}},
	{"gossip", "torus:3x3", [][2]string{{"vcs", "2"}}},
	{"exchange", "path:4", [][2]string{{"buffer", "2"}}},
	{"broadcast", "mesh:3x3", [][2]string{{"header", "flit"}}},
	{"reduce", "torus:3x2", [][2]string{{"nic.channels", "links"}}},
	{"scatter", "ring:6", [][2]string{{"vcs", "2"}, {"routing", "source"}}},
	{"random", "mesh:3x3", nil},
	{"random", "mesh:3x2", [][2]string{{"routing", "table"}}},
}

// The vectors of every run find faults that its schedule may miss, in their stress phases.
func TestStressFindsContendedFaults(t *testing.T) {
	for i, run := range soak.Some(len(contended), stressedRuns) {
		faults := contended
		if !soak.On() {
			faults = contended[i : i+1]
		}
		t.Run(fmt.Sprintf("%s/%s", run.collective, run.topology), func(t *testing.T) {
			t.Parallel()
			dir := exportRun(t, run.collective, run.topology, run.keys, rtl.DefaultStress)
			for _, f := range faults {
				result, err := sim.Run(t.Context(), sim.Icarus, f.plant(t, dir), sim.Options{})
				require.NoError(t, err)
				require.False(t, result.Pass, "%s: %s", f.name, result.Line)
			}
		})
	}
}

// A good schedule misses them all.
func TestSchedulesMissContendedFaults(t *testing.T) {
	dir := exportRun(t, "scatter", "mesh:2x2", nil, 0)
	for _, f := range soak.Some(1, contended) {
		result, err := sim.Run(t.Context(), sim.Icarus, f.plant(t, dir), sim.Options{})
		require.NoError(t, err)
		require.True(t, result.Pass, "%s: %s", f.name, result.Line)
	}
}

// exportRun exports a collective, or random messages, and so many cycles of stress.
func exportRun(t *testing.T, kind, network string, keys [][2]string, stress int) string {
	topo, err := topology.Parse(network)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for _, key := range keys {
		require.NoError(t, m.Set(key[0], key[1]))
	}
	var recorder *rtl.Recorder
	if kind == "random" {
		n := traffic(t, topo, m, rand.New(rand.NewPCG(1, 1)))
		recorder = rtl.NewRecorder(n)
		for range 50 {
			n.Step()
		}
	} else {
		job := collective.Job{Topology: topo, Machine: m, Lengths: slices.Repeat([]int{8}, topo.Nodes())}
		if kind == "scatter" || kind == "gather" {
			job.Lengths[0] = 0
		}
		plan, err := collective.Generate(t.Context(), kind, "auto", job)
		require.NoError(t, err)
		_, err = collective.Execute(t.Context(), plan, func(n *fabric.Network) error {
			recorder = rtl.NewRecorder(n)
			return nil
		})
		require.NoError(t, err)
	}
	_, err = recorder.Stress(t.Context(), stress, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "export")
	_, err = recorder.Export(dir)
	require.NoError(t, err)
	return dir
}

// Behind a run without messages the flits of source routing have room for the routes of the stress.
func TestStressBehindARunWithoutMessages(t *testing.T) {
	for _, preset := range []string{"wormhole", "bufferless", "store-forward"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			at, err := topology.Parse("ring:4")
			require.NoError(t, err)
			m, err := machine.Preset(preset)
			require.NoError(t, err)
			m.Routing = machine.Source
			m, err = m.FitPackets(1)
			require.NoError(t, err)
			n, err := fabric.New(at, m)
			require.NoError(t, err)
			r := rtl.NewRecorder(n)
			_, err = r.Stress(t.Context(), 60, *firstSeed)
			require.NoError(t, err)
			dir := t.TempDir()
			_, err = r.Export(dir)
			require.NoError(t, err)
			result, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
			require.NoError(t, err)
			require.True(t, result.Pass, result.Line)
		})
	}
}

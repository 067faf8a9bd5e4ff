// SPDX-License-Identifier: Apache-2.0

package emulator_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/proctest"
	"meshwright/internal/soak"
	"meshwright/rtl"
	"meshwright/rtl/emulator"
	"meshwright/rtl/sim"
)

var (
	randomIcarus    = flag.Int("icarus", 2, "random collectives to emulate in Icarus Verilog")
	randomVerilator = flag.Int("verilator", 0, "random collectives to emulate in Verilator")
	firstSeed       = flag.Uint64("seed", 1, "the first seed of random collectives")
)

// job is a collective to emulate.
type job struct {
	name, collective, algorithm, topology, preset string
	length, word                                  int
	settings                                      []string
}

// export runs a collective in the model, and writes its emulator.
func (j *job) export(t *testing.T) string {
	t.Helper()
	p, err := j.plan(t)
	require.NoError(t, err)
	return written(t, p, j.word)
}

func (j *job) plan(t *testing.T) (*collective.Plan, error) {
	t.Helper()
	topo, err := topology.Parse(j.topology)
	require.NoError(t, err)
	m := configured(t, j.preset, j.settings, j.algorithm == "rerouted")
	if m, err = m.Resolve(topo); err != nil {
		return nil, err
	}
	lengths := make([]int, topo.Nodes())
	for n := range lengths {
		lengths[n] = j.length
	}
	return collective.Generate(t.Context(), j.collective, j.algorithm, collective.Job{Topology: topo, Machine: m, Lengths: lengths, Root: topo.Root, Seed: 1})
}

// configured returns a machine with settings, key and value; those of the key faults are as in a file.
func configured(t *testing.T, preset string, settings []string, known bool) machine.Machine {
	t.Helper()
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		if settings[i] != "faults" {
			require.NoError(t, m.Set(settings[i], settings[i+1]))
			continue
		}
		m.Faults = &fault.List{Known: known}
		m.Faults.Faults, err = fault.ParseFile("faults", []byte(settings[i+1]))
		require.NoError(t, err)
	}
	return m
}

// written runs a plan and writes its emulator.
func written(t *testing.T, p *collective.Plan, word int) string {
	t.Helper()
	var recorder *rtl.Recorder
	r, err := collective.Execute(t.Context(), p, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		_, err := emulator.Attach(n, recorder, emulator.Options{Word: word})
		return err
	})
	require.NoError(t, err)
	require.NoError(t, r.Failure)
	dir := filepath.Join(t.TempDir(), "emulator")
	_, err = recorder.Export(dir)
	require.NoError(t, err)
	return dir
}

// passes runs the bench of a folder.
func passes(t *testing.T, s sim.Simulator, dir string) {
	t.Helper()
	r, err := sim.Run(t.Context(), s, dir, sim.Options{})
	require.NoError(t, err)
	require.True(t, r.Pass, r.Line)
}

// The same programs give the same flits on every link in every target cycle, and the same words at the end. In a soak
// both simulators run every job, else each job has one of them.
func TestProgramsOnHardware(t *testing.T) {
	for _, row := range []struct {
		job
		quick sim.Simulator // "": in a soak only
	}{
		{job{"scatter", "scatter", "furthest-first", "path:2", "wormhole", 4, 32, []string{"nic.channels", "1"}}, sim.Verilator},
		{job{"shoulder tap", "gather", "shoulder-tap", "path:4", "bufferless", 2, 16, []string{"width", "16"}}, ""},
		{job{"certification", "gather", "certification", "comb:2x1", "bufferless", 2, 32, nil}, sim.Icarus},
		{job{"certification on all ports", "gather", "certification-parallel", "comb:2x1", "bufferless", 2, 32, []string{"ports", "all", "nic.channels", "links"}}, ""},
		{job{"circgos on two virtual channels", "gossip", "circgos", "ring:4", "wormhole", 2, 32, []string{"nic.channels", "1"}}, ""},
		{job{"torgos with a startup", "gossip", "torgos", "torus:4x4", "wormhole", 1, 24, []string{"startup", "7", "width", "20"}}, ""},
		{job{"exchange", "exchange", "timetable", "mesh:2x2", "wormhole", 1, 32, nil}, ""},
		{job{"broadcast on a star graph", "broadcast", "tree", "star:3", "wormhole", 3, 32, nil}, ""},
		{job{"source routes", "scatter", "edge-disjoint", "mesh:2x2", "wormhole", 4, 32, []string{"routing", "source"}}, ""},
		{job{"half duplex", "gossip", "vendor", "mesh:2x2", "paragon", 1, 16, []string{"startup", "20"}}, sim.Icarus},
		{job{"copies", "broadcast", "edst", "mesh:2x2", "wormhole", 2, 32, nil}, ""},
		{job{"dead links, lost and corrected flits", "broadcast", "edst", "mesh:2x2", "wormhole", 2, 0, []string{"buffer.code", "secded", "faults", "link,3>2,1,3\ndrop,3>2,3\nupset,0>1,1,,3\nupset,0>1,0,,38"}}, sim.Icarus},
		{job{"a node that dies", "broadcast", "edst", "mesh:2x2", "wormhole", 3, 16, []string{"width", "16", "faults", "node,3,4"}}, ""},
		{job{"around a dead node", "gossip", "rerouted", "mesh:2x3", "wormhole", 2, 0, []string{"hop", "2", "flit", "3", "faults", "node,3"}}, ""},
		{job{"dead links of packet chips", "broadcast", "edst", "mesh:2x2", "store-forward", 2, 0, []string{"setup", "0", "ports", "all", "nic.channels", "links", "faults", "link,3>2"}}, ""},
		{job{"wide words with a code", "gossip", "circgos", "ring:3", "wormhole", 2, 0, []string{"width", "128", "buffer.code", "secded", "faults", "upset,0>1,1,,100\nupset,1>2,2,,5"}}, ""},
		{job{"wide words", "gossip", "circgos", "ring:3", "wormhole", 2, 0, []string{"width", "64", "nic.channels", "1"}}, ""},
		{job{"wide words in packets", "scatter", "auto", "path:3", "store-forward", 2, 0, []string{"width", "256"}}, ""},
		{job{"flits of several cycles", "scatter", "furthest-first", "path:3", "wormhole", 2, 32, []string{"flit", "3", "hop", "2", "nic.channels", "1"}}, sim.Icarus},
		{job{"flits of several cycles without buffers", "scatter", "furthest-first", "path:3", "bufferless", 2, 32, []string{"flit", "2"}}, ""},
	} {
		for _, s := range []sim.Simulator{sim.Icarus, sim.Verilator} {
			if s == row.quick || soak.On() {
				t.Run(row.name+"/"+string(s), func(t *testing.T) {
					t.Parallel()
					passes(t, s, row.export(t))
				})
			}
		}
	}
}

// Random collectives on random machines.
func TestRandomCollectivesOnHardware(t *testing.T) {
	for k := range uint64(*randomIcarus) {
		t.Run(fmt.Sprintf("icarus/%d", *firstSeed+k), func(t *testing.T) { passes(t, sim.Icarus, written(t, randomPlan(t, *firstSeed+k), 0)) })
	}
	for k := range uint64(*randomVerilator) {
		t.Run(fmt.Sprintf("verilator/%d", *firstSeed+k), func(t *testing.T) {
			passes(t, sim.Verilator, written(t, randomPlan(t, *firstSeed+k), 0))
		})
	}
}

// mostEmulated bounds the cycles of random runs outside of a soak: a simulator takes milliseconds for each.
const mostEmulated = 200

// randomPlan draws algorithms and machines until one fits the other.
func randomPlan(t *testing.T, seed uint64) *collective.Plan {
	rng := rand.New(rand.NewPCG(seed, 7))
	table := collective.Table()
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	for range 1000 {
		a := table[rng.IntN(len(table))]
		j := job{
			collective: a.Collective, algorithm: a.Name, length: 1 + rng.IntN(5),
			topology: pick("path:4", "ring:5", "mesh:3x2", "torus:3x3", "comb:3x1", "star:3", "hypercube:3", "random:6,3", "hub:5"),
			preset:   pick("wormhole", "bufferless", "store-forward"),
			settings: []string{"width", pick("32", "32", "64"), "startup", pick("0", "3"), "nic.channels", pick("1", "links"), "ports", pick("all", "single"), "nic.duplex", pick("full", "half")},
		}
		if j.preset == "wormhole" {
			j.settings = append(j.settings, "buffer", pick("1", "2", "4"), "vcs", pick("2", "4"), "hop", pick("1", "2"))
		}
		if j.preset != "store-forward" {
			j.settings = append(j.settings, "flit", pick("1", "1", "3"))
		}
		if p, err := j.plan(t); err == nil && (soak.On() || p.Predicted.Least < mostEmulated) {
			return p
		}
	}
	t.Fatal("no machine drawn runs any algorithm")
	return nil
}

// With LAST=N the bench ends behind the vectors of N target cycles, without the words at the end and without planted faults.
func TestLastEndsTheBench(t *testing.T) {
	j := job{"", "exchange", "direct", "path:2", "wormhole", 7, 32, []string{"nic.channels", "1"}}
	dir := j.export(t)
	type row struct{ args, says string }
	rows := []row{
		{"icarus LAST=1", "PASS cycles=0 flits=0 last=1\n"},
		{"icarus LAST=4 WAVE=last.vcd", "PASS cycles=4 flits=6 last=4\n"},
		{"icarus LAST=7", "PASS cycles=7 flits=12 last=7\n"},
		{"icarus LAST=8", "PASS cycles=8 flits=14 planted=3\n"},
		{"verilator LAST=4 WAVE=last.vcd", "PASS cycles=4 flits=6 last=4\n"},
	}
	if soak.On() {
		rows = append(rows, row{"verilator LAST=4", "PASS cycles=4 flits=6 last=4\n"})
	}
	for _, row := range rows {
		t.Run(row.args, func(t *testing.T) {
			cmd := proctest.Command(t, "make", append([]string{"-s"}, strings.Fields(row.args)...)...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), row.says)
		})
	}
}

// Target cycles behind the last one of the run are a mistake of the hardware, which the bench names.
func TestTimeThatGoesOnIsSeen(t *testing.T) {
	j := job{"", "exchange", "direct", "path:2", "wormhole", 7, 32, []string{"nic.channels", "1"}}
	dir := j.export(t)
	path := filepath.Join(dir, "bench.v")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	shorter := regexp.MustCompile(`\.Cycles +\(8\)`).ReplaceAll(text, []byte(".Cycles (7)"))
	require.NotEqual(t, string(text), string(shorter))
	require.NoError(t, os.WriteFile(path, shorter, 0o644))
	r, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
	require.NoError(t, err)
	require.False(t, r.Pass)
	require.Equal(t, "FAIL cycle=7: the run has no such target cycle, but the network's time goes on", r.Line)
}

// A run that fails in the model fails in the hardware, too: a PE waits for a message that is lost.
func TestLostMessagesAreSeen(t *testing.T) {
	p := program{"testdata/lost.s", "path:3", []string{"faults", "link,0>1"}, "5 6 7 8", 8}
	r, err := sim.Run(t.Context(), sim.Icarus, p.run(t, true), sim.Options{})
	require.NoError(t, err)
	require.False(t, r.Pass)
	require.Equal(t, "FAIL a PE has not halted", r.Line)
}

// A mistake in the hardware of the PEs is found, by the links or by the memories; one in the check and the report, by the
// faults that the bench plants.
func TestBenchFindsFaultsOfPEs(t *testing.T) {
	j := job{"", "scatter", "furthest-first", "path:3", "wormhole", 2, 16, []string{"nic.channels", "1", "width", "16"}}
	clean := j.export(t)
	for _, row := range soak.Some(6, []struct{ name, file, right, wrong, says string }{
		{"a word is stored one address too low", "pe_core.v", ": b_q[AddressWidth-1:0]),", ": b_q[AddressWidth-1:0] - 1'b1),", "FAIL node=1 address="},
		{"messages lose their last flit", "pe_sender.v", "assign valid_o  = place_i & busy_q & rested & ready_i;", "assign valid_o  = place_i & busy_q & rested & ready_i & !tail;", "FAIL cycle="},
		{"a wrong word is forgotten", "verdict.v", "else if (wrong) mismatch_o", "else if (1'b0) mismatch_o", "FAIL planted a wrong word"},
		{"the check finds no wrong word", "verdict.v", "(word_i != expected_i)", "1'b0", "FAIL planted a wrong word at node=2 address="},
		{"the time runs ahead of a PE", "run_control.v", "assign tick_o  = settled_i & !ended_q & !rst_i;", "assign tick_o  = !ended_q & !rst_i;", "FAIL "},
		{"the check compares the lower half", "verdict.v", "(word_i != expected_i)", "(word_i[7:0] != expected_i[7:0])", "FAIL planted a wrong word"},
		{"a PE that has not halted passes", "verdict.v", "assign pass_o = done_o & halted_i &", "assign pass_o = done_o &", "FAIL planted a PE that has not halted, the hardware says pass=1"},
		{"a branch goes the other way", "pe_core.v", "(beq & equal)", "(beq & !equal)", "FAIL "},
		{"the last wrong word is kept", "verdict.v", "(wrong & !mismatch_o)", "(wrong)", "FAIL planted a wrong word"},
		{"a lost flit is forgotten", "verdict.v", "else if (lost_i) collision_o <= 1'b1;", "", "FAIL planted a lost flit, the hardware says pass=1"},
		{"the report has another time", "read_out.v", "{first, cycle, flags,", "{first, cycle + 1'b1, flags,", "FAIL the report says"},
		{"the wrong word is always that of node 0", "verdict.v", "node_o     <= node_i", "node_o     <= 0", "FAIL planted a wrong word"},
		{"every report says passed", "read_out.v", "pass_i ? \"P\" : \"F\"", "\"P\"", "FAIL the report says"},
		{"the check compares nothing", "verdict.v", "wire wrong = compare_i", "wire wrong = !compare_i", "says the hardware"},
		{"the stop bit is short", "serial_sender.v", "left_q <= 4'd10", "left_q <= 4'd9", "on the serial line"},
		{"the serial line is quick", "serial_sender.v", "timer_q - 1'b1", "timer_q - 2'd2", "on the serial line"},
		{"the report has no flag of a PE that has not halted", "read_out.v", "{6'b0, !halted_i, lost_i}", "{7'b0, lost_i}", "FAIL the report says"},
		{"the stop bit is 0", "serial_sender.v", "{1'b1, bits_q[8:1]}", "{1'b0, bits_q[8:1]}", "FAIL byte=0 bit=9 on the serial line"},
	}) {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "emulator")
			require.NoError(t, os.CopyFS(dir, os.DirFS(clean)))
			path := filepath.Join(dir, "pe", row.file)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(text), row.right))
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), row.right, row.wrong, 1)), 0o644))
			r, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
			require.NoError(t, err)
			require.False(t, r.Pass)
			require.Contains(t, r.Line, row.says)
		})
	}
}

// The tools that read Verilog have nothing to say.
func TestEmulatorsAreClean(t *testing.T) {
	for _, j := range soak.Some(3, []job{
		{"one channel", "scatter", "furthest-first", "mesh:2x2", "wormhole", 4, 16, []string{"nic.channels", "1", "width", "16"}},
		{"channels and lanes", "gossip", "circgos", "ring:3", "wormhole", 2, 32, []string{"vcs", "4", "startup", "3"}},
		{"source routes", "scatter", "edge-disjoint", "mesh:2x2", "wormhole", 2, 32, []string{"routing", "source"}},
		{"faults and a code", "broadcast", "edst", "mesh:2x2", "wormhole", 2, 0, []string{"width", "64", "buffer.code", "secded", "faults", "node,3,4\nlink,3>2,1,3\nupset,0>1,1,,3"}},
		{"wide words, flits of several cycles", "scatter", "furthest-first", "path:3", "wormhole", 2, 0, []string{"width", "64", "flit", "3"}},
	}) {
		t.Run(j.name, func(t *testing.T) {
			dir := j.export(t)
			for _, tool := range []string{
				"make -s lint",
				"iverilog -g2005 -Wall -Wno-timescale -s emulator -t null emulator.v pe_decoder.v pe/*.v top.v lib/*.v",
			} {
				cmd := proctest.Command(t, "sh", "-c", tool)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				require.Empty(t, string(out))
			}
		})
	}
}

// The whole open flow for an FPGA: synthesis, place and route, bitstream; and the netlist shows what the model shows.
func TestNetworkOnAnFPGA(t *testing.T) {
	for _, tool := range []string{"yosys", "nextpnr-ice40", "icepack"} {
		_, err := exec.LookPath(tool)
		require.NoError(t, err)
	}
	for _, j := range soak.Some(4, []job{
		{"two nodes", "scatter", "furthest-first", "path:2", "bufferless", 2, 8, []string{"width", "8"}},
		{"2x2 without buffers", "scatter", "furthest-first", "mesh:2x2", "bufferless", 4, 8, []string{"width", "8"}},
		{"2x2 with buffers", "scatter", "furthest-first", "mesh:2x2", "wormhole", 2, 16, []string{"nic.channels", "1", "width", "16", "buffer", "2", "header", "flit"}},
		{"3x3 without buffers", "scatter", "furthest-first", "mesh:3x3", "bufferless", 4, 8, []string{"width", "8"}},
	}) {
		t.Run(j.name, func(t *testing.T) {
			dir := j.export(t)
			cmd := proctest.Command(t, "make", "-s", "netlist", "build/netlist.bin")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), "PASS words=")
			bitstream, err := os.Stat(filepath.Join(dir, "build", "netlist.bin"))
			require.NoError(t, err)
			require.Greater(t, bitstream.Size(), int64(100_000))
		})
	}
}

// A tool that is missing is named, with its package.
func TestToolsAreNamed(t *testing.T) {
	j := job{"", "scatter", "furthest-first", "path:2", "bufferless", 1, 8, []string{"width", "8"}}
	tools := t.TempDir()
	for _, name := range []string{"make", "sh", "mkdir"} {
		path, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(tools, name)))
	}
	cmd := proctest.Command(t, "make", "-s", "ice40")
	cmd.Dir = j.export(t)
	cmd.Env = append(os.Environ(), "PATH="+tools, "MAKEFLAGS=", "MAKELEVEL=")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "yosys not found: apt-get install yosys")
}

// Memories that the device does not have are refused before synthesis.
func TestMemoriesTooLargeForTheDevice(t *testing.T) {
	j := job{"", "scatter", "furthest-first", "path:2", "wormhole", 5000, 32, []string{"nic.channels", "1"}}
	cmd := proctest.Command(t, "make", "-s", "ice40")
	cmd.Dir = j.export(t)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the memories need at least 159 block RAMs, an iCE40 HX8K has 32")
}

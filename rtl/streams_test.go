// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/proctest"
	"meshwright/internal/soak"
	"meshwright/rtl"
)

var (
	streamFrames    = flag.Int("frames", 60, "frames to send through the streams of each machine")
	streamMachines  = flag.Int("frames.machines", 4, "machines with streams to simulate in Icarus Verilog")
	streamVerilator = flag.Int("frames.verilator", 0, "of these, machines to simulate in Verilator, too")
)

// streamed exports a machine with AXI4-Stream ports. Its run is empty: frames come from their own bench.
func streamed(t *testing.T, preset, spec string, settings ...string) (string, error) {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	n, err := fabric.New(topo, settled(t, preset, settings))
	require.NoError(t, err)
	if err := rtl.CheckStreams(t.Context(), n); err != nil {
		return "", err
	}
	r := rtl.NewRecorder(n)
	r.AddStreams()
	for range 2 {
		n.Step()
	}
	dir := filepath.Join(t.TempDir(), "export")
	_, err = r.Export(dir)
	return dir, err
}

type streamCase struct {
	name, topology string // tree: is a sample
	settings       []string
}

func (c *streamCase) network(t *testing.T) string {
	if c.topology == "tree:" {
		return c.topology + sampleTree(t)
	}
	return c.topology
}

// streamCases are machines that differ in what concerns a stream: channels, virtual channels, their lanes and classes,
// headers, port regimes, widths. The first ones run in every test.
var streamCases = []streamCase{
	{"a channel per link, source routes, 12 bits", "mesh:3x2", []string{"routing", "source", "width", "12"}},
	{"headers in flits, two virtual channels", "mesh:2x3", []string{"header", "flit", "vcs", "2", "nic.channels", "1"}},
	{"adaptive, slow links", "mesh:3x2", []string{"routing", "adaptive", "vcs", "3", "nic.channels", "1", "hop", "2", "flit", "2", "width", "64"}},
	{"either order, single port", "mesh:2x2", []string{"routing", "o1turn", "vcs", "4", "nic.channels", "1", "ports", "single"}},
	{"odd-even, a channel per link", "mesh:3x2", []string{"routing", "odd-even", "buffer", "1"}},
	{"two lanes of dateline pairs, half duplex, 512 bits", "ring:5", []string{"vcs", "4", "nic.channels", "1", "nic.duplex", "half", "width", "512"}},
	{"headers in flits, source routes, a channel per link", "mesh:2x2", []string{"header", "flit", "routing", "source"}},
	{"headers in flits, tables", "tree:", []string{"header", "flit"}},
	{"one channel", "mesh:2x2", []string{"nic.channels", "1", "width", "8"}},
	{"three lanes on a torus of 3x3", "torus:3x3", []string{"vcs", "6", "nic.channels", "1", "buffer", "1"}},
	{"highest dimension first, SECDED", "mesh:2x3", []string{"routing", "yx", "buffer.code", "secded", "width", "32"}},
	{"tables", "tree:", []string{"vcs", "2", "width", "128"}},
	{"256 bits", "path:3", []string{"nic.channels", "1", "width", "256"}},
	{"adaptive, a channel per link", "mesh:2x2", []string{"routing", "adaptive", "nic.duplex", "half"}},
	{"a free choice of channels, headers in flits", "mesh:3x2", []string{"vcs", "3", "vc.choice", "free", "nic.channels", "1", "header", "flit"}},
	{"a free choice of channels, source routes on a ring", "ring:5", []string{"vcs", "4", "vc.choice", "free", "routing", "source"}},
	{"single port, two virtual channels", "hypercube:2", []string{"ports", "single", "vcs", "2", "nic.channels", "1"}},
}

// Frames with pauses and back-pressure arrive once, whole and unchanged, on every kind of machine.
func TestFramesArrive(t *testing.T) {
	machines, frames := soak.Number(*streamMachines, len(streamCases)), soak.Number(*streamFrames, 10000)
	for i, row := range streamCases[:machines] {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir, err := streamed(t, "wormhole", row.network(t), row.settings...)
			require.NoError(t, err)
			simulators := []string{"icarus"}
			if i < *streamVerilator || soak.On() {
				simulators = append(simulators, "verilator")
			}
			var first string
			for _, simulator := range simulators {
				cmd := proctest.Command(t, "make", "-s", "-C", filepath.Join(dir, "axis"), simulator, fmt.Sprintf("FRAMES=%d", frames))
				cmd.Env = append(os.Environ(), "MAKEFLAGS=")
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
				line, _, _ := strings.Cut(string(out), "\n")
				require.Regexp(t, fmt.Sprintf(`^PASS frames=%d beats=\d+ dropped=\d+ cycles=\d+$`, frames), line)
				require.Contains(t, []string{"", line}, first, "both simulators see the same")
				first = line
			}
		})
	}
}

// WAVE writes the streams and the network, and is never passed over in silence.
func TestWavesOfFrames(t *testing.T) {
	dir, err := streamed(t, "wormhole", "path:2", "nic.channels", "1")
	require.NoError(t, err)
	axis := filepath.Join(dir, "axis")
	require.Contains(t, made(t, axis, "icarus", "FRAMES=20", "WAVE=a b.vcd"), "PASS frames=20 ")
	text, err := os.ReadFile(filepath.Join(axis, "a b.vcd"))
	require.NoError(t, err)
	for _, want := range []string{" cycle ", " tx_valid ", " s0_axis_tvalid ", " m1_axis_tready ", "i_fabric", "\n#100\n"} {
		require.Contains(t, string(text), want)
	}
	for arguments, want := range map[string]string{
		"icarus WAVE=x.svg": "WAVE=x.svg: expected FILE.vcd or FILE.fst", "cocotb WAVE=x.vcd": "WAVE=x.vcd: expected make icarus or make verilator",
		"icarus WAVE=x.vcd CYCLES=0-9": "CYCLES=0-9: expected none, the waveform has all cycles",
	} {
		out, err := proctest.Command(t, "make", append([]string{"-s", "-C", axis}, strings.Fields(arguments)...)...).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), want)
	}
}

// Faults planted into the modules of streams: each must be found.
func TestFrameBenchFindsFaults(t *testing.T) {
	rows := []struct{ topology, file, old, new, want string }{
		{"path:3", "axis/lib/stream_sender.v", "| ({1'b0, destination} >= Count)", "", "FAIL "},
		{"mesh:2x2", "axis/lib/stream_buffer.v", "assign ready_o = count != Depth[CountWidth-1:0];", "assign ready_o = 1'b1;", "rule=input_buffer/no-push-when-full"},
		{"mesh:2x2", "axis/lib/stream_sender.v", "(destination == node_i) |", "", "FAIL "},
		{"mesh:2x2", "axis/lib/stream_sender.v", "assign dropped_o = ends & nowhere;", "assign dropped_o = 1'b0;", " node=0 dropped=0 expected="},
		{"mesh:2x2", "axis/lib/stream_sender.v", "assign dropped_o = ends & nowhere;", "assign dropped_o = valid & nowhere;", " dropped=2 expected=1"},
		{"path:3", "axis/frames.v", ".dropped_o      (dropped)", ".dropped_o      ({dropped[2], dropped[0], dropped[1]})", " dropped=1 expected=0"},
		{"mesh:2x2", "axis/lib/stream_receiver.v", ".tail_i   (tail)", ".tail_i   ({Buffers{1'b1}})", "FAIL "},
		{"mesh:2x2", "axis/lib/stream_receiver.v", "(flit[HeadBit+1+:VcWidth] == Vc)", "(flit[HeadBit+1+:VcWidth] != Vc)", "FAIL "},
		{"mesh:2x2", "lib/wormhole_outputs.v", ".ready_i  (ej_ready_i[c*Vcs+:Vcs])", ".ready_i  ({Vcs{1'b1}})", "FAIL "},
	}
	for _, row := range soak.Some(5, rows) {
		t.Run(row.old, func(t *testing.T) {
			t.Parallel()
			dir, err := streamed(t, "wormhole", row.topology, "vcs", "2", "nic.channels", "1")
			require.NoError(t, err)
			file := filepath.Join(dir, row.file)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(string(text), row.old))
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), row.old, row.new, 1)), 0o644))
			cmd := proctest.Command(t, "make", "-s", "-C", filepath.Join(dir, "axis"), "icarus", "FRAMES=300")
			cmd.Env = append(os.Environ(), "MAKEFLAGS=")
			out, err := cmd.CombinedOutput()
			require.Error(t, err, string(out))
			require.Contains(t, string(out), row.want)
		})
	}
}

// The constraints name every port of the core but its clock once, in commands that all tools have.
func TestConstraintsOfTheCore(t *testing.T) {
	dir, err := streamed(t, "wormhole", "path:2", "buffer.code", "secded")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "fabric_axis.json"))
	require.NoError(t, err)
	var core struct {
		Ports []struct {
			Name, Direction string
			Bits            int
		}
	}
	require.NoError(t, json.Unmarshal(text, &core))
	sdc, err := os.ReadFile(filepath.Join(dir, "fabric_axis.sdc"))
	require.NoError(t, err)
	lists := regexp.MustCompile(`(?s)set inputs \{(.*?)\}\nset outputs \{(.*?)\}\n`).FindStringSubmatch(string(sdc))
	require.NotNil(t, lists, string(sdc))
	inputs, outputs := strings.Fields(lists[1]), strings.Fields(lists[2])
	require.Len(t, slices.Concat(inputs, outputs), len(core.Ports)-1)
	module, err := os.ReadFile(filepath.Join(dir, "axis", "fabric_axis.v"))
	require.NoError(t, err)
	for _, p := range core.Ports {
		if p.Name == "aclk" {
			continue
		}
		pattern, list := p.Name, inputs
		if regexp.MustCompile(`(in|out)put +wire +\[[^]]*\] +` + p.Name + `\b`).Match(module) {
			pattern += "[*]"
		}
		if regexp.MustCompile(`output +wire [^,\n]*\b` + p.Name + `\b`).Match(module) {
			list = outputs
		}
		require.Contains(t, list, pattern)
	}
	for _, command := range regexp.MustCompile(`(?m)(?:^|\[)([a-z_]+) `).FindAllStringSubmatch(string(sdc), -1) {
		require.Contains(t, []string{"set", "create_clock", "get_ports", "set_input_delay", "set_output_delay", "expr"}, command[1])
	}
}

// cocotb 1 and cocotb 2 read variables of other names: both have the test, the top and the seed.
func TestVariablesOfCocotb(t *testing.T) {
	dir, err := streamed(t, "wormhole", "path:2", "nic.channels", "1")
	require.NoError(t, err)
	fake := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(fake, "cocotb-config"), []byte("#!/bin/sh\necho "+fake+"\n"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(fake, "Makefile.sim"), []byte(`$(COCOTB_RESULTS_FILE):
	@echo "PASS frames=$$FRAMES $(MODULE) $(COCOTB_TEST_MODULES) $(TOPLEVEL) $(COCOTB_TOPLEVEL) $$RANDOM_SEED $$COCOTB_RANDOM_SEED"; touch $@
`), 0o644))
	cmd := proctest.Command(t, "make", "-s", "-C", filepath.Join(dir, "axis"), "cocotb", "FRAMES=30", "SEED=4")
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "PATH="+fake+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "PASS frames=30 test_frames test_frames fabric_axis fabric_axis 4 4\n", string(out))
}

// Numbers that the bench of frames cannot use end make, in each of its Makefiles, and the bench that is started by hand.
func TestNumbersOfFrames(t *testing.T) {
	dir, err := streamed(t, "wormhole", "path:2", "nic.channels", "1")
	require.NoError(t, err)
	for _, folder := range []string{"axis", "axis/cocotb"} {
		for _, row := range []struct{ variable, want string }{
			{"FRAMES=abc", "FRAMES=abc: expected a number from 1 to 2147483647"},
			{"FRAMES=-3", "FRAMES=-3: expected a number from 1 to 2147483647"},
			{"FRAMES=0", "FRAMES=0: expected a number from 1 to 2147483647"},
			{"FRAMES=4294967297", "FRAMES=4294967297: expected a number from 1 to 2147483647"},
			{"SEED=abc", "SEED=abc: expected a number from 0 to 4294967295"},
			{"SEED=-1", "SEED=-1: expected a number from 0 to 4294967295"},
			{"SEED=0x1", "SEED=0x1: expected a number from 0 to 4294967295"},
		} {
			cmd := proctest.Command(t, "make", "-s", "-C", filepath.Join(dir, folder), row.variable)
			cmd.Env = append(os.Environ(), "MAKEFLAGS=")
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "%s: %s", row.variable, out)
			require.Contains(t, string(out), row.want)
		}
		cmd := proctest.Command(t, "make", "-s", "-C", filepath.Join(dir, folder), "help")
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Regexp(t, `(?s)^make .*\nmake help .*\nFRAMES=N .*SEED=S`, string(out))
	}
	axis := filepath.Join(dir, "axis")
	for _, variables := range []string{"FRAMES=20 SEED=4294967295", "FRAMES=20 SEED=0"} {
		cmd := proctest.Command(t, "make", append([]string{"-s", "-C", axis, "icarus"}, strings.Fields(variables)...)...)
		cmd.Env = append(os.Environ(), "MAKEFLAGS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "PASS frames=20 ")
	}
	for _, plus := range []string{"+frames=abc", "+frames=-3", "+frames=0", "+seed=abc"} {
		cmd := proctest.Command(t, "vvp", "-N", "build/icarus.vvp", plus)
		cmd.Dir = axis
		out, err := cmd.CombinedOutput()
		require.Error(t, err, "%s: %s", plus, out)
		require.Contains(t, string(out), "FAIL frames=")
	}
}

func TestStreamsRefuse(t *testing.T) {
	for _, row := range []struct {
		preset, topology string
		settings         []string
		want             string
	}{
		{"bufferless", "mesh:2x2", nil, "switching bufferless: AXI4-Stream ports may hold flits back, which only buffers of flits bear (expected switching wormhole)"},
		{"store-forward", "mesh:2x2", []string{"packet", "2", "buffer", "4"}, "switching store-forward: AXI4-Stream ports may hold flits back, which only buffers of flits bear (expected switching wormhole)"},
		{"wormhole", "mesh:2x2", []string{"routing", "valiant"}, "routing valiant: AXI4-Stream ports do not choose a node between for each message (expected routing dor, yx, o1turn, adaptive, west-first, north-last, negative-first, odd-even, table, updown or source)"},
		{"wormhole", "ring:5", []string{"vcs", "1"}, "AXI4-Stream ports: frames of any PE may be in flight at any time, and those on this network may wait for one another in a circle (meshwright deadlock shows it) (expected routes that are free of deadlock; more vcs may help)"},
		{"wormhole", "mesh:2x2", []string{"faults", "upset:1"}, "AXI4-Stream ports: not on a network with faults (expected no faults)"},
	} {
		_, err := streamed(t, row.preset, row.topology, row.settings...)
		require.EqualError(t, err, row.want)
	}
}

// The tools that read Verilog have nothing to say about a network with streams, and its descriptions are
// about the files that are there.
func TestStreamedNetworksAreClean(t *testing.T) {
	for _, row := range soak.Some(7, streamCases) {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir, err := streamed(t, "wormhole", row.network(t), row.settings...)
			require.NoError(t, err)
			const files = "axis/fabric_axis.v fabric.v lib/*.v axis/lib/*.v"
			for _, tool := range []string{
				"make -s -C axis lint",
				"iverilog -g2005 -Wall -Wno-timescale -s fabric_axis -t null " + files,
				"yosys -q -p 'read_verilog " + files + "; hierarchy -check -top fabric_axis; proc; select -assert-none t:$dlatch; check -assert'",
			} {
				cmd := proctest.Command(t, "sh", "-c", tool)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "MAKEFLAGS=")
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s: %s", tool, out)
				require.Empty(t, string(out), tool)
			}
			text, err := os.ReadFile(filepath.Join(dir, "fabric_axis.json"))
			require.NoError(t, err)
			var core struct {
				Files      []string `json:"files"`
				BenchFiles []string `json:"bench_files"`
			}
			require.NoError(t, json.Unmarshal(text, &core))
			require.NotEmpty(t, core.Files)
			for _, name := range append(core.Files, core.BenchFiles...) {
				require.FileExists(t, filepath.Join(dir, name))
			}
		})
	}
}

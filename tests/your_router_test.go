// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// routerFaults are faults in the router of examples/your-router, and what its bench says of each.
var routerFaults = []struct{ name, file, sound, fault, want string }{
	{"none", "plain_router.v", "", "", `^PASS messages=12 flits=\d+ cycles=\d+\n`},
	{"no back-pressure", "plain_queue.v", "count != 3'd4", "1'b1", `message does not arrive|data changed`},
	{"overwrites an offer", "plain_output.v", "if (|take) out_flit <= flit", "out_flit <= |take ? flit : ~out_flit", `^FAIL cycle=\d+ node=\d port=\d \(to .*\) link=changed\n`},
	{"withdraws an offer", "plain_output.v", "else if (out_ready) out_valid", "else out_valid", `link=withdrawn`},
	{"offers a flit again", "plain_output.v", "else if (out_ready) out_valid", "else if (1'b0) out_valid", `body without a head|message a second time`},
	{"leaves the mesh", "plain_router.v", "y > my_y ? 5'b00100", "y > my_y ? 5'b00001", `link=border`},
	{"stops early", "plain_router.v", "y > my_y ? 5'b00100", "y > my_y ? 5'b10000", `message=\d+ source=\d destination=\d wrong destination`},
	{"mixes messages", "plain_output.v", "busy  <= !flit[Width-1]", "busy  <= 1'b0", `head inside a message`},
	{"no reset", "plain_output.v", "      out_valid <= 1'b0;", "", `link=unknown`},
	{"changes data", "plain_queue.v", "<= in_flit", "<= in_flit ^ {33'd0, !in_flit[32]}", `source=\d flit=\d expected=[0-9a-f]{8} got=[0-9a-f]{8} data changed`},
	{"changes the source", "plain_output.v", "out_flit <= flit", "out_flit <= flit | {25'd0, flit[32], 8'd0}", `flit=0 expected=[0-9a-f]{8} got=[0-9a-f]{8} header changed`},
	{"changes the number", "plain_queue.v", "<= in_flit", "<= in_flit ^ 34'h080000000", `unknown message`},
	{"ends a message early", "plain_output.v", "out_flit <= flit", "out_flit <= {flit[33] | !flit[32] & flit[0], flit[32:0]}", `flits=\d expected=\d wrong length`},
}

func TestBenchFindsFaultsOfYourRouter(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	dir := t.TempDir()
	require.Zero(t, meshwright(t, dir, "run", "random", "--topology", "mesh:2x2", "--number", "12", "--length", "4", "--schedule", "random.csv").code)
	for _, fault := range routerFaults {
		t.Run(fault.name, func(t *testing.T) {
			changes := map[string][]string{}
			if fault.sound != "" {
				changes[fault.file] = []string{fault.sound, fault.fault}
			}
			got := yourRouter(t, changes, "icarus", "SCHEDULE="+filepath.Join(dir, "random.csv"), "SEED=6", "LIMIT=100")
			require.Regexp(t, fault.want, got.stdout)
			require.Equal(t, fault.name == "none", got.code == 0, got.stderr)
		})
	}
}

// yourRouter runs make for the example with a router whose files are changed: pairs of what stands there and what
// replaces it, by file.
func yourRouter(t *testing.T, changes map[string][]string, arguments ...string) spoken {
	example, dir := filepath.Join("..", "examples", "your-router"), t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(example, "router"))))
	for file, pairs := range changes {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		for i := 0; i < len(pairs); i += 2 {
			require.Contains(t, string(text), pairs[i])
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(strings.NewReplacer(pairs...).Replace(string(text))), 0o644))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.v"))
	require.NoError(t, err)
	return speak(t, proctest.Command(t, "make", append([]string{"-s", "-C", example, "BUILD=" + dir, "ROUTER=" + strings.Join(files, " ")}, arguments...)...))
}

// The bench reads the schedule of every collective, whatever columns stand behind the first five.
func TestBenchOfYourRouterReadsSchedules(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	dir := t.TempDir()
	for _, collective := range []string{"scatter", "gather", "gossip", "broadcast", "reduce", "allreduce", "reduce-scatter", "exchange"} {
		t.Run(collective, func(t *testing.T) {
			path := filepath.Join(dir, collective+".csv")
			require.Zero(t, meshwright(t, dir, "run", collective, "--topology", "mesh:2x2", "--length", "4", "--schedule", path).code)
			got := yourRouter(t, nil, "icarus", "SCHEDULE="+path, "MINIMAL=1")
			require.Regexp(t, `^PASS messages=[1-9]\d* flits=[1-9]\d* cycles=\d+\n`, got.stdout)
		})
	}
	for name, text := range map[string]string{
		"no header": "1,0,1,2,0\n2,1,0,2,0\n", "comments": "# title\n\nmessage,source,destination,flits,dispatch,route\n1,0,1,2,0 # one\n#2,0,9,1,0\n2,1,0,2,0,1>0\n",
		"blanks, quotes and lines of Windows": "\"message\", source,destination,flits,\"dispatch\"\r\n 1 ,0,\"1\",2,0\r\n2,1,0,2,0\r\n", "no last line feed": "1,0,1,2,0\n2,1,0,2,0",
		"a long row": "1,0,1,2,0,0>1," + strings.Repeat("8+", 5000) + "\n2,1,0,2,0\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "rows.csv")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
			got := yourRouter(t, nil, "icarus", "SCHEDULE="+path)
			require.Regexp(t, `^PASS messages=2 flits=4 cycles=\d+\n`, got.stdout)
		})
	}
}

// The links that offer a flit which nobody takes, and the PEs, stand behind the message that does not arrive.
func TestBenchOfYourRouterNamesWhatWaits(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	path := filepath.Join(t.TempDir(), "s.csv")
	require.NoError(t, os.WriteFile(path, []byte("7,0,1,9,0\n8,2,0,2,0\n"), 0o644))
	closed := map[string][]string{"plain_router.v": {
		"wire [4:0] taken;", "wire [4:0] taken; wire open; assign in_ready[i] = open && (i == 4 || my_x == 0);",
		".in_valid(in_valid[i]), .in_ready(in_ready[i])", ".in_valid(in_valid[i] && in_ready[i]), .in_ready(open)",
	}}
	got := yourRouter(t, closed, "icarus", "SCHEDULE="+path, "LIMIT=40")
	require.Equal(t, "FAIL cycle=48 node=1 message=7 source=0 message does not arrive; last flit in cycle 7\n"+
		"holds: node=0 port=0 (to x + 1) since cycle=2\n"+
		"holds: node=0 from the PE message=7 flit=5 since cycle=5\n", got.stdout)
	require.NotZero(t, got.code)
}

// A router may withdraw what it offers with STABLE=0, and takes no detours with MINIMAL=1.
func TestSwitchesOfYourRouter(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	dir := t.TempDir()
	path := filepath.Join(dir, "random.csv")
	require.Zero(t, meshwright(t, dir, "run", "random", "--topology", "mesh:2x2", "--number", "12", "--length", "4", "--schedule", path).code)
	withdraws := map[string][]string{"plain_router.v": {
		"  genvar i, o;", "  reg open;\n  always @(posedge clk) open <= rst_n & !open;\n  wire [4:0] full;\n  assign out_valid = full & {5{open}};\n  genvar i, o;",
		".out_valid(out_valid[o]), .out_ready(out_ready[o])", ".out_valid(full[o]), .out_ready(out_ready[o] & open)",
	}}
	detours := map[string][]string{"plain_router.v": {"x > my_x ? 5'b00010", "x > my_x ? (my_x == 0 && my_y == 0 && y == 0 ? 5'b00100 : 5'b00010)"}}
	for _, test := range []struct {
		name      string
		changes   map[string][]string
		variables []string
		want      string
	}{
		{"withdraws", withdraws, nil, `^FAIL cycle=\d+ node=\d port=\d \(to .*\) link=withdrawn\n`},
		{"may withdraw", withdraws, []string{"STABLE=0"}, `^PASS messages=12 `},
		{"may take detours", detours, nil, `^PASS messages=12 `},
		{"takes detours", detours, []string{"MINIMAL=1"}, `^FAIL crossings=(\d+) expected=\d+ links crossed by all flits: some took a detour\n`},
		{"takes none", nil, []string{"MINIMAL=1"}, `^PASS messages=12 `},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := yourRouter(t, test.changes, append([]string{"icarus", "SCHEDULE=" + path}, test.variables...)...)
			require.Regexp(t, test.want, got.stdout)
			require.Equal(t, strings.HasPrefix(test.want, "^PASS"), got.code == 0)
		})
	}
}

// WAVE writes a waveform, and does not go unnoticed where there is none.
func TestWavesOfYourRouter(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	dir := t.TempDir()
	path := filepath.Join(dir, "s.csv")
	require.NoError(t, os.WriteFile(path, []byte("1,0,1,2,0\n"), 0o644))
	wave := filepath.Join(dir, "a b.vcd")
	got := yourRouter(t, nil, "icarus", "SCHEDULE="+path, "WAVE="+wave)
	require.Zero(t, got.code, got.stderr)
	text, err := os.ReadFile(wave)
	require.NoError(t, err)
	require.Contains(t, string(text), "1ns")
	require.Contains(t, string(text), "i_router")
	require.Regexp(t, ` cycle(\[31:0\]| \[31:0\])? \$end`, string(text))
	require.NotZero(t, strings.Count(string(text), "\n#"))
	got = yourRouter(t, nil, "icarus", "SCHEDULE="+path, "WAVE=x.txt")
	require.Contains(t, got.stderr, "WAVE=x.txt: expected FILE.vcd or FILE.fst")
	got = yourRouter(t, nil, "mutants", "SCHEDULE="+path, "WAVE=x.vcd")
	require.Contains(t, got.stderr, "WAVE=x.vcd: expected make icarus or make verilator")
}

// make mutants says what it cannot work with.
func TestMutantsOfYourRouterNameTheFault(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	need(t, "yosys", "yosys")
	dir := t.TempDir()
	path := filepath.Join(dir, "s.csv")
	require.NoError(t, os.WriteFile(path, []byte("1,3,0,2,0\n"), 0o644))
	got := yourRouter(t, nil, "mutants", "SCHEDULE="+path, "MUTANTS=1", "TOP=none")
	require.Contains(t, got.stderr, "mutants.sh: TOP=none: no such module in ROUTER\n")
	require.NotContains(t, got.stderr, "ERROR")
	require.NotZero(t, got.code)
	got = yourRouter(t, map[string][]string{"plain_queue.v": {"module plain_queue", "modul plain_queue"}}, "mutants", "SCHEDULE="+path, "MUTANTS=1")
	require.Contains(t, got.stderr, "plain_queue.v:")
	placed := map[string][]string{"plain_router.v": {"module plain_router #(", "module plain_router #(\n  parameter X = 0, parameter Y = 0,", "x < my_x", "x < X", "x > my_x", "x > X", "y < my_y", "y < Y", "y > my_y", "y > Y"}}
	adapter, err := os.ReadFile(filepath.Join("..", "examples", "your-router", "router_adapter.v"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "adapter.v"), []byte(strings.Replace(string(adapter), "#(.Width(LinkWidth))", "#(.Width(LinkWidth), .X(X), .Y(Y))", 1)), 0o644))
	got = yourRouter(t, placed, "icarus", "SCHEDULE="+path, "ADAPTER="+filepath.Join(dir, "adapter.v"))
	require.Regexp(t, `^PASS`, got.stdout)
	got = yourRouter(t, placed, "mutants", "SCHEDULE="+path, "MUTANTS=1", "ADAPTER="+filepath.Join(dir, "adapter.v"))
	require.Contains(t, got.stderr, "its position must come from ports, not parameters")
	require.NotZero(t, got.code)
}

// A schedule that the bench cannot read is one line with the place and what was expected there.
func TestBenchOfYourRouterNamesTheLine(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	dir := t.TempDir()
	const names = "message,source,destination,flits,dispatch"
	const head = names + "\n1,0,1,2,0\n"
	const number = "expected a number from 0 to 2147483647"
	for text, want := range map[string]string{
		head + "2,3\n":                "line=3 columns=2 expected at least 5: " + names,
		head + "2,0,4,1,0\n":          "line=3 destination=4 expected a node below 4, the nodes of the mesh",
		head + "# c\n2,5,0,1,0\n":     "line=4 source=5 expected a node below 4, the nodes of the mesh",
		head + "two,0,1,1,0\n":        "line=3 message: " + number,
		head + "2,0,-1,1,0\n":         "line=3 destination: " + number,
		head + "2,0,1,,0\n":           "line=3 flits: " + number,
		head + "2,0,1,1,2147483648\n": "line=3 dispatch: " + number,
		head + "2,0,1,1 1,0\n":        "line=3 flits: " + number,
		"message,destination,source,flits,dispatch\n1,0,1,2,0\n":   "line=1 expected a header that begins with " + names,
		"message,source,destination,flits,dispatched\n1,0,1,2,0\n": "line=1 expected a header that begins with " + names,
		names + ",route\n":                   "no messages: expected rows of " + names,
		strings.Repeat("1,0,1,0,0\n", 65536): "line=65536 expected at most 65535 messages",
	} {
		path := filepath.Join(dir, "line.csv")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		got := speak(t, proctest.Command(t, "make", "-s", "-C", filepath.Join("..", "examples", "your-router"), "icarus",
			"SCHEDULE="+path, "BUILD="+dir))
		require.Equal(t, "FAIL schedule="+path+" "+want+"\n", got.stdout)
		require.NotZero(t, got.code)
	}
	run := func(variables ...string) spoken {
		return speak(t, proctest.Command(t, "make", append([]string{"-s", "-C", filepath.Join("..", "examples", "your-router"), "icarus", "BUILD=" + dir}, variables...)...))
	}
	missing := filepath.Join(dir, "none.csv")
	got := run("SCHEDULE=" + missing)
	require.Equal(t, "FAIL schedule="+missing+" cannot be read (a name without / in front belongs to the Makefile's folder)\n", got.stdout)
	require.NotZero(t, got.code)
	got = run("COLUMNS=17")
	require.Contains(t, got.stderr, "COLUMNS=17 ROWS=2: expected 1 to 16")
	require.NotZero(t, got.code)
	for variable, want := range map[string]string{
		"SEED=abc": "0 to 4294967295", "SEED=-1": "0 to 4294967295", "LIMIT=0": "1 to 2147483647", "LIMIT=x": "1 to 2147483647", "WIDTH=8": "32 to 65536",
		"LINK=": "1 to 65536", "INORDER=2": "0 to 1", "STABLE=x": "0 to 1", "MINIMAL=2": "0 to 1", "MUTANTS=0": "1 to 2147483647", "MUTANT_SEED=x": "0 to 2147483647",
	} {
		got = run(variable)
		require.Contains(t, got.stderr, variable+": expected a number from "+want)
		require.NotZero(t, got.code)
	}
}

// make help of each example lists its targets and the variables that a user may set.
func TestHelpOfExamples(t *testing.T) {
	for folder, names := range map[string][]string{
		"your-router": {"make icarus ", "make verilator ", "make mutants ", "make help ", "SCHEDULE=", "COLUMNS=", "ROWS=", "ROUTER=", "TOP=", "ADAPTER=", "WIDTH=", "LINK=", "LIMIT=", "INORDER=", "STABLE=", "MINIMAL=", "WAVE=", "SEED=", "MUTANTS=", "MUTANT_SEED=", "BUILD="},
		"ip":          {"make icarus ", "make verilator ", "make help ", "FABRIC=", "BUILD="},
	} {
		got := speak(t, proctest.Command(t, "make", "-s", "-C", filepath.Join("..", "examples", folder), "help"))
		require.Zero(t, got.code, got.stderr)
		for _, name := range names {
			require.Contains(t, got.stdout, name)
		}
		require.NotContains(t, got.stdout, "SPDX")
	}
}

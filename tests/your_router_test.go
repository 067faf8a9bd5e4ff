// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// routerFaults are faults in the router of examples/your-router, and what its bench says of each.
var routerFaults = []struct{ name, file, sound, fault, want string }{
	{"none", "plain_router.v", "", "", `^PASS messages=12 flits=\d+ cycles=\d+\n`},
	{"no back-pressure", "plain_queue.v", "count != 3'd4", "1'b1", `message does not arrive|data changed`},
	{"overwrites an offer", "plain_output.v", "if (|take) out_flit <= flit", "out_flit <= |take ? flit : ~out_flit", `link=changed`},
	{"withdraws an offer", "plain_output.v", "else if (out_ready) out_valid", "else out_valid", `link=withdrawn`},
	{"offers a flit again", "plain_output.v", "else if (out_ready) out_valid", "else if (1'b0) out_valid", `body without a head|message a second time`},
	{"leaves the mesh", "plain_router.v", "y > my_y ? 5'b00100", "y > my_y ? 5'b00001", `link=border`},
	{"stops early", "plain_router.v", "y > my_y ? 5'b00100", "y > my_y ? 5'b10000", `wrong destination`},
	{"mixes messages", "plain_output.v", "busy  <= !flit[Width-1]", "busy  <= 1'b0", `head inside a message`},
	{"no reset", "plain_output.v", "      out_valid <= 1'b0;", "", `link=unknown`},
	{"changes data", "plain_queue.v", "<= in_flit", "<= in_flit ^ {33'd0, !in_flit[32]}", `data changed`},
	{"changes the source", "plain_output.v", "out_flit <= flit", "out_flit <= flit | {25'd0, flit[32], 8'd0}", `header changed`},
	{"changes the number", "plain_queue.v", "<= in_flit", "<= in_flit ^ 34'h080000000", `unknown message`},
	{"ends a message early", "plain_output.v", "out_flit <= flit", "out_flit <= {flit[33] | !flit[32] & flit[0], flit[32:0]}", `wrong length`},
}

func TestBenchFindsFaultsOfYourRouter(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	dir := t.TempDir()
	require.Zero(t, meshwright(t, dir, "run", "random", "--topology", "mesh:2x2", "--number", "12", "--length", "4", "--schedule", "random.csv").code)
	example := filepath.Join("..", "examples", "your-router")
	for _, fault := range routerFaults {
		t.Run(fault.name, func(t *testing.T) {
			router := t.TempDir()
			require.NoError(t, os.CopyFS(router, os.DirFS(filepath.Join(example, "router"))))
			path := filepath.Join(router, fault.file)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(text), fault.sound)
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), fault.sound, fault.fault, 1)), 0o644))
			files, err := filepath.Glob(filepath.Join(router, "*.v"))
			require.NoError(t, err)
			got := speak(t, proctest.Command(t, "make", "-s", "-C", example, "icarus",
				"SCHEDULE="+filepath.Join(dir, "random.csv"), "SEED=6", "LIMIT=100", "BUILD="+router, "ROUTER="+strings.Join(files, " ")))
			require.Regexp(t, fault.want, got.stdout)
			require.Equal(t, fault.name == "none", got.code == 0, got.stderr)
		})
	}
}

// A schedule that the bench cannot read is one line with the place.
func TestBenchOfYourRouterNamesTheLine(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	dir := t.TempDir()
	const head = "message,source,destination,flits,dispatch\n1,0,1,2,0\n"
	for text, line := range map[string]int{
		head + "2,3\n": 3, head + "2,0,4,1,0\n": 3, head + "two,0,1,1,0\n": 3,
		"1,0,1,2,0\n2,1,0,2,0\n": 1, "message,destination,source,flits,dispatch\n1,0,1,2,0\n": 1,
	} {
		path := filepath.Join(dir, "line.csv")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		got := speak(t, proctest.Command(t, "make", "-s", "-C", filepath.Join("..", "examples", "your-router"), "icarus",
			"SCHEDULE="+path, "BUILD="+dir))
		require.Equal(t, "FAIL schedule="+path+" line="+strconv.Itoa(line)+" expected message,source,destination,flits,dispatch, "+
			"nodes below 4 and at most 65535 messages\n", got.stdout)
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
		"LINK=": "1 to 65536", "INORDER=2": "0 to 1", "MUTANTS=0": "1 to 2147483647", "MUTANT_SEED=x": "0 to 2147483647",
	} {
		got = run(variable)
		require.Contains(t, got.stderr, variable+": expected a number from "+want)
		require.NotZero(t, got.code)
	}
}

// make help of each example lists its targets and the variables that a user may set.
func TestHelpOfExamples(t *testing.T) {
	for folder, names := range map[string][]string{
		"your-router": {"make icarus ", "make verilator ", "make mutants ", "make help ", "SCHEDULE=", "COLUMNS=", "ROWS=", "ROUTER=", "TOP=", "ADAPTER=", "WIDTH=", "LINK=", "LIMIT=", "INORDER=", "SEED=", "MUTANTS=", "MUTANT_SEED=", "BUILD="},
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

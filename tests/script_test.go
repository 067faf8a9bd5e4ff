// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// Whole command lines: files in; standard output, standard error and exit code
// as expected, and files out.
func TestScripts(t *testing.T) {
	need(t, "tshark", "tshark")
	need(t, "iverilog", "iverilog make")
	golden, err := filepath.Abs("testdata/golden")
	require.NoError(t, err)
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	deadline, _ := t.Deadline() // none: a time that testscript takes for none, too
	testscript.Run(t, testscript.Params{
		Deadline:            deadline,
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("GOLDEN", golden)
			env.Setenv("BINARY", binary)
			return nil
		},
	})
}

// exits runs a command that must end with a certain code: exits 1 meshwright check …
// What it printed is there for stdout, stderr and cmp.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		code, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = code.ExitCode()
	}
	if got != want {
		fmt.Fprint(ts.Stdout(), ts.ReadFile("stdout"))
		ts.Fatalf("exit code %d, expected %d: %s", got, want, ts.ReadFile("stderr"))
	}
}

// SPDX-License-Identifier: Apache-2.0

// Package tests holds the tests that cross packages. The tests of the command line
// build the program once and run it as users do.
package tests

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// update makes the scripts keep what the program prints.
var update = flag.Bool("update", false, "write what the commands print into testdata/script")

// binary is the path of the program under test.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "meshwright-tests-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "meshwright")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "meshwright/cmd/meshwright")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make builds it
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	if err := os.Unsetenv("GOGC"); err != nil { // it is for this process and the build, and users have none
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// spoken is the result of a command line: its output, its errors and its exit code.
type spoken struct {
	stdout, stderr string
	code           int
}

// meshwright runs the program in a directory.
func meshwright(t testing.TB, dir string, args ...string) spoken {
	t.Helper()
	cmd := proctest.Command(t, binary, args...)
	cmd.Dir = dir
	return speak(t, cmd)
}

func speak(t testing.TB, cmd *exec.Cmd) spoken {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	require.NotContains(t, stderr.String(), "SIGQUIT: quit", "it did not end")
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return spoken{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// snapshot maps every file and directory below dir to its content.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || entry.IsDir() {
			found[name] = "directory"
			return err
		}
		text, err := os.ReadFile(path)
		found[name] = "file: " + string(text)
		return err
	})
	require.NoError(t, err)
	return found
}

// need fails the test, with how to install it, when a tool is missing.
func need(t testing.TB, tool, packages string) {
	t.Helper()
	if _, err := exec.LookPath(tool); err != nil {
		t.Fatalf("%s is not installed (on Debian or Ubuntu: apt-get install %s)", tool, packages)
	}
}

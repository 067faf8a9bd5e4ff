// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// speaking are command lines that print something, of every verb.
var speaking = [][]string{
	{"--help"}, {"--version"}, {"help"}, {"help", "run"}, {"run", "--help"}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "--help"}, {"list"}, {"version"},
	{"run", "scatter", "-t", "path:3"}, {"run", "scatter", "-t", "path:3", "--json"}, {"run", "scatter", "--algorithm", "list"},
	{"check", "s.csv", "-t", "path:3"}, {"check", "s.csv", "-t", "path:3", "--json"}, {"run", "s.csv", "-t", "path:3"},
	{"export", "chip", "scatter", "-t", "path:3"}, {"cosim", "scatter", "-t", "path:3", "--simulator", "icarus"},
	{"asm", "p.s"}, {"asm", "p.s", "--listing"}, {"disasm", "p.hex"}, {"dissector"}, {"draw", "-t", "mesh:3x3"}, {"bench", "saturated-8x8", "--cycles", "10"}, {"deadlock", "-t", "ring:4"},
	{"synth", "-t", "path:2", "-m", "bufferless", "--width", "8", "--unit", "fabric", "--target", "generic"},
	{"plan", "packets", "--flits", "10", "--distance", "2", "--setup", "1"}, {"plan", "gossip", "-t", "ring:4"}, {"plan", "covers", "-t", "ring:4"},
}

func speakingDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"s.csv": scheduleText, "p.s": "\thalt\n", "p.hex": "00000000\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// No failed write of standard output is lost: one line, exit code 2.
func TestStandardOutputIsFull(t *testing.T) {
	for _, args := range speaking {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		require.NoError(t, err)
		var stderr bytes.Buffer
		cmd := proctest.Command(t, binary, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = speakingDir(t), full, &stderr
		_ = cmd.Run()
		require.NoError(t, full.Close())
		require.Equal(t, "meshwright: standard output: no space left on device\n", stderr.String(), args)
		require.Equal(t, 2, cmd.ProcessState.ExitCode(), args)
	}
}

// A reader that goes away ends a verb without a word, and temporary files go
// all the same.
func TestStandardOutputIsClosed(t *testing.T) {
	for _, args := range speaking {
		read, write, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, read.Close())
		tmp := t.TempDir()
		var stderr bytes.Buffer
		cmd := proctest.Command(t, binary, args...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = speakingDir(t), write, &stderr
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
		_ = cmd.Run()
		require.NoError(t, write.Close())
		require.Empty(t, stderr.String(), args)
		require.Equal(t, 141, cmd.ProcessState.ExitCode(), args)
		left, err := os.ReadDir(tmp)
		require.NoError(t, err)
		require.Empty(t, left, args)
	}
}

func TestUnknownShell(t *testing.T) {
	require.Equal(t, spoken{"", "meshwright: unknown shell \"foo\" (expected one of bash, fish, powershell, zsh)\n", 2}, meshwright(t, t.TempDir(), "completion", "foo"))
	require.Equal(t, 2, meshwright(t, t.TempDir(), "completion", "bash", "foo").code)
	require.Contains(t, meshwright(t, t.TempDir(), "completion", "bash").stdout, "__start_meshwright")
}

// Of many errors the first ten are shown, a line each.
func TestManyErrors(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), bytes.Repeat([]byte("frob r1\n"), 10_000), 0o644))
	for _, verb := range []string{"asm", "disasm"} {
		got := meshwright(t, dir, verb, "x")
		require.Equal(t, 2, got.code)
		require.Equal(t, 11, bytes.Count([]byte(got.stderr), []byte("\n")), got.stderr)
		require.Contains(t, got.stderr, "\nmeshwright: 9990 more errors\n")
		require.LessOrEqual(t, bytes.Count([]byte(got.stderr), []byte("recvw")), 1, "the instructions are listed once")
	}
}

// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
	"meshwright/internal/soak"
)

// tooLarge is the line of a job that was refused.
var tooLarge = regexp.MustCompile(`^meshwright: .* (needs about|needs more than) .* are there \(expected a smaller job, (meshwright plan for the time alone, )?or a larger --memory\)\n$`)

// Jobs that do not fit into an address space of 2 GB, of which Go takes 1.3
// before any work, end with one line and exit code 4; none with a crash dump.
func TestTooLargeForTheAddressSpace(t *testing.T) {
	for _, row := range []struct {
		args string
		code int
	}{
		{"run scatter -t mesh:1000x1000 -l 1", 4},
		{"run gather -t mesh:1000x1000 -l 1", 4},
		{"run gather -t random-tree:300000 -m bufferless -a certification-tight", 4},
		{"run gossip -t torus:64x64 -l 16", 4},
		{"run gossip -t mesh:128x128 -l 1", 4},
		{"run broadcast -t hypercube:20 -l 8", 4},
		{"run reduce -t mesh:1000x1000 -l 8", 4},
		{"traffic -t mesh:2000x2000 --rate 0.1", 4},
		{"run allreduce -t ring:4000 -l 4000 -a ring", 4},
		{"run exchange -t mesh:64x64 -l 1", 4},
		{"run exchange -t torus:32x32 -l 16", 4},
		{"run scatter -t hypercube:22", 4},
		{"run scatter -t hypercube:30", 2},
		{"run scatter -t mesh:5x5x5x5x5x5x5x5x5", 4},
		{"run scatter -t random-tree:4000000", 4},
		{"run scatter -t random-tree:2000000000", 2},
		{"run scatter -t complete:3000", 4},
		{"run scatter -t complete:100000", 2},
		{"check none.csv -t mesh:100000x100000", 2},
		{"export D scatter -t mesh:1000x1000", 4},
		{"cosim gossip -t torus:64x64 -l 16 --simulator icarus", 4},
		{"cosim scatter -t mesh:30x30 --simulator icarus", 4},
		{"cosim scatter -t mesh:30x30 --simulator icarus --emulator", 4},
		{"mutate scatter -t mesh:30x30 --coverage-report", 4},
		{"plan trees -t hypercube:22", 4},
		{"plan covers -t hypercube:22", 4},
		{"plan bound gather -t hypercube:22", 4},
		{"plan order -t random-tree:4000000", 4},
		{"plan timetables -t mesh:64x64", 2},
		{"plan formulas -t torus:1024x1024 -l 100", 2},
		{"bench saturated-8x8 --cycles 100", 0},
		{"list", 0},
	} {
		t.Run(row.args, func(t *testing.T) {
			got := limited(t, "ulimit -v 2000000", row.args)
			require.Equal(t, row.code, got.code, got.stderr)
			if row.code == 0 {
				require.Empty(t, got.stderr)
				return
			}
			require.Regexp(t, `^meshwright: [^\n]*\n$`, got.stderr)
			require.Empty(t, got.stdout)
		})
	}
}

// What fits runs under a limit as without one, and so do errors.
func TestLimitsChangeNothingElse(t *testing.T) {
	for _, args := range []string{
		"run scatter -t mesh:8x8", "check none.csv -t mesh:8x8", "run scatter -t mesh:8x", "list", "--help", "run gather -t path:4 -m bufferless --vcs 9",
	} {
		free := meshwright(t, t.TempDir(), strings.Fields(args)...)
		require.Equal(t, free, limited(t, "ulimit -v 2000000", args), args)
		require.Equal(t, free, limited(t, "ulimit -d 1000000", args), args)
	}
}

// limited runs the program behind a line of the shell.
func limited(t *testing.T, limit, args string) spoken {
	t.Helper()
	cmd := proctest.Command(t, "sh", append([]string{"-c", limit + ` && exec "$0" "$@"`, binary}, strings.Fields(args)...)...)
	cmd.Dir = t.TempDir()
	return speak(t, cmd)
}

// Schedules are refused while they are read, when they are checked, and when
// they run. Which sentence a user reads depends on whether the estimate or the
// watch comes first; the packages' own tests hold the estimates.
func TestTooLargeSchedule(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&text, "%d,%d,%d,1,%d\n", i, i%100, (i+1)%100, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.csv"), []byte(text.String()), 0o644))
	for _, args := range []string{
		"check s.csv -t ring:100 --memory 15MB",
		"check s.csv -t ring:100 --memory 60MB",
		"check s.csv -t ring:100 -m store-forward --memory 40MB",
		"run s.csv -t ring:100 --memory 60MB",
	} {
		got := meshwright(t, dir, strings.Fields(args)...)
		require.Equal(t, 4, got.code, args+got.stderr)
		require.Regexp(t, tooLarge, got.stderr)
	}
	require.NotEqual(t, 4, meshwright(t, dir, "check", "s.csv", "-t", "ring:100", "--memory", "500MB").code)
}

// Too few files or threads, no folder for temporary files, a folder that
// cannot be written and a full disk each end with a line.
func TestMissingResources(t *testing.T) {
	for _, row := range []struct {
		shell, args, stderr string
		code                int
	}{
		{"ulimit -n 8", "run scatter -t mesh:4x4 --trace x.csv", `^meshwright: the system allows 8 files open at a time \(expected ulimit -n 16 or more\)$`, 4},
		{"ulimit -n 10", "list", `^meshwright: the system allows 10 files open at a time \(expected ulimit -n 16 or more\)$`, 4},
		{"ulimit -n 16", "run scatter -t mesh:4x4 --trace x.csv --json > /dev/null", "^$", 0},
		{"export TMPDIR=/nonexistent", "cosim scatter -t mesh:2x2 --simulator icarus", `^meshwright: TMPDIR /nonexistent: no such file or directory$`, 2},
		{"true", "run scatter -t mesh:4x4 --table /dev/full", `^meshwright: /dev/full: no space left on device$`, 2},
		{"true", "run scatter -t mesh:4x4 --schedule /dev/full", `^meshwright: /dev/full: no space left on device$`, 2},
		{"exec > /dev/full", "run scatter -t mesh:4x4", `^meshwright: standard output: no space left on device$`, 2},
	} {
		t.Run(row.shell+" "+row.args, func(t *testing.T) {
			cmd := proctest.Command(t, "sh", "-c", row.shell+" && exec "+binary+" "+row.args)
			cmd.Dir = t.TempDir()
			got := speak(t, cmd)
			require.Equal(t, row.code, got.code, got.stderr)
			require.Regexp(t, row.stderr, strings.TrimSuffix(got.stderr, "\n"))
		})
	}
}

// Few threads end with a line, too; root may have any number.
func TestFewThreads(t *testing.T) {
	if os.Geteuid() == 0 {
		need(t, "setpriv", "util-linux")
	}
	need(t, "bash", "bash")
	dir := t.TempDir()
	program := filepath.Join(dir, "meshwright") // where another user can reach it
	text, err := os.ReadFile(binary)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, text, 0o755))
	for at := dir; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		require.NoError(t, os.Chmod(at, 0o755))
	}
	line := []string{"bash", "-c", "ulimit -u 12 && exec " + program + " run scatter -t mesh:4x4"}
	if os.Geteuid() == 0 {
		line = append([]string{"setpriv", "--reuid", "54321", "--clear-groups"}, line...)
	}
	got := speak(t, proctest.Command(t, line[0], line[1:]...))
	require.Equal(t, spoken{"", "meshwright: the system allows 12 threads (expected ulimit -u 16 or more)\n", 4}, got)
}

// --memory is a limit of the user's own, on every verb.
func TestMemoryFlag(t *testing.T) {
	for _, args := range []string{
		"run gossip -t torus:64x64 -l 16 --memory 100MB",
		"run scatter -t hypercube:20 --memory 1GiB",
		"cosim gossip -t torus:64x64 -l 16 --memory 100MB --simulator icarus",
		"export D gossip -t torus:64x64 -l 16 --memory 100MB",
	} {
		got := meshwright(t, t.TempDir(), strings.Fields(args)...)
		require.Equal(t, 4, got.code, args+got.stderr)
		require.Regexp(t, tooLarge, got.stderr, args)
	}
	for _, bad := range []string{"8", "lots", "-1GB", "0GB"} {
		got := meshwright(t, t.TempDir(), "list", "--memory", bad)
		require.Equal(t, spoken{"", "meshwright: --memory: \"" + bad + "\" (expected a size such as 8GB or 512MB)\n", 2}, got)
	}
}

// A device or a pipe that never ends is refused, in one line that names it,
// before much of it is in memory: within an address space of 2 GB, of which
// nothing is left for half of it.
func TestEndlessInput(t *testing.T) {
	for _, row := range []struct{ args, stderr string }{
		{"check /dev/zero -t mesh:4x4", "/dev/zero:1: not a text (expected a text file)"},
		{"run /dev/zero.csv -t mesh:4x4", ""},
		{"import /dev/zero", "/dev/zero: the content does not tell its format (expected --format pcapng, chakra, msccl, json, csv or tdm)"},
		{"import /dev/zero --format msccl", "/dev/zero:1: not a text (expected a text file)"},
		{"import /dev/zero --format tdm", "/dev/zero:1: not a text (expected a text file)"},
		{"import /dev/zero --format csv -t mesh:4x4", "/dev/zero:1: not a text (expected a text file)"},
		{"run gather -t tree:/dev/zero", "/dev/zero:1: not a text (expected a text file)"},
		{"run gather -t graph:/dev/zero", "/dev/zero:1: not a text (expected a text file)"},
		{"run gather -t mesh:4x4 -m /dev/zero", "/dev/zero:1: not a text (expected a text file)"},
		{"run gather -t mesh:4x4 --lengths @/dev/zero", "/dev/zero:1: not a text (expected a text file)"},
		{"run gather -t mesh:4x4 -m store-forward --packets @/dev/zero", "/dev/zero:1: not a text (expected a text file)"},
		{"run --firmware /dev/zero -t mesh:4x4", "/dev/zero:1: not a text (expected a text file)"},
		{"asm /dev/zero", "/dev/zero:1: not a text (expected a text file)"},
		{"disasm /dev/zero", "/dev/zero:1: not a text (expected a text file)"},
	} {
		t.Run(row.args, func(t *testing.T) {
			got := limited(t, "ulimit -v 2000000", row.args)
			require.Equal(t, 2, got.code, got.stderr)
			require.Regexp(t, `^meshwright: [^\n]*\n$`, got.stderr)
			if row.stderr != "" {
				require.Equal(t, "meshwright: "+row.stderr+"\n", got.stderr)
			}
		})
	}
}

// The same with lines that never end, through a pipe.
func TestEndlessPipe(t *testing.T) {
	for i, row := range []struct{ line, args string }{
		{"y", "check /dev/stdin -t mesh:4x4"}, {"0,0,1,1,0", "check /dev/stdin -t mesh:4x4"}, {"y", "import /dev/stdin"},
		{"y", "import /dev/stdin --format msccl"}, {"y", "run gather -t tree:/dev/stdin"}, {"0,1", "run gather -t graph:/dev/stdin"},
		{"y", "run gather -t mesh:4x4 -m /dev/stdin"}, {"y", "run gather -t mesh:4x4 --lengths @/dev/stdin"},
		{"0,1", "run gather -t mesh:4x4 -m store-forward --packets @/dev/stdin"}, {"y", "asm /dev/stdin"}, {"00000000", "disasm /dev/stdin"},
	} {
		if i%4 > 0 && !soak.On() {
			continue
		}
		t.Run(row.args, func(t *testing.T) {
			t.Parallel()
			cmd := proctest.Command(t, "sh", append([]string{"-c", `ulimit -v 1900000; yes ` + row.line + ` | "$0" "$@"`, binary}, strings.Fields(row.args)...)...)
			cmd.Dir = t.TempDir()
			got := speak(t, cmd)
			require.Contains(t, []int{2, 4}, got.code, got.stderr)
			require.NotContains(t, got.stderr, "goroutine")
			require.LessOrEqual(t, strings.Count(got.stderr, "\n"), 12) // of a list of errors the first ten
		})
	}
}

// Under a limit, too, the program reads what is typed on its terminal.
func TestTypedUnderALimit(t *testing.T) {
	screen, terminal, err := pty.Open()
	require.NoError(t, err)
	defer screen.Close()
	dir := t.TempDir()
	p := beginWith(t, dir, func(cmd *exec.Cmd) {
		cmd.Stdin = terminal
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}, "sh", "-c", "ulimit -v 16000000; exec "+binary+" check - -t path:3")
	require.NoError(t, terminal.Close())
	_, err = screen.WriteString("1,0,2,3,0\n\x04") // a line and the end
	require.NoError(t, err)
	got := p.end()
	require.Zero(t, got.code, got.stderr)
	require.Contains(t, got.stdout, "messages     │ 1 ")
}

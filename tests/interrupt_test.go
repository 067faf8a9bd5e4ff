// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// ending is one of the signals that end a verb, another for each row. Who ignores
// SIGHUP, as nohup makes all that it starts, is not ended by it.
func ending(row int) os.Signal {
	endings := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	if signal.Ignored(syscall.SIGHUP) {
		endings = endings[:2]
	}
	return endings[row%len(endings)]
}

var interrupted = spoken{"", "meshwright: interrupted\n", 130}

// A run that is interrupted says so, exits with 130, and leaves every file as
// it was: no half-written trace, no temporary file.
func TestInterrupt(t *testing.T) {
	const long = " -t path:1000 --length 20000"
	for i, args := range []string{
		"run gather --algorithm nearest-first --trace a.csv --trace old.csv --trace a.pcapng --trace a.html --trace a.pftrace --trace a.svg --schedule s.csv --listing l" + long,
		"run scatter --algorithm furthest-first --trace a.csv --json" + long,
		"run gather --algorithm certification -m bufferless --trace a.csv --trace a.svg --table t.csv --listing l -t path:300 --length 20000",
		"run gather --algorithm certification-ii -m store-forward --packets 4 --trace a.csv -t path:300 --length 4000",
		"run long.csv -t path:1000 --trace a.csv",
	} {
		t.Run(args, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "old.csv"), []byte("old\n"), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "long.csv"), []byte("0,0,999,16000000,0\n1,999,0,16000000,0\n"), 0o644))
			before := snapshot(t, dir)
			p := begin(t, dir, args)
			p.await(func() bool { return temporaryBytes(t, dir) > 0 })
			require.Equal(t, interrupted, p.signal(ending(i)))
			require.Equal(t, before, snapshot(t, dir))
			p.requireClean()
		})
	}
}

// A run that is interrupted leaves a checkpoint, from which another one goes on.
func TestInterruptLeavesACheckpoint(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "endless.s"), []byte("x: now r1\n addi r1, r1, 1\n wait r1\n jmp x\n"), 0o600))
	state := filepath.Join(dir, "state")
	var last []byte
	for i, flag := range []string{"", " --restore state"} {
		p := begin(t, dir, "run endless.s -t path:2 --checkpoint state --every 10000"+flag)
		p.await(func() bool {
			content, err := os.ReadFile(state)
			return err == nil && !bytes.Equal(content, last)
		})
		require.Equal(t, spoken{"", "meshwright: state in state; add --restore state to go on\n" + interrupted.stderr, 130}, p.signal(ending(i)))
		p.requireClean()
		content, err := os.ReadFile(state)
		require.NoError(t, err)
		require.False(t, bytes.Equal(last, content))
		require.Equal(t, 3, len(snapshot(t, dir))) // the folder, the program and the checkpoint
		last = content
	}
}

// One signal ends whatever a verb does: building, planning, searching, checking
// and running, also where it would go on for minutes. Without a soak every other line runs; TestProgressOfLongPhases
// interrupts the verbs of the others, too.
func TestInterruptWhileWorking(t *testing.T) {
	for i, args := range soak.Some(2, []string{
		"deadlock -t mesh:200x200",
		"bench saturated-8x8 --cycles 1000000000",
		"plan order -t path:8 --root 3 --lengths 200,0,0,0,0,0,200 --setup 2 --steps 1000000000",
		"plan order -t path:200000",
		"plan certification -t path:20000 --flits 4",
		"plan distance --cases 1000000",
		"plan trees -t mesh:10x10 -l 100000",
		"plan covers -t mesh:200x200",
		"run exchange -t mesh:32x32",
		"plan formulas -t torus:2x8192 -l 1 --startup 100,200,300,400,500,600,700,800,900,1000,2000,3000",
		"run broadcast -t hypercube:16 -l 64",
		"plan timetables -t mesh:11x10 --search --effort 8",
		"export chip scatter -t mesh:200x200",
	}) {
		t.Run(args, func(t *testing.T) {
			dir := t.TempDir()
			before := snapshot(t, dir)
			p := begin(t, dir, args)
			p.await(p.working)
			require.Equal(t, interrupted, p.signal(ending(i)))
			if strings.Contains(args, "s.csv") {
				_ = os.Remove(filepath.Join(dir, "s.csv")) // the rows that were done
			}
			require.Equal(t, before, snapshot(t, dir))
			p.requireClean()
		})
	}
}

// A verb that waits for its input ends, too.
func TestInterruptWhileReading(t *testing.T) {
	for i, row := range []struct{ args, begins string }{
		{"check in.csv -t path:8", "message,source,destination,flits,dispatch\n"},
		{"run in.csv -t path:8", "message,source,destination,flits,dispatch\n"},
		{"import in.xml -t ring:4", "<algo name="},
		{"run scatter -t tree:in", "node,parent\n0,0\n"},
		{"run scatter -t path:8 --lengths @in", "node,flits\n"},
		{"run scatter -t path:8 --machine in.yaml", "switching: "},
		{"asm in.s", "halt\n"},
		{"disasm in.mem", "00000000\n"},
	} {
		t.Run(row.args, func(t *testing.T) {
			dir := t.TempDir()
			name := "in"
			for _, field := range strings.Fields(row.args) {
				if strings.HasPrefix(field, "in.") {
					name = field
				}
			}
			path := filepath.Join(dir, name)
			require.NoError(t, syscall.Mkfifo(path, 0o600))
			p := begin(t, dir, row.args)
			opened := make(chan *os.File)
			go func() {
				f, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the reader
				if err == nil {
					_, _ = io.WriteString(f, row.begins)
				}
				opened <- f
			}()
			select {
			case f := <-opened:
				defer f.Close()
			case <-p.ended:
				t.Fatalf("it ended too early\n%s", p.stderr.String())
			}
			require.Equal(t, interrupted, p.signal(ending(i)))
			p.requireClean()
		})
	}
}

// Simulators, and what they start, end with the verb.
func TestInterruptWhileSimulating(t *testing.T) {
	need(t, "iverilog", "iverilog")
	need(t, "verilator", "verilator g++")
	for i, row := range []struct {
		args string
		at   []string // commands to wait for
	}{
		{"cosim exchange -t mesh:4x4 --length 50 --simulator icarus", []string{"ivl", "vvp"}},
		{"cosim exchange -t mesh:4x4 --length 50 --simulator verilator", []string{"verilator_bin"}},
		{"cosim exchange -t path:3 --length 5 --simulator verilator", []string{"cc1plus"}},
		{"cosim exchange -t mesh:4x4 --length 50 --simulator both", []string{"make"}},
		{"cosim exchange -t mesh:3x3 --length 500 --table t.csv --simulator both", []string{"vvp"}},
	} {
		t.Run(row.args+" "+row.at[0], func(t *testing.T) {
			dir := t.TempDir()
			p := begin(t, dir, row.args)
			p.await(p.runs(row.at...))
			require.Equal(t, interrupted, p.signal(ending(i)))
			p.requireClean()
			require.Equal(t, map[string]string{".": "directory"}, snapshot(t, dir))
		})
	}
}

// A folder that is kept holds the export, and nothing of a simulator that was stopped.
func TestInterruptKeepsTheExport(t *testing.T) {
	need(t, "verilator", "verilator g++")
	dir := t.TempDir()
	p := begin(t, dir, "cosim exchange -t path:3 --length 5 --simulator verilator --keep chip")
	p.await(p.runs("cc1plus"))
	require.Equal(t, interrupted, p.signal(os.Interrupt))
	p.requireClean()
	require.FileExists(t, filepath.Join(dir, "chip", "top.v"))
	require.NoDirExists(t, filepath.Join(dir, "chip", "build"))
}

// What nohup starts outlives its terminal.
func TestIgnoredHangupStaysIgnored(t *testing.T) {
	need(t, "nohup", "coreutils")
	dir := t.TempDir()
	p := beginCommand(t, dir, "nohup", binary, "bench", "saturated-8x8", "--cycles", "1000000000")
	p.await(p.working)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
	got := p.signal(syscall.SIGTERM)
	require.Equal(t, 130, got.code)
	require.Equal(t, 1, strings.Count(got.stderr, "meshwright: interrupted\n"))
}

// temporaryBytes is how much of the files under way has been written.
func temporaryBytes(t *testing.T, dir string) int64 {
	t.Helper()
	var sum int64
	for _, name := range temporaries(t, dir) {
		if info, err := os.Stat(name); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// temporaries are the files and folders under way in a directory.
func temporaries(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".*.tmp"))
	require.NoError(t, err)
	return names
}

// Under a resource limit a child does the work: signals reach it, and what it
// has started ends, too.
func TestInterruptUnderALimit(t *testing.T) {
	need(t, "iverilog", "iverilog")
	for i, row := range []struct {
		args string
		at   string
	}{
		{"plan order -t path:200000", ""},
		{"cosim exchange -t mesh:3x3 --length 500 --simulator icarus", "vvp"},
	} {
		t.Run(row.args, func(t *testing.T) {
			dir := t.TempDir()
			p := beginCommand(t, dir, "sh", "-c", "ulimit -v 16000000; exec "+binary+" "+row.args)
			ready := p.childWorking
			if row.at != "" {
				ready = p.runs(row.at)
			}
			p.await(ready)
			require.Equal(t, interrupted, p.signal(ending(i)))
			p.requireClean()
			require.Equal(t, map[string]string{".": "directory"}, snapshot(t, dir))
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/rtl"
	"meshwright/rtl/sim"
	"meshwright/rtl/tool"
)

// commands puts commands on the search path, and the shell's own ones behind
// them if asked: a name is a script, or a link to the real command without one.
func commands(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		path := filepath.Join(dir, name)
		if script == "" {
			real, err := exec.LookPath(name)
			require.NoError(t, err)
			require.NoError(t, os.Symlink(real, path))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
	}
	t.Setenv("PATH", dir)
}

// versions are scripts of simulators that only tell their versions.
var versions = map[string]string{
	"iverilog":  `[ "$*" = -V ] && echo "Icarus Verilog version 11.0 (stable) ()" || exit 9`,
	"verilator": `[ "$*" = --version ] && echo "Verilator 5.006 2023-01-22 rev (Debian 5.006-3)" || exit 9`,
}

// fakeMake lets make say something, beside simulators that nobody calls.
func fakeMake(t *testing.T, script string) {
	t.Helper()
	commands(t, map[string]string{"make": script, "iverilog": versions["iverilog"], "vvp": "exit 9", "verilator": versions["verilator"], "g++": "exit 9", "sleep": "", "kill": "", "cat": ""})
}

// What is missing is named with the packages that bring it, and nothing runs.
func TestMissingToolsAreNamed(t *testing.T) {
	for _, row := range []struct {
		simulator sim.Simulator
		there     []string
		want      string
	}{
		{sim.Icarus, []string{"vvp", "make"}, "iverilog is not installed (expected version 11.0 or newer; on Debian or Ubuntu: apt-get install iverilog make)"},
		{sim.Icarus, []string{"iverilog", "make"}, "vvp is not installed (on Debian or Ubuntu: apt-get install iverilog make)"},
		{sim.Icarus, []string{"iverilog", "vvp"}, "make is not installed (on Debian or Ubuntu: apt-get install iverilog make)"},
		{sim.Verilator, []string{"g++", "make"}, "verilator is not installed (expected version 5.0 or newer; on Debian or Ubuntu: apt-get install verilator g++ make)"},
		{sim.Verilator, []string{"verilator", "make"}, "g++ is not installed (on Debian or Ubuntu: apt-get install verilator g++ make)"},
		{sim.Verilator, []string{"verilator", "g++"}, "make is not installed (on Debian or Ubuntu: apt-get install verilator g++ make)"},
	} {
		t.Run(row.want, func(t *testing.T) {
			scripts := map[string]string{}
			for _, name := range row.there {
				scripts[name] = "echo PASS cycles=1 flits=1"
			}
			commands(t, scripts)
			require.EqualError(t, sim.Find(t.Context(), row.simulator), row.want)
			_, err := sim.Run(t.Context(), row.simulator, t.TempDir(), sim.Options{})
			var missing *tool.Missing
			require.ErrorAs(t, err, &missing)
			require.EqualError(t, err, row.want)
		})
	}
}

// Simulators that cannot run the bench are named with the versions that can.
func TestOldToolsAreNamed(t *testing.T) {
	for _, row := range []struct {
		simulator    sim.Simulator
		script, want string
	}{
		{sim.Icarus, "echo 'Icarus Verilog version 10.3 (stable) ()'", "iverilog 10.3 is too old (expected version 11.0 or newer; on Debian or Ubuntu: apt-get install iverilog make)"},
		{sim.Verilator, "echo 'Verilator 4.228 2022-10-01 rev UNKNOWN.REV'", "verilator 4.228 is too old (expected version 5.0 or newer; on Debian or Ubuntu: apt-get install verilator g++ make)"},
		{sim.Verilator, "echo nonsense", `verilator --version: no version in "nonsense"`},
		{sim.Icarus, "exit 3", "iverilog -V: exit status 3: "},
	} {
		t.Run(row.want, func(t *testing.T) {
			commands(t, map[string]string{"make": "exit 0", "iverilog": row.script, "vvp": "exit 9", "verilator": row.script, "g++": "exit 9"})
			require.EqualError(t, sim.Find(t.Context(), row.simulator), row.want)
		})
	}
}

func TestToolsThatAreThereAreFound(t *testing.T) {
	fakeMake(t, "exit 0")
	require.NoError(t, sim.Find(t.Context(), sim.Icarus))
	require.NoError(t, sim.Find(t.Context(), sim.Verilator))
}

// The verdict is the first PASS or FAIL line, and the exit code must agree with it.
func TestVerdicts(t *testing.T) {
	for _, row := range []struct {
		name, script string
		want         *sim.Result // without folders
		err          string      // behind "icarus: the bench in DIR did not run: "
	}{
		{"passes", "echo PASS cycles=9 flits=32", &sim.Result{Pass: true, Line: "PASS cycles=9 flits=32", Cycles: 9, Flits: 32, Quiet: 9}, ""},
		{"is quiet later", "echo PASS cycles=9 flits=32 quiet=11", &sim.Result{Pass: true, Line: "PASS cycles=9 flits=32 quiet=11", Cycles: 9, Flits: 32, Quiet: 11}, ""},
		{"is cut", "echo PASS cycles=9 flits=32 cut=12 stress=300", &sim.Result{Pass: true, Line: "PASS cycles=9 flits=32 cut=12 stress=300", Cycles: 9, Flits: 32, Quiet: 9}, ""},
		{"is cut and quiet later", "echo PASS cycles=9 flits=32 quiet=11 cut=12", &sim.Result{Pass: true, Line: "PASS cycles=9 flits=32 quiet=11 cut=12", Cycles: 9, Flits: 32, Quiet: 11}, ""},
		{"says more", "echo a warning >&2; echo '  PASS cycles=1 flits=2  '; echo done", &sim.Result{Pass: true, Line: "PASS cycles=1 flits=2", Cycles: 1, Flits: 2, Quiet: 1}, ""},
		{"fails", "echo FAIL cycle=3 node=1 port=0 expected=1 got=0; exit 2", &sim.Result{Line: "FAIL cycle=3 node=1 port=0 expected=1 got=0", Node: 1, Cycle: 3}, ""},
		{"fails before it passes", "echo FAIL time=15 rule=link/vc-exists; echo PASS cycles=1 flits=2; exit 1", &sim.Result{Line: "FAIL time=15 rule=link/vc-exists", Node: -1}, ""},
		{"breaks a rule", "echo FAIL time=95 rule=link/vc-exists at=bench.i_top.n12_chip.i_link; exit 1", &sim.Result{Line: "FAIL time=95 rule=link/vc-exists at=bench.i_top.n12_chip.i_link", Node: 12, Cycle: 8}, ""},
		{"passes with an error exit", "echo PASS cycles=1 flits=2; exit 1", nil, "PASS cycles=1 flits=2"},
		{"fails without one", "echo FAIL cycle=3", nil, "FAIL cycle=3"},
		{"passes without numbers", "echo PASS", nil, "PASS"},
		{"passes in half", "echo PASS cycles=7", nil, "PASS cycles=7"},
		{"passes in words", "echo PASS cycles=many flits=few", nil, "PASS cycles=many flits=few"},
		{"says nothing", "exit 0", nil, ""},
		{"does not build", "for i in 1 2 3 4 5 6 7; do echo line $i; done; exit 2", nil, "line 3; line 4; line 5; line 6; line 7"},
		{"is killed", "echo begun; kill -9 $$", nil, "begun"},
	} {
		t.Run(row.name, func(t *testing.T) {
			fakeMake(t, row.script)
			dir := t.TempDir()
			got, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
			if row.want == nil {
				require.EqualError(t, err, fmt.Sprintf("icarus: the bench in %s did not run: %s", dir, row.err))
				return
			}
			require.NoError(t, err)
			row.want.Simulator, row.want.Log = sim.Icarus, filepath.Join(dir, "build", "icarus.log")
			require.Equal(t, row.want, got)
		})
	}
}

// A make that is no program is an error of the simulator, not a verdict.
func TestMakeThatDoesNotStart(t *testing.T) {
	fakeMake(t, "exit 0")
	require.NoError(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "make"), []byte("\x7fELF but no program"), 0o755))
	_, err := sim.Run(t.Context(), sim.Icarus, t.TempDir(), sim.Options{})
	require.ErrorContains(t, err, "icarus: ")
	require.ErrorContains(t, err, "make")
}

// The simulator is the target, a log is asked for only when wanted, an outer
// make has no influence, and temporary files have a folder that goes.
func TestHowMakeIsCalled(t *testing.T) {
	for _, row := range []struct {
		simulator sim.Simulator
		log       bool
		want      string
	}{
		{sim.Icarus, false, "-s icarus"},
		{sim.Verilator, true, "-s verilator LOG=1"},
	} {
		t.Run(row.want, func(t *testing.T) {
			t.Setenv("MAKEFLAGS", "-n")
			t.Setenv("MAKELEVEL", "3")
			fakeMake(t, `echo "$*|$MAKEFLAGS|$MAKELEVEL" >called; [ -d "$TMPDIR" ] && echo "$TMPDIR" >>called; echo PASS cycles=1 flits=1`)
			dir := t.TempDir()
			_, err := sim.Run(t.Context(), row.simulator, dir, sim.Options{Log: row.log})
			require.NoError(t, err)
			called, err := os.ReadFile(filepath.Join(dir, "called"))
			require.NoError(t, err)
			lines := strings.Split(strings.TrimSpace(string(called)), "\n")
			require.Len(t, lines, 2, "the folder for temporary files is there")
			require.Equal(t, row.want+"||", lines[0])
			require.True(t, filepath.IsAbs(lines[1]))
			require.NoDirExists(t, lines[1])
		})
	}
}

// When the context ends, so do make and what it has started, and what it built is removed.
func TestEndOfTheContextEndsAll(t *testing.T) {
	fakeMake(t, "[ -d build ] || exit 1; sleep 1000000 & echo $! >child.new; cat child.new >child; echo >ready; wait")
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "build"), 0o755))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := sim.Run(ctx, sim.Icarus, dir, sim.Options{})
		ended <- err
	}()
	for {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("it ended before the context: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.NoDirExists(t, filepath.Join(dir, "build"))
	child, err := os.ReadFile(filepath.Join(dir, "child"))
	require.NoError(t, err)
	requireDead(t, strings.TrimSpace(string(child)))
}

// requireDead wants a process to be gone, or to wait for its parent to notice.
func requireDead(t *testing.T, pid string) {
	t.Helper()
	for {
		text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		if _, rest, _ := strings.Cut(string(text), ") "); strings.HasPrefix(rest, "Z") {
			return
		}
		time.Sleep(10 * time.Millisecond) // a kill takes a moment; a process that stays fails by the test's time limit
	}
}

// export writes a small network and a short run of it.
func export(t *testing.T) string {
	t.Helper()
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	r := rtl.NewRecorder(n)
	n.Attach(oneMessage{})
	for range 10 {
		n.Step()
	}
	dir := filepath.Join(t.TempDir(), "a name with $blanks")
	_, err = r.Export(dir)
	require.NoError(t, err)
	return dir
}

type oneMessage struct{}

func (oneMessage) Evaluate(s fabric.Signals) {
	if s.Now() == 0 {
		s.Send(fabric.Message{Source: 0, Destination: 1, Words: []uint32{7, 8}})
	}
}
func (oneMessage) Update(fabric.Signals) {}

// Verilator's library and headers are compiled once, and kept. Without a folder to keep them in the program is the same.
func TestVerilatorsOwnCodeIsKept(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "kept $here")
	kept := func() (files []os.FileInfo) {
		for _, form := range []string{"*.o", "*.gch"} {
			paths, err := filepath.Glob(filepath.Join(cache, "meshwright", form))
			require.NoError(t, err)
			require.Len(t, paths, 1, form)
			info, err := os.Stat(paths[0])
			require.NoError(t, err)
			files = append(files, info)
		}
		return files
	}
	passes := func(dir string) {
		got, err := sim.Run(t.Context(), sim.Verilator, dir, sim.Options{})
		require.NoError(t, err)
		require.Equal(t, "PASS cycles=3 flits=2", got.Line)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	passes(export(t))
	first := kept()
	dir := export(t)
	passes(dir)
	for i, info := range kept() {
		require.Equal(t, first[i].ModTime(), info.ModTime(), info.Name())
	}
	used, err := os.Stat(filepath.Join(dir, "build", "verilator-O0", "headers.h.gch"))
	require.NoError(t, err)
	require.True(t, os.SameFile(first[1], used))
	if soak.On() { // a cache that cannot be written
		t.Setenv("XDG_CACHE_HOME", "/dev/null")
		passes(export(t))
	}
}

// Simulators go on without a file that is missing, and read zeros or unknown words behind the end of a short one: the bench
// must not pass then, and must end.
func TestBenchRefusesBadVectorFiles(t *testing.T) {
	for _, s := range []sim.Simulator{sim.Icarus, sim.Verilator} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			dir := export(t)
			for _, name := range []string{"stimuli.mem", "events.mem", "levels.mem", "outputs.mem", "buffers.mem"} {
				path := filepath.Join(dir, name)
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				lines := strings.SplitAfter(strings.TrimSpace(string(text)), "\n")
				short, endless := strings.Join(lines[:len(lines)-1], ""), strings.Repeat("0", len(text))
				says := func(want string) {
					got, err := sim.Run(t.Context(), s, dir, sim.Options{})
					require.NoError(t, err)
					require.False(t, got.Pass)
					require.Regexp(t, "^FAIL "+name+": "+want, got.Line)
				}
				require.NoError(t, os.Remove(path))
				says("the file cannot be read; the bench runs in the folder of bench.v$")
				require.NoError(t, os.WriteFile(path, []byte(short), 0o644))
				says(fmt.Sprintf(`the file has %d bytes, expected %d: \d+ lines of \d+ digits$`, len(short), len(text)))
				dos, longer := strings.ReplaceAll(string(text), "\n", "\r\n"), strings.ReplaceAll(string(text), "\n", "0\n")
				require.NoError(t, os.WriteFile(path, []byte(dos), 0o644))
				says(fmt.Sprintf(`the file has %d bytes, expected %d: \d+ lines of \d+ digits; Windows line ends \(expected LF\)$`, len(dos), len(text)))
				require.NoError(t, os.WriteFile(path, []byte(longer), 0o644))
				says(fmt.Sprintf(`the file has %d bytes, expected %d: \d+ lines of \d+ digits$`, len(longer), len(text)))
				if strings.HasPrefix(lines[len(lines)-1], "ffff") {
					require.NoError(t, os.WriteFile(path, []byte(endless), 0o644))
					says("the last line is not the end of such a file$")
				}
				require.NoError(t, os.WriteFile(path, text, 0o644))
			}
			got, err := sim.Run(t.Context(), s, dir, sim.Options{})
			require.NoError(t, err)
			require.Equal(t, "PASS cycles=3 flits=2", got.Line)
		})
	}
}

// The real tools agree with what the fakes above say.
func TestRealTools(t *testing.T) {
	t.Run("a sound design passes", func(t *testing.T) {
		dir := export(t)
		got, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{Log: true})
		require.NoError(t, err)
		require.Equal(t, "PASS cycles=3 flits=2", got.Line)
		require.FileExists(t, got.Log)
	})
	t.Run("a vector that differs fails", func(t *testing.T) {
		dir := export(t)
		path := filepath.Join(dir, "levels.mem")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		first, rest, _ := strings.Cut(string(text), "\n")
		require.NoError(t, os.WriteFile(path, []byte(first[:len(first)-1]+"3\n"+rest), 0o644))
		got, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
		require.NoError(t, err)
		require.False(t, got.Pass)
		require.Regexp(t, `^FAIL cycle=\d+ node=\d+ port=\d+ vc=0 expected=flits:3 got=flits:0$`, got.Line)
	})
	t.Run("a design that does not build is an error", func(t *testing.T) {
		dir := export(t)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "top.v"), []byte("module top; nonsense\n"), 0o644))
		_, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
		require.ErrorContains(t, err, "did not run: ")
		require.ErrorContains(t, err, "syntax error")
	})
	t.Run("a simulator that lacks an option is an error that shows what it said", func(t *testing.T) {
		dir := export(t)
		old := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(old, "verilator"), []byte("#!/bin/sh\n[ \"$*\" = --version ] && echo Verilator 5.000 && exit\necho '%Error: Invalid option: --timing'\nexit 1\n"), 0o755))
		t.Setenv("PATH", old+string(os.PathListSeparator)+os.Getenv("PATH"))
		_, err := sim.Run(t.Context(), sim.Verilator, dir, sim.Options{})
		require.ErrorContains(t, err, "verilator: the bench in ")
		require.ErrorContains(t, err, "%Error: Invalid option: --timing")
	})
}

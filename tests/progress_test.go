// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// seen collects the text that a terminal has shown so far.
type seen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *seen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(text)
}

// has tells whether the terminal has shown all of some texts.
func (s *seen) has(texts ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range texts {
		if !strings.Contains(s.text.String(), text) {
			return false
		}
	}
	return true
}

// awaitShown waits for a text on the terminal, which may come after the end.
func (p *underWay) awaitShown(shown *seen, text string) {
	p.t.Helper()
	require.True(p.t, eventually(func() bool { return shown.has(text) }), "the terminal does not show %q", text)
}

// onTerminal starts a command line with its standard error on a terminal.
func onTerminal(t *testing.T, dir, args string) (*underWay, *seen) {
	t.Helper()
	screen, terminal, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 120}))
	shown := &seen{}
	go func() { _, _ = io.Copy(shown, screen) }() // ends with the terminal
	t.Cleanup(func() {
		terminal.Close()
		screen.Close()
	})
	return beginWith(t, dir, func(cmd *exec.Cmd) { cmd.Stderr = terminal }, binary, strings.Fields(args)...), shown
}

// What takes long says on a terminal what it is doing, and how far it is where
// that is known; in a pipe it says nothing.
func TestProgressOfLongPhases(t *testing.T) {
	for i, row := range []struct {
		args string
		says []string
	}{
		{"run broadcast -t hypercube:20 --memory 100GB", []string{"compare algorithms, 0 of "}},
		{"run scatter -t mesh:200x200 -a furthest-first --buffer 1", []string{"run on mesh:200x200, ", " of 319992, cycle ", "%"}},
		{"run long.csv -t path:1000 --buffer 1", []string{"run on path:1000, ", "cycle "}},
		{"run exchange -t mesh:14x14 -a dimensions -l 400 --buffer 1", []string{"run on mesh:14x14, ", ", cycle "}},
		{"plan order -t path:50000", []string{"send furthest first, ", " of 49999"}},
		{"plan distance --cases 1000000", []string{" of 1000000"}},
		{"plan timetables -t mesh:11x10 --search --effort 8", []string{"search a timetable for mesh:11x10, none yet, bound "}},
		{"plan formulas -t torus:2x8192 -l 1 --startup 100,200,300,400,500,600,700,800,900,1000,2000,3000", []string{"plan formulas"}},
		{"plan covers -t mesh:300x300", []string{"mesh:300x300"}},
		{"check fifo.csv -t path:8", []string{"read fifo.csv"}},
		{"sweep long.yaml", []string{"sweep long", "points/s"}},
		{"cosim exchange -t mesh:3x3 --length 50 --simulator verilator", []string{"build and run the design in verilator"}},
		{"bench saturated-8x8 --cycles 1000000000", []string{"bench saturated-8x8"}},
	} {
		t.Run(row.args, func(t *testing.T) {
			dir := t.TempDir()
			writeLong(t, dir)
			p, shown := onTerminal(t, dir, row.args)
			p.await(func() bool { return shown.has(row.says...) })
			require.Equal(t, 130, p.signal(os.Interrupt).code)
			p.awaitShown(shown, "meshwright: interrupted")

			if i%9 > 0 && !soak.On() {
				return
			}
			dir = t.TempDir()
			writeLong(t, dir)
			quiet := begin(t, dir, row.args)
			quiet.await(func() bool { return quiet.working() || quiet.reads(filepath.Join(dir, "fifo.csv")) })
			got := quiet.signal(os.Interrupt)
			got.stderr = strings.TrimPrefix(got.stderr, stillListed) // of a sweep that has run no point
			require.Equal(t, interrupted, got)
		})
	}
}

// stillListed is what a sweep says that is interrupted before its first point.
const stillListed = "meshwright: the points were still being listed, and none was run; the same command begins again\n"

// A line that is wiped leaves the results alone on the terminal.
func TestProgressLeavesTheResults(t *testing.T) {
	dir := t.TempDir()
	screen, terminal, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 200}))
	shown := &seen{}
	copied := make(chan struct{})
	go func() { defer close(copied); _, _ = io.Copy(shown, screen) }()
	p := beginWith(t, dir, func(cmd *exec.Cmd) { cmd.Stdout, cmd.Stderr = terminal, terminal }, binary, strings.Fields("run scatter -t mesh:60x60 -a furthest-first --json")...)
	p.end()
	require.NoError(t, terminal.Close())
	<-copied
	text := shown.text.String()
	require.Contains(t, text, "mesh:60x60", "there was a line, or at least the result")
	result := text[strings.Index(text, "{\r\n"):]
	require.NotContains(t, strings.TrimSuffix(result, "\r\n"), "run on ")
	require.Contains(t, result, `"delivered": true`)
	screen.Close()
}

// writeLong writes inputs that keep a verb busy.
func writeLong(t *testing.T, dir string) {
	require.NoError(t, os.WriteFile(filepath.Join(dir, "long.csv"), []byte("0,0,999,16000000,0\n1,999,0,16000000,0\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "long.yaml"), []byte("axes: {seed: {from: 1, to: 50000, step: 1}}\nset: {topology: 'mesh:8x8', rate: 0.1}\nmeasure: [accepted]\n"), 0o644))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "fifo.csv"), 0o600))
}

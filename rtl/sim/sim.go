// SPDX-License-Identifier: Apache-2.0

// Package sim runs exported designs in open simulators.
package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"

	"meshwright/internal/progress"
	"meshwright/internal/scratch"
	"meshwright/rtl/tool"
)

// Simulator is an open Verilog simulator.
type Simulator string

// The simulators; the values are targets of an exported Makefile.
const (
	Icarus    Simulator = "icarus"
	Verilator Simulator = "verilator"
)

// tools lists the program of each simulator, with the oldest version that can run the bench, and the
// commands that it needs.
var tools = map[Simulator]struct {
	program  tool.Program
	commands []string
}{
	Icarus:    {tool.Program{Command: "iverilog", Ask: "-V", Oldest: "11.0", Packages: []string{"iverilog", "make"}}, []string{"iverilog", "vvp", "make"}},
	Verilator: {tool.Program{Command: "verilator", Ask: "--version", Oldest: "5.0", Packages: []string{"verilator", "g++", "make"}}, []string{"verilator", "g++", "make"}},
}

// Find returns a *tool.Missing when the simulator cannot run here.
func Find(ctx context.Context, s Simulator) error {
	of := tools[s]
	if err := tool.Find(of.commands, of.program.Packages); err != nil {
		var missing *tool.Missing
		if errors.As(err, &missing) && missing.Tool == of.program.Command {
			missing.Needed = of.program.Oldest
		}
		return err
	}
	tmp, err := scratch.NewTemporary("simulator")
	if err != nil {
		return err
	}
	defer tmp.Remove()
	_, err = of.program.Version(ctx, tmp.Path)
	return err
}

// Options change a run.
type Options struct {
	Log  bool    // write every flit the design shows to Result.Log
	Wave *Window // write what links and buffers show to Result.Wave
}

// Window is the cycles of a waveform, from the first to the last.
type Window struct{ First, Last uint64 }

// Result is the report of a bench.
type Result struct {
	Simulator     Simulator
	Pass          bool
	Line          string // its PASS or FAIL line
	Cycles, Flits uint64 // of a PASS: when the last flit of data had been delivered, and the flits of any kind
	Quiet         uint64 // of a PASS: when the last flit of any kind had been
	Log           string // file with every flit the design showed, with Options.Log
	Wave          string // value change dump, with Options.Wave
	Node, Cycle   int64  // of a FAIL: where and when the first mismatch is; -1: it does not say
}

// Run builds and runs the exported design in dir. A bench that fails is a
// Result; a simulator that is missing is a *tool.Missing; a design that does not
// build, or a bench that says neither PASS nor FAIL, is an error. When the
// context ends, so do the simulator and everything it has started, and its
// build folder is removed.
func Run(ctx context.Context, s Simulator, dir string, opt Options) (*Result, error) {
	if err := Find(ctx, s); err != nil {
		return nil, err
	}
	defer progress.Begin(ctx, fmt.Sprintf("build and run the design in %s", s), 0).End()
	args := []string{"-s", string(s)}
	if opt.Log {
		args = append(args, "LOG=1")
	}
	if w := opt.Wave; w != nil {
		args = append(args, fmt.Sprintf("WAVE=build/%s.wave.vcd", s), fmt.Sprintf("CYCLES=%d-%d", w.First, min(w.Last, math.MaxUint32)))
	}
	build := filepath.Join(dir, "build")
	text, err := tool.Output(ctx, build, "make", args...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	result, ok := parse(string(text))
	if !ok || result.Pass != (err == nil) {
		return nil, fmt.Errorf("%s: the bench in %s did not run: %s", s, dir, tool.LastLines(string(text), 5))
	}
	result.Simulator, result.Log = s, filepath.Join(build, string(s)+".log")
	if opt.Wave != nil {
		result.Wave = filepath.Join(build, string(s)+".wave.vcd")
	}
	return result, nil
}

// parse finds the bench's verdict among what the tools print.
func parse(output string) (*Result, bool) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "FAIL "):
			r := &Result{Line: line}
			r.place()
			return r, true
		case strings.HasPrefix(line, "PASS "):
			r := &Result{Pass: true, Line: line}
			n, _ := fmt.Sscanf(line, "PASS cycles=%d flits=%d quiet=%d", &r.Cycles, &r.Flits, &r.Quiet)
			if n == 2 {
				r.Quiet = r.Cycles
			}
			return r, n >= 2
		}
	}
	return nil, false
}

// place reads where and when the first mismatch is: at a node in a cycle, or at the end of a cycle, at which a chip broke a rule.
func (r *Result) place() {
	var time int64
	if n, _ := fmt.Sscanf(r.Line, "FAIL cycle=%d node=%d", &r.Cycle, &r.Node); n == 2 {
		return
	}
	r.Node, r.Cycle = -1, -1
	if n, _ := fmt.Sscanf(r.Line, "FAIL time=%d", &time); n == 1 {
		r.Cycle = max(0, (time-15)/10)
	}
	if _, chip, found := strings.Cut(r.Line, ".i_top.n"); found {
		_, _ = fmt.Sscanf(chip, "%d_chip", &r.Node)
	}
}

// SPDX-License-Identifier: Apache-2.0

// Package synth measures the area and the clock of Verilog modules with Yosys and nextpnr. All modules stand in
// the same harness.
package synth

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"meshwright/internal/input"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/internal/scratch"
	"meshwright/rtl/tool"
	"meshwright/rtl/verilog"
)

//go:embed registers.v
var registers []byte

// The modules of netlists.
const (
	unitName    = "unit"
	harnessName = "harness"
)

// Source is the module to measure.
type Source struct {
	Module string
	Clock  string // its clock's port
	// Write writes the files into a folder, and returns the names of those to read.
	Write func(dir string) ([]string, error)

	parameters, ties []Setting
	rename           func(message string) string // nil: messages name files as they are
}

// Options say how to measure.
type Options struct {
	Target Target
	Seeds  []int // of the placer; none: area only
}

// Result is what was measured. Area is that of the bare module.
type Result struct {
	Area   Area
	Clocks []Clock // by seed
	// Full says why the module has no clock: it does not fit into the device, or none of its outputs ever changes.
	Full  string
	Tools map[string]string // versions
}

// Clock is the clock of one placement.
type Clock struct {
	Seed int
	MHz  float64
}

// Slowest returns the lowest clock of all seeds; 0 when there is none.
func (r *Result) Slowest() float64 {
	if len(r.Clocks) == 0 {
		return 0
	}
	return slices.MinFunc(r.Clocks, func(a, b Clock) int { return cmp.Compare(a.MHz, b.MHz) }).MHz
}

// Measure synthesizes a module, and places and routes it once for each seed. A tool that is missing or too old is a
// *tool.Missing.
func Measure(ctx context.Context, s Source, opt Options) (*Result, error) {
	tmp, err := scratch.NewTemporary("synth")
	if err != nil {
		return nil, err
	}
	defer tmp.Remove()
	dir, err := filepath.Abs(tmp.Path)
	if err != nil {
		return nil, err
	}
	w := work{Source: s, Options: opt, dir: dir, result: &Result{Tools: map[string]string{}}}
	if err := w.findTools(ctx); err != nil {
		return nil, err
	}
	unit, err := w.synthesize(ctx)
	if err != nil {
		return nil, err
	}
	if len(opt.Seeds) == 0 {
		return w.result, nil
	}
	return w.result, w.clock(ctx, unit)
}

// work is a measurement under way, in a temporary folder.
type work struct {
	Source
	Options
	dir    string
	result *Result
}

// The programs, with the oldest versions that are known to work.
var (
	yosys   = tool.Program{Command: "yosys", Ask: "-V", Oldest: "0.23", Packages: []string{"yosys"}}
	nextpnr = tool.Program{Command: "nextpnr-ice40", Ask: "--version", Oldest: "0.4", Packages: []string{"nextpnr-ice40"}}
)

// findTools notes the versions of the tools.
func (w *work) findTools(ctx context.Context) error {
	needed := []tool.Program{yosys}
	if len(w.Seeds) > 0 {
		needed = append(needed, nextpnr)
	}
	for _, p := range needed {
		version, err := p.Version(ctx, w.dir)
		if err != nil {
			return err
		}
		w.result.Tools[p.Command] = version
	}
	return nil
}

// run runs a program in the folder.
func (w *work) run(ctx context.Context, name string, args ...string) (string, error) {
	text, err := tool.Output(ctx, filepath.Join(w.dir, "none"), name, args...)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	return string(text), err
}

// yosys runs a script.
func (w *work) yosys(ctx context.Context, script ...string) error {
	if err := os.WriteFile(filepath.Join(w.dir, "script.ys"), []byte(strings.Join(script, "\n")+"\n"), 0o644); err != nil {
		return err
	}
	text, err := w.run(ctx, yosys.Command, "-q", "-s", "script.ys")
	if err == nil || ctx.Err() != nil {
		return err
	}
	if m := noInput.FindStringSubmatch(text); m != nil {
		return input.Errorf("expected the name of an input", "module %s has no input %s", w.Module, m[1])
	}
	message := fault.FindString(text)
	if message == "" {
		message = tool.LastLines(text, 1)
	}
	if w.rename != nil {
		message = w.rename(message)
	}
	return fmt.Errorf("yosys: %w: %s", err, message)
}

var (
	// fault matches a message of Yosys, with its file and line if it has one.
	fault = regexp.MustCompile(`(?m)^.*ERROR: .*`)
	// noInput matches what Yosys says of a constant whose input does not exist; see elaborate.
	noInput = regexp.MustCompile(`asserted 1: i:(\S+)`)
)

// synthesize counts the cells of the bare module.
func (w *work) synthesize(ctx context.Context) (*netlist, error) {
	defer progress.Begin(ctx, "synthesize "+w.Module, 0).End()
	files, err := w.Write(w.dir)
	if err != nil {
		return nil, err
	}
	script := append([]string{"read_verilog -defer " + strings.Join(files, " ")}, w.elaborate()...)
	err = w.yosys(ctx, append(script, flows[w.Target].synthesize, "write_json unit.json")...)
	if err != nil {
		return nil, err
	}
	unit, err := readNetlist(filepath.Join(w.dir, "unit.json"), unitName)
	if err != nil {
		return nil, err
	}
	w.result.Area = w.Target.area(unit)
	return unit, nil
}

// clock puts the cells of the module into the harness, and places and routes both.
func (w *work) clock(ctx context.Context, unit *netlist) error {
	if unit.Ports[w.Clock].Direction != "input" {
		return input.Errorf("expected the name of its clock", "module %s has no input %s", w.Module, w.Clock)
	}
	if !unit.changes() {
		w.result.Full = "none: no output ever changes"
		return nil
	}
	if err := w.addHarness(ctx, unit); err != nil {
		return err
	}
	phase := progress.Begin(ctx, "place and route "+w.Module, len(w.Seeds))
	defer phase.End()
	clocks := make([]Clock, len(w.Seeds))
	err := parallel.Each(ctx, phase, parallel.Workers(), len(clocks), func() func(int) error {
		return func(i int) (err error) {
			clocks[i], err = w.place(ctx, w.Seeds[i])
			return err
		}
	})
	var full *full
	if errors.As(err, &full) {
		w.result.Full = full.Error()
		return nil
	}
	w.result.Clocks = clocks
	return err
}

func (w *work) addHarness(ctx context.Context, unit *netlist) error {
	defer progress.Begin(ctx, "synthesize the harness", 0).End()
	var text bytes.Buffer
	if err := verilog.Print(&text, unit.harness(unitName, w.Clock)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.dir, "harness.v"), append(slices.Clone(registers), text.Bytes()...), 0o644); err != nil {
		return err
	}
	return w.yosys(ctx, "read_json unit.json", "read_verilog harness.v", "synth_ice40 -top "+harnessName+" -json harness.json")
}

// full says that a module does not fit into the device.
type full struct {
	what        string
	used, there int
}

func (f *full) Error() string {
	return fmt.Sprintf("does not fit: %d %s, an HX8K has %d", f.used, f.what, f.there)
}

// used matches nextpnr's counts of logic cells and block RAMs.
var used = regexp.MustCompile(`ICESTORM_(LC|RAM): *([0-9]+)/ *([0-9]+)`)

// tooMany returns the first resource of which the device has too few; nil: none.
func tooMany(text string) error {
	what := map[string]string{"LC": "logic cells with the harness", "RAM": "block RAMs"}
	for _, m := range used.FindAllStringSubmatch(text, -1) {
		need, _ := strconv.Atoi(m[2])
		there, _ := strconv.Atoi(m[3])
		if need > there {
			return &full{what[m[1]], need, there}
		}
	}
	return nil
}

// place places and routes once.
func (w *work) place(ctx context.Context, seed int) (Clock, error) {
	report := fmt.Sprintf("report%d.json", seed)
	text, err := w.run(ctx, nextpnr.Command, "--hx8k", "--package", "ct256", "--seed", strconv.Itoa(seed), "--json", "harness.json", "--report", report)
	if err != nil {
		if full := tooMany(text); full != nil {
			return Clock{}, full
		}
		return Clock{}, fmt.Errorf("nextpnr-ice40: %w: %s", err, tool.LastLines(text, 1))
	}
	mhz, err := readClock(filepath.Join(w.dir, report))
	return Clock{seed, mhz}, err
}

// readClock reads the clock from nextpnr's report.
func readClock(path string) (float64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var report struct {
		FMax map[string]struct {
			Achieved float64 `json:"achieved"`
		} `json:"fmax"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return 0, fmt.Errorf("report of nextpnr-ice40: %w", err)
	}
	for _, clock := range report.FMax {
		return clock.Achieved, nil // there is one clock
	}
	return 0, errors.New("report of nextpnr-ice40: no clock")
}

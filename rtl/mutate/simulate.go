// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/rtl/sim"
	"meshwright/rtl/tool"
)

// model is the compiled design with all its mutants.
type model struct {
	command string
	args    []string
}

// selector is the module that gives the number of the active mutant to the design.
const selector = `// SPDX-License-Identifier: Apache-2.0
module mutant_select (
  output reg [15:0] mutant_o
);
  initial if (!$value$plusargs("mutant=%d", mutant_o)) mutant_o = 16'd0;
endmodule
`

// instance is the text in bench.v before which the selector is put.
const instance = "  top i_top (\n"

// compile builds the bench around the netlist: in Verilator for many mutants, in Icarus Verilog for few, or in
// the one that is installed.
func (w *Work) compile(ctx context.Context) (*model, error) {
	simulator, err := simulator(ctx, len(w.Mutants))
	if err != nil {
		return nil, err
	}
	w.Tools["simulator"] = string(simulator)
	defer progress.Begin(ctx, fmt.Sprintf("build the mutants in %s", simulator), 0).End()
	bench, err := os.ReadFile(filepath.Join(w.dir, "bench.v"))
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(bench), instance) {
		return nil, errors.New("mutate: the bench has no network")
	}
	text := strings.Replace(string(bench), instance, "  wire [15:0] mutant;\n  mutant_select i_mutant_select (.mutant_o(mutant));\n"+instance+"    .mutant(mutant),\n", 1)
	for name, content := range map[string]string{"bench.v": text, "mutant_select.v": selector} {
		if err := os.WriteFile(w.path(name), []byte(content), 0o666); err != nil {
			return nil, err
		}
	}
	files := []string{folder + "/bench.v", folder + "/mutant_select.v", "bench/vector_bench.v", folder + "/mutated.v"}
	if simulator == sim.Icarus {
		args := append([]string{"-g2005", "-DSYNTHESIS", "-o", folder + "/mutants.vvp", "-s", "bench"}, files...)
		return &model{"vvp", []string{"-n", folder + "/mutants.vvp"}}, w.build(ctx, "iverilog", args...)
	}
	args := append([]string{"--cc", "--exe", "--main", "--timing", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert", "--output-split", "0",
		"-Wno-fatal", "-Wno-lint", "-Wno-style", "-DSYNTHESIS", "--top-module", "bench", "--Mdir", folder + "/verilator"}, files...)
	if err := w.build(ctx, "verilator", args...); err != nil {
		return nil, err
	}
	err = w.build(ctx, "make", "-s", "-C", folder+"/verilator", "CURDIR=.", "TMPDIR=.", "-f", "../../bench/verilator.mk", "NAME=bench", "VM_PARALLEL_BUILDS=0", "OPT_FAST=-O1")
	return &model{folder + "/verilator/bench", nil}, err
}

// fewMutants is a number for which Verilator's compilation takes longer than Icarus Verilog's runs.
const fewMutants = 300

func simulator(ctx context.Context, mutants int) (sim.Simulator, error) {
	best, other := sim.Verilator, sim.Icarus
	if mutants <= fewMutants {
		best, other = other, best
	}
	missing := sim.Find(ctx, best)
	if missing != nil && sim.Find(ctx, other) == nil {
		return other, nil
	}
	return best, missing
}

func (w *Work) build(ctx context.Context, name string, args ...string) error {
	text, err := tool.Output(ctx, filepath.Join(w.dir, "none"), name, args...)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, tool.LastLines(string(text), 3))
	}
	return nil
}

// part is a part of the vectors, from one reset to the next.
type part struct {
	first, last int // cycles; last is the one behind
}

// whole is all vectors.
var whole = part{}

// tooLong ends the simulation of a mutant that does not settle.
const tooLong = 2 * time.Minute

// run simulates a mutant, 0 for the sound design, under a part of the vectors, and returns the bench's line; "" if it has none.
func (w *Work) run(ctx context.Context, number int, p part) (string, error) {
	limited, cancel := context.WithTimeout(ctx, tooLong)
	defer cancel()
	args := append(append([]string(nil), w.model.args...), "+mutant="+strconv.Itoa(number))
	if p.last > 0 {
		args = append(args, "+first="+strconv.Itoa(p.first), "+last="+strconv.Itoa(p.last))
	}
	cmd := exec.CommandContext(limited, w.model.command, args...)
	if w.model.args == nil {
		cmd.Path = filepath.Join(w.dir, w.model.command)
	}
	cmd.Dir = w.dir
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w", w.model.command, err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "PASS ") || strings.HasPrefix(line, "FAIL ") {
			return line, nil
		}
	}
	return "", nil
}

// judge runs a mutant, and notes what became of it.
func (w *Work) judge(ctx context.Context, m *Mutant, p part) error {
	line, err := w.run(ctx, m.Number, p)
	if err != nil {
		return err
	}
	if strings.HasPrefix(line, "PASS ") {
		m.State = Survived
		return nil
	}
	m.State, m.Line, m.Cycle = Killed, line, -1
	if line == "" {
		m.Line = "the simulation does not end"
	}
	_, _ = fmt.Sscanf(line, "FAIL cycle=%d ", &m.Cycle)
	return nil
}

// Simulate runs every mutant that has no state yet under all vectors. The sound design must pass.
func (w *Work) Simulate(ctx context.Context) error {
	line, err := w.run(ctx, 0, whole)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(line, "PASS ") {
		return fmt.Errorf("mutate: the sound design fails: %s", line)
	}
	var todo []*Mutant
	for _, m := range w.Mutants {
		if m.State == "" {
			todo = append(todo, m)
		}
	}
	return w.each(ctx, "simulate mutants", todo, whole)
}

// each runs mutants on all cores under a part of the vectors, and keeps what is known so far when it is interrupted.
func (w *Work) each(ctx context.Context, name string, todo []*Mutant, p part) error {
	phase := progress.Begin(ctx, name, len(todo))
	defer phase.End()
	err := parallel.Each(ctx, phase, parallel.Workers(), len(todo), func() func(int) error {
		return func(i int) error { return w.judge(ctx, todo[i], p) }
	})
	return errors.Join(err, w.save())
}

// kept is what a file keeps of the mutants' states.
type kept struct {
	Key     string
	Mutants []*Mutant
}

// key names the mutants and the vectors.
func (w *Work) key() (string, error) {
	sum := sha256.New()
	for _, name := range []string{folder + "/mutated.v", folder + "/mutants.txt", "stimuli.mem", "events.mem", "levels.mem", "bench.v"} {
		text, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// save writes the states of the mutants beside the netlist.
func (w *Work) save() error {
	key, err := w.key()
	if err != nil {
		return err
	}
	text, err := json.Marshal(kept{key, w.Mutants})
	if err != nil {
		return err
	}
	return os.WriteFile(w.path("states.json"), text, 0o666)
}

// restore takes up the states of an earlier call, if it was of the same mutants and vectors.
func (w *Work) restore() error {
	text, err := os.ReadFile(w.path("states.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	key, err := w.key()
	if err != nil {
		return err
	}
	var k kept
	if json.Unmarshal(text, &k) == nil && k.Key == key && len(k.Mutants) == len(w.Mutants) {
		w.Mutants = k.Mutants
	}
	return nil
}

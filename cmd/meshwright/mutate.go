// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/internal/scratch"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/coverage"
	"meshwright/rtl/mutate"
	"meshwright/rtl/sim"
)

// mutateFlags say which mutants to make of a run's design.
type mutateFlags struct {
	jobFlags
	stress      stressFlag
	mutants     int
	mutantSeed  uint64
	node        int
	proofs      bool
	work        string
	json        bool
	coverage    bool
	reach       bool
	added       []addedVectors // by --coverage
	sources     []vectorSource // whose lines, branches and toggles are counted
	scratch     string         // a folder for vectors
	recorder    *rtl.Recorder
	outcome     *outcome
	stressBegin router.Cycle // the first cycle behind the run
}

// mutateReport is what became of the mutants; its JSON names are a contract.
type mutateReport struct {
	Collective string            `json:"collective"`
	Algorithm  string            `json:"algorithm"`
	Topology   string            `json:"topology"`
	Node       int               `json:"node"`
	Module     string            `json:"module"`
	Mutants    int               `json:"mutants"`
	Killed     int               `json:"killed"`
	ByRun      int               `json:"killed_by_run"`
	ByStress   int               `json:"killed_by_stress"`
	ByAdded    int               `json:"killed_by_added"`
	Equivalent int               `json:"equivalent"`
	Survived   int               `json:"survived"`
	Score      quotient          `json:"score"`
	Survivors  []survivor        `json:"survivors"`
	Added      []addedVectors    `json:"added"`
	Reached    *reachReport      `json:"code_coverage,omitempty"`
	Tools      map[string]string `json:"tools"`
	Version    string            `json:"version"`
}

// survivor is a mutant that the vectors do not find; its JSON names are a contract.
type survivor struct {
	Number int      `json:"number"`
	Mode   string   `json:"mode"`
	Port   string   `json:"port"`
	Bit    int      `json:"bit"`
	Source []string `json:"source"`
}

func newMutate() *cobra.Command {
	var f mutateFlags
	cmd := &cobra.Command{
		Use:        "mutate " + whatToRun,
		SuggestFor: []string{"mutants", "mutation"},
		Short:      "Measure how many faults of a chip the vectors of a run find",
		Long: `Exports a run as export does, plants faults into the Verilog of a chip with Yosys, one at a
time, and runs the vectors against each. A chip with a fault is a mutant. The vectors kill a mutant
if the bench fails. For the mutants that survive, a proof is tried that they behave as the sound chip in
every state and for every input; such mutants are equivalent. The score is the share of all
other mutants that are killed.

With --coverage, vectors of other runs on the same machine are tried: all collectives, random messages of several
patterns and seeds, and longer stress phases, until a round of random messages kills no more mutants. The report
lists those that are needed, each with its command and the mutants that no vectors before it kill.

With --faults, links and buffers go wrong as in the run. Vectors with upsets test the code of the buffers.

With --coverage-report, Verilator counts the lines, branches and toggles of the library that the vectors reach. The
report ranks the vectors, those first that reach most in the fewest cycles.

A mutant changes a bit of a cell: it is constant, inverted, or inverted while another bit is 0 or 1. The modules below the
chip are shared by all chips, so that a fault in them is in all chips.

` + whatRuns(),
		Example: `  meshwright mutate scatter --topology path:3 --width 8 --mutants 10
  meshwright mutate random --topology path:2 --width 8 --number 20 --mutants 5 --json`,
		Args: runnable(&f.jobFlags, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, f.subject(args, 0)) },
	}
	f.jobFlags.add(cmd, 0)
	f.stress.add(cmd)
	f.addFormat(cmd, runFormats()...)
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.work, "work", "", "keep the design, the netlists and the states of the mutants in this folder: `DIR`; the same call takes them up again")
	})
	groupGeneral.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVar(&f.mutants, "mutants", 100, "number of mutants")
		flags.Uint64Var(&f.mutantSeed, "mutant-seed", 1, "seed that chooses the mutants")
		flags.IntVar(&f.node, "node", -1, "`node` of the chip to mutate (default: the first with the most links, where the stress phase has its hot spot)")
		flags.BoolVar(&f.coverage, "coverage", false, "add vectors of other runs until none kills more mutants, those first that kill most in the fewest cycles")
		flags.BoolVar(&f.reach, "coverage-report", false, "count the lines, branches and toggles that the vectors reach, with Verilator, and rank the vectors")
		flags.BoolVar(&f.proofs, "prove", true, "try to prove that mutants that survive are equivalent")
	})
	return cmd
}

func (f *mutateFlags) run(cmd *cobra.Command, what string) error {
	if err := f.check(); err != nil {
		return err
	}
	if err := mutate.FindTools(cmd.Context()); err != nil {
		return err
	}
	if f.reach {
		if err := coverage.Find(cmd.Context()); err != nil {
			return err
		}
	}
	if err := f.record(cmd, what); err != nil {
		return err
	}
	node := f.recorder.Hottest()
	if cmd.Flags().Changed("node") {
		if f.node < 0 || f.node >= f.outcome.topology.Nodes() {
			return input.At("--node", 0, "expected 0 to "+itoa(f.outcome.topology.Nodes()-1), "%d is not a node of %s", f.node, f.outcome.topology)
		}
		node = router.NodeID(f.node)
	}
	dir, cleanup, err := f.folder()
	if err != nil {
		return err
	}
	defer cleanup()
	tmp, err := scratch.NewTemporary("mutate")
	if err != nil {
		return err
	}
	defer tmp.Remove()
	f.scratch = tmp.Path
	writing := progress.Begin(cmd.Context(), "write the design", 0)
	design, err := f.recorder.Replace(dir)
	writing.End()
	if err != nil {
		return err
	}
	w, err := mutate.New(cmd.Context(), dir, mutate.Options{Mutants: f.mutants, Seed: f.mutantSeed, Node: node, Design: design, Cycles: int(f.recorder.Cycles())})
	if err != nil {
		return err
	}
	if err := w.Simulate(cmd.Context()); err != nil {
		return err
	}
	if f.proofs {
		if err := w.Prove(cmd.Context()); err != nil {
			return err
		}
	}
	if f.coverage {
		if err := f.widen(cmd, what, w); err != nil {
			return err
		}
	}
	r := f.report(w, design, node)
	if f.reach {
		if r.Reached, err = f.reached(cmd.Context(), what, dir); err != nil {
			return err
		}
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), r)
	}
	return f.print(cmd.OutOrStdout(), r)
}

func (f *mutateFlags) check() error {
	if f.mutants < 1 || f.mutants > mutate.MaxMutants {
		return input.At("--mutants", 0, "expected 1 to "+itoa(mutate.MaxMutants), "%d", f.mutants)
	}
	if f.work != "" {
		if entries, err := os.ReadDir(f.work); err == nil && len(entries) > 0 {
			if err := rtl.CheckExport(f.work); err != nil {
				return err
			}
		} else if err := input.WriteFolder(f.work); err != nil {
			return err
		}
	}
	return f.stress.check()
}

// record runs the job and the stress phase in the model.
func (f *mutateFlags) record(cmd *cobra.Command, what string) (err error) {
	f.outcome, f.recorder, err = recorded(cmd, &f.jobFlags, &emulatorFlags{}, what, func(n *fabric.Network) error {
		if !f.reach {
			return nil
		}
		size := sizeOf(n)
		size.Coverage = true
		return sim.Fits(cmd.Context(), sim.Verilator, n.Topology.String(), size)
	})
	if err != nil {
		return err
	}
	if !f.outcome.delivered && f.outcome.machine.Faults == nil {
		return input.Errorf("expected a run that delivers", "mutate: the run fails: %v", f.outcome.failure)
	}
	if f.coverage && f.outcome.machine.Faults != nil {
		return input.At("--coverage", 0, "expected no faults", "vectors of other runs are struck by faults in other cycles, on other links")
	}
	f.stressBegin = f.recorder.End()
	_, err = f.stress.stress(cmd, f.recorder, f.seed)
	return err
}

// folder returns where to work: the folder to keep, or a temporary one.
func (f *mutateFlags) folder() (string, func(), error) {
	if f.work != "" {
		return f.work, func() {}, nil
	}
	dir, err := scratch.NewTemporary("mutate")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(dir.Path, "export"), func() { dir.Remove() }, nil
}

func (f *mutateFlags) report(w *mutate.Work, d *rtl.Design, node router.NodeID) mutateReport {
	o := f.outcome
	r := mutateReport{
		Collective: o.collective, Algorithm: o.algorithm, Topology: o.topology.String(), Node: int(node), Module: d.Module(), Mutants: len(w.Mutants),
		Killed: w.Count(mutate.Killed), Equivalent: w.Count(mutate.Equivalent), Survived: w.Count(mutate.Survived), Score: quotient(w.Score()),
		Survivors: []survivor{}, Added: append([]addedVectors{}, f.added...), Tools: w.Tools, Version: version(),
	}
	for _, m := range w.Mutants {
		as := survivor{m.Number, m.Mode, m.Port, m.Bit, m.Source}
		switch {
		case m.State == mutate.Survived:
			r.Survivors = append(r.Survivors, as)
		case m.State == mutate.Killed && m.By > 0:
			r.ByAdded++
			to := &r.Added[m.By-1]
			to.Mutants = append(to.Mutants, killed{as, o.time(router.Cycle(m.Cycle))})
			to.Killed++
		case m.State == mutate.Killed && router.Cycle(m.Cycle) >= f.stressBegin:
			r.ByStress++
		case m.State == mutate.Killed:
			r.ByRun++
		}
	}
	return r
}

func (f *mutateFlags) print(out io.Writer, r mutateReport) error {
	rows := [][]string{
		{"chip", fmt.Sprintf("%s, node %d", r.Module, r.Node)}, {"mutants", itoa(r.Mutants)},
		{"killed", itoa(r.Killed)}, {"by the run", itoa(r.ByRun)}, {"by the stress phase", itoa(r.ByStress)},
	}
	if f.coverage {
		rows = append(rows, []string{"by added vectors", itoa(r.ByAdded)})
	}
	rows = append(rows, []string{"equivalent", itoa(r.Equivalent)}, []string{"survived", itoa(r.Survived)}, []string{"score", fmt.Sprintf("%.1f%%", 100*float64(r.Score))})
	if err := printRows(out, f.outcome.title(), nil, rows); err != nil {
		return err
	}
	if err := errors.Join(printAdded(out, r.Added), r.Reached.print(out)); err != nil || len(r.Survivors) == 0 {
		return err
	}
	var list [][]string
	for i := range r.Survivors {
		list = append(list, r.Survivors[i].cells())
	}
	return printRows(out, "mutants that survived", []string{"mutant", "fault", "bit", "place"}, list)
}

// cells are a row of a table.
func (s *survivor) cells() []string {
	place := ""
	if len(s.Source) > 0 {
		place = s.Source[len(s.Source)-1]
	}
	return []string{itoa(s.Number), s.Mode, s.Port + "[" + itoa(s.Bit) + "]", place}
}

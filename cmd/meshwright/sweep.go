// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/topology"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/study"
	"meshwright/study/question"
)

// sweepFlags describe a sweep: its networks, sizes and algorithms.
type sweepFlags struct {
	machineFlags
	topologies, algorithms []string
	bytes, csv, plot       string
	words                  int
	sync, json             bool
	study                  studyFlags
}

func newSweep() *cobra.Command {
	f := sweepFlags{machineFlags: machineFlags{machine: "paragon"}}
	cmd := &cobra.Command{
		Use:   "sweep STUDY.yaml|COLLECTIVE",
		Short: "Run the points of a study, or compare algorithms over sizes of blocks",
		Long: `With a STUDY.yaml, runs all points of a study on all cores: docs/studies.md explains the file. The
results go to a store, a SQLite file. A sweep that is ended in any way loses at most the points in
hand, and another one goes on from there. A point that fails is kept with its error, and the
others go on; the exit code is 1 then. meshwright report shows the results.

With a COLLECTIVE, compares algorithms over sizes of blocks: every algorithm, with blocks of every size, on every
network. All nodes have blocks of the same size. Jobs of at most --words words, in all PEs
together, run in the cycle model, and every word is compared. The times of larger jobs, marked *
in the table, are predicted message by message, or without --sync computed by the formula. Where
the formulas say that another algorithm becomes the fastest (a crossover), the sweep also measures
this size. The only collective so far is gossip, on wormhole machines with nic.channels 1 and
nic.duplex half, such as paragon, the default.

With --csv a sweep continues from the rows of that file, and adds each new row at once, so an
interrupted sweep loses nothing. The file is locked meanwhile: a second sweep with it fails and
names the process that has the file, its host and its start.`,
		Example: `  meshwright sweep examples/studies/startup.yaml --store small.db -P side=3
  meshwright sweep gossip --topology mesh:4x4
  meshwright sweep gossip --topology mesh:4x4 --machine paragon --sync --bytes 8,512,4k
  meshwright sweep gossip --topology mesh:4x4 --topology mesh:8x4 --machine paragon --sync --bytes 8,512 --csv study.csv --plot study.svg
  meshwright sweep gossip --topology mesh:8x8 --machine paragon -a torgos -a approach2/black-white --bytes 1000,2000`,
		Args: f.sweepable,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.study.schema {
				return printSchema(cmd.OutOrStdout())
			}
			if isStudy(args[0]) {
				return f.study.run(cmd, args[0], f.json)
			}
			return f.run(cmd, ownName(args[0]))
		},
	}
	f.study.add(cmd)
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.bytes, "bytes", "8..1M", "sizes of a PE's block: a list 8,100,4k, or 8..1M with each size twice the last")
		flags.IntVar(&f.words, "words", 1<<20, "run jobs of up to this number of words, in all PEs together, in the cycle model; predict larger ones")
	})
	groupAlgorithm.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.algorithms, "algorithm", "a", nil, "an algorithm, or algorithm/start as with run --start (may be repeated; default: all algorithms for one half-duplex channel)")
		sync := declaredOption("sync")
		flags.BoolVar(&f.sync, sync.Name, false, sync.Help)
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.topologies, "topology", "t", nil, "a `network` (may be repeated): "+topology.Forms)
	})
	f.addMachine(cmd)
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.csv, "csv", "", "`FILE.csv` with the rows: rows in it are not computed again, new rows are added")
		flags.StringVar(&f.plot, "plot", "", "draw cycles per byte over bytes: `FILE.svg`")
	})
	cmd.AddCommand(newSweepFaults())
	cmd.AddCommand(newSweepAround())
	return cmd
}

// sweepable demands a study file, or a collective that can be swept, and only flags that go with it.
func (f *sweepFlags) sweepable(cmd *cobra.Command, args []string) error {
	if f.study.schema {
		return arguments(0)(cmd, args)
	}
	if err := arguments(1)(cmd, args); err != nil {
		return err
	}
	if !isStudy(args[0]) {
		if err := refuse(cmd, "only study files have them", "given with "+article(args[0]), studyFlagNames); err != nil {
			return err
		}
		return oneOf(0, "collective", []string{"gossip", "STUDY.yaml"})(cmd, []string{ownName(args[0])})
	}
	var others []string
	cmd.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
		if group := groupOf(flag); group == groupJob || group == groupAlgorithm || group == groupMachine || flag.Name == "csv" || flag.Name == "plot" {
			others = append(others, flag.Name)
		}
	})
	return refuse(cmd, "the study says everything", "given with a study", others)
}

// printSchema prints the JSON schema of study files.
func printSchema(w io.Writer) error {
	text, err := question.Schema()
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func (f *sweepFlags) run(cmd *cobra.Command, collective string) error {
	s, err := f.load(cmd, collective)
	if err != nil {
		return err
	}
	defer s.Store.Close()
	r, err := s.Run(cmd.Context())
	if err != nil {
		return f.fault(err)
	}
	if f.plot != "" {
		title := collective + ", " + f.machine
		if err := atomicfile.Write(f.plot, func(w io.Writer) error { return r.Plot(w, title) }); err != nil {
			return err
		}
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), newSweepReport(s, r))
	}
	return f.print(cmd.OutOrStdout(), s, r)
}

// fault turns a run that did not deliver into a failed check.
func (f *sweepFlags) fault(err error) error {
	var failed *study.Failure
	if errors.As(err, &failed) {
		return fmt.Errorf("%w: %w", errFailed, err)
	}
	return err
}

func (f *sweepFlags) load(cmd *cobra.Command, collective string) (*study.Sweep, error) {
	s := &study.Sweep{Collective: collective, Sync: f.sync, MostWords: f.words, Store: study.NewStore()}
	var err error
	if s.Bytes, err = study.ParseSizes(f.bytes); err != nil {
		return nil, input.Locate(err, "--bytes", 0)
	}
	for _, text := range f.algorithms {
		c, err := study.ParseContender(text)
		if err != nil {
			return nil, input.Locate(err, "--algorithm", 0)
		}
		s.Contenders = append(s.Contenders, c)
	}
	if f.words < 0 {
		return nil, input.At("--words", 0, "expected at least 0", "%d", f.words)
	}
	if len(f.topologies) == 0 {
		f.topologies = []string{""} // the machine file's
	}
	for _, spec := range f.topologies {
		f.topology = spec
		t, m, err := f.machineFlags.load(cmd)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(s.Networks, func(other *topology.Topology) bool { return other.String() == t.String() }) {
			return nil, input.At("--topology", 0, "expected each network once", "%s twice", t)
		}
		s.Networks, s.Machine = append(s.Networks, t), m
	}
	if err := f.files(); err != nil {
		return nil, err
	}
	if f.csv != "" {
		s.Store, err = study.OpenStore(f.csv)
	}
	return s, err
}

// files refuses names before any work is done.
func (f *sweepFlags) files() error {
	var paths input.Paths
	paths.Read("--machine", f.machine)
	for _, spec := range f.topologies {
		if _, file, ok := strings.Cut(spec, ":"); ok {
			paths.Read("--topology", file)
		}
	}
	for _, file := range []struct{ flag, path, extension string }{{"--csv", f.csv, ".csv"}, {"--plot", f.plot, ".svg"}} {
		if file.path == "" {
			continue
		}
		if err := paths.WriteAs(file.flag, file.path, file.extension); err != nil {
			return err
		}
	}
	return nil
}

func (f *sweepFlags) print(w io.Writer, s *study.Sweep, r *study.Result) error {
	tokens, not := "without tokens", "by the formula"
	if s.Sync {
		tokens, not = "with tokens", "predicted"
	}
	for i := range r.Networks {
		n := &r.Networks[i]
		title := fmt.Sprintf("%s on %s, machine %s, %s: cycles by bytes of a block (* %s), the formulas within %.2f%%",
			s.Collective, n.Topology, f.machine, tokens, not, 100*n.Farthest())
		if err := printTimes(w, title, n); err != nil {
			return err
		}
		if err := printCrossovers(w, n); err != nil {
			return err
		}
	}
	return nil
}

func printTimes(w io.Writer, title string, n *study.Network) error {
	header := []string{"bytes"}
	for _, c := range n.Contenders {
		header = append(header, c.String())
	}
	var rows [][]string
	for i, bytes := range n.Bytes {
		row := []string{study.FormatSize(bytes)}
		for _, r := range n.Rows[i] {
			cell := fmt.Sprint(r.Cycles)
			if r.Source != study.Model {
				cell += "*"
			}
			row = append(row, cell)
		}
		rows = append(rows, append(row, n.Contenders[n.Fastest(i)].String()))
	}
	return printRows(w, title, append(header, "fastest"), rows)
}

func printCrossovers(w io.Writer, n *study.Network) error {
	if len(n.Crossovers) == 0 {
		_, err := fmt.Fprintln(w, "no crossovers")
		return err
	}
	var rows [][]string
	for _, c := range n.Crossovers {
		measured, apart := "nowhere near", ""
		if c.Source == study.Formula {
			measured = "not run"
		}
		if !math.IsNaN(c.Measured) {
			measured, apart = fmt.Sprintf("%.0f", c.Measured), fmt.Sprintf("%.1f%%", 100*c.Apart())
			if c.Source == study.Predicted {
				measured += "*"
			}
		}
		rows = append(rows, []string{c.From.String(), c.To.String(), fmt.Sprintf("%.0f", c.Predicted), measured, apart})
	}
	return printRows(w, "crossovers on "+n.Topology.String()+", bytes of a block", []string{"from", "to", "by the formulas", "measured", "apart"}, rows)
}

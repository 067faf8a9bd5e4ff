// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/formats/tdm"
	"meshwright/internal/input"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

func newImport() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:        "import FILE",
		SuggestFor: []string{"read", "convert"},
		Short:      "Read an algorithm or a schedule of another tool, check it and run it",
		Long: `Reads a file of another tool, checks it, runs it, and compares every word that arrives with
its expected value. The formats are

  msccl  collective algorithms in XML, as MSCCL's tools write them. import follows every
         chunk to the outputs, finds races and circular waits, and runs the algorithm as
         firmware. The form has no times: a file that run --xml wrote may take more cycles
         than that run
  tdm    tables of time-division networks on square tori, with rows such as "nel|" or
         "  nl|". import checks the table for collisions and runs it, by default without
         buffers, with all ports and one channel
  csv    schedules: message,source,destination,flits,dispatch[,route][,blocks]
  chakra execution traces of the Chakra schema: FILE.0.et stands for the files of all ranks.
         import runs computations, messages and collectives in the order of their dependences
  json   schedules of TE-CCL, which import checks for links that the network does not have,
         execution plans of MSCCL++, whose data flow it checks, and traces of the networks of
         Tenstorrent's chips, whose events run at their times
  pcapng captures of runs, which --trace FILE.pcapng writes: import runs the same messages from
         the same cycles on, by default on the network and the machine of the run

Anything in a file that import does not understand is an error that names it. The exit code
is 1 when an algorithm does not perform its collective, a table has a collision, or a word
is wrong. run, cosim and export accept these files, too; check accepts schedules, tables and
captures.`,
		Example: `  meshwright import examples/imports/ring-allreduce-8.xml --topology ring:8 --length 16
  meshwright import examples/imports/exchange-4x4.tdm --schedule exchange.csv
  meshwright import examples/imports/training-step.0.et --topology mesh:2x2`,
		Args: cobra.MatchAll(arguments(1), noneIsTopology),
		RunE: func(cmd *cobra.Command, args []string) error { return f.importFile(cmd, args[0]) },
	}
	f.machineFlags.add(cmd)
	f.addViews(cmd)
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.format, "format", "", "format of FILE: "+input.Or(importFormats())+" (default: by the extension .pcapng, .et, .xml, .json, .csv, .tdm or .shd, else by the content)")
		flags.IntVarP(&f.length, "length", "l", 8, "msccl, TE-CCL: flits of a chunk")
		flags.StringVar(&f.bytes, "bytes", "", "msccl, TE-CCL: bytes of a chunk instead of its flits, such as 4096, 64KiB or 1MB, in whole flits of the machine's width")
		flags.IntVarP(&f.root, "root", "r", 0, "msccl: root of a broadcast, reduce, gather or scatter")
		flags.Uint64Var(&f.seed, "seed", 1, "msccl: seed of the random inputs")
	})
	f.addImported(cmd)
	f.addMeant(cmd)
	return cmd
}

// addImported adds the flags that only imported algorithms take.
func (f *jobFlags) addImported(cmd *cobra.Command) {
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.ranks, "ranks", "", "msccl, chakra: nodes of the ranks in order, 0,1,3,2 (default: rank r is node r)")
		flags.StringVar(&f.inPlace, "inplace", "", "msccl: 1 if input and output share their memory, 0 if not (default: as the file says; 1 if it allows both)")
		flags.IntVar(&f.perMicro, "cycles-per-us", 1000, "chakra: `cycles` of a microsecond of computation; 0: computations take no time")
		flags.BoolVar(&f.everyRank, "every-rank", false, "chakra: every node does the work of the file's rank")
		flags.BoolVar(&f.skipMissing, "skip-missing", false, "chakra: leave out dependences on nodes that the file does not have")
		flags.StringVar(&f.noc, "noc", "", "traces of chips: only the events of NOC_0 or NOC_1 (default: both on one network)")
		flags.BoolVar(&f.control, "ctrl-deps", false, "chakra: follow ctrl_deps, too, and not data_deps alone")
	})
}

// ofAlgorithms are the flags of addImported that algorithms take, ofTraces those that traces take.
var (
	ofAlgorithms = []string{"ranks", "inplace"}
	ofTraces     = []string{"ranks", "cycles-per-us", "every-rank", "skip-missing", "ctrl-deps"}
	ofImported   = []string{"ranks", "inplace", "cycles-per-us", "every-rank", "skip-missing", "ctrl-deps", "noc"}
)

// importFormats are the formats of other tools, and of captures.
func importFormats() []string {
	return slices.DeleteFunc(runFormats(), func(name string) bool { return name == firmwareFormat })
}

// importFile runs a file of any format.
func (f *runFlags) importFile(cmd *cobra.Command, file string) error {
	if err := f.checkFormat(file, importFormats()...); err != nil {
		return err
	}
	switch f.formatOf(file) {
	case noFormat:
		if err := f.look(file, importFormats()); err != nil {
			return err
		}
	case firmwareFormat:
		return otherFormat(file, firmwareFormat, importFormats())
	}
	return f.run(cmd, file)
}

// loadTable reads a table, and the network and the machine for it: by default
// the torus that it is for, and chips without buffers in which all links work at
// once and a PE places and takes one flit a cycle.
func (f *machineFlags) loadTable(cmd *cobra.Command, file string, demands ...func(*machine.Machine)) (*schedule.Schedule, *topology.Topology, machine.Machine, error) {
	table, err := tdm.Read(file)
	if err != nil {
		return nil, nil, machine.Machine{}, err
	}
	f.implied = table.Topology()
	if flags := cmd.Flags(); !flags.Changed("machine") {
		f.machine = "bufferless"
		demands = append([]func(*machine.Machine){func(m *machine.Machine) {
			if !flags.Changed("ports") {
				m.Ports = machine.AllPort
			}
		}}, demands...)
	}
	t, m, err := f.load(cmd, demands...)
	if err != nil {
		return nil, nil, m, err
	}
	if t.Kind != topology.Torus || !slices.Equal(t.Dims, []int{table.Size, table.Size}) {
		return nil, nil, m, input.At(file, 0, "expected "+table.Topology(), "a table for %dx%d nodes on %s", table.Size, table.Size, t)
	}
	return table.Schedule(), t, m, nil
}

// executeTable runs the table of a time-division network.
func (f *jobFlags) executeTable(cmd *cobra.Command, file string, attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "the table says everything", "given with a table", slices.Concat(ofCollectives(), ofImported, ofBoth)); err != nil {
		return nil, err
	}
	s, t, m, err := f.loadTable(cmd, file)
	if err != nil {
		return nil, err
	}
	o, err := play(cmd, "exchange", s, t, m, attach...)
	if err != nil {
		return nil, err
	}
	return o, o.checkStatic(cmd.Context(), s)
}

// checkStatic adds what the checker says of messages on a machine without buffers.
func (o *outcome) checkStatic(ctx context.Context, s *schedule.Schedule) error {
	if o.machine.Switching != machine.Bufferless {
		return nil
	}
	r, err := check.Check(s, o.topology, o.machine, check.Under(ctx))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("no collisions, %d cycles", r.Cycles)
	if !r.OK {
		text = fmt.Sprintf("%s of messages in collision, the first in cycle %d", input.Count(r.Collisions, "pair"), r.First[0].Cycle)
	}
	o.imported = append(o.imported, fact{"checker_ok", "checker", text, fmt.Sprint(r.OK)})
	return nil
}

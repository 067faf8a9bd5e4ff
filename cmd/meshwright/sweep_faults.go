// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/fault"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/tolerant"
	"meshwright/internal/atomicfile"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/study"
)

// campaignFlags describe a campaign of faults.
type campaignFlags struct {
	jobFlags
	among  string
	count  int
	sets   string
	model  int
	output string
	json   bool
}

// The values of --faults-of and --sets.
const (
	faultsOfNodes = "nodes"
	faultsOfLinks = "links"
	faultsOfBoth  = "both"
	allSets       = "all"
)

func newSweepFaults() *cobra.Command {
	f := campaignFlags{among: faultsOfBoth, sets: "1000", model: 10}
	cmd := &cobra.Command{
		Use:   "faults COLLECTIVE --topology T",
		Short: "Try sets of faults on a collective whose messages travel in copies, and shrink a set that is not survived",
		Long: `Plans a collective once, and tries many sets of faults on it: nodes and links that are dead from
cycle 0 on. A set is survived when every live node gets every message of the live nodes.
Every set is replayed: the lists that the PEs go by are followed from PE to PE without a network.
Some sets also run as firmware in the cycle model, and the command fails when the model differs. The result
does not depend on the number of cores.

Of a set that is not survived the command leaves out one fault after another, until each of those left is needed.
It prints them as a list for --faults, and the command that runs the collective with them. The exit code is
1 if a set is not survived that has fewer faults than there are copies.

The root of a broadcast or scatter is never among the faults.`,
		Example: `  meshwright sweep faults broadcast --topology star:4 --machine store-forward --ports all --copies 3 --sets all
  meshwright sweep faults gossip --topology hypercube:4 --machine bufferless --ports all --nic.channels links --length 1 --copies 3 --faults-of links --count 3 --sets 5000`,
		Args: campaignable,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, ownName(args[0])) },
	}
	f.addCollective(cmd)
	if flag := cmd.Flags().Lookup("algorithm"); flag != nil {
		flag.Usage, flag.DefValue = "`name` of an algorithm that sends copies", tolerant.Name
		f.algorithm = tolerant.Name
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.among, "faults-of", f.among, "what may fail: nodes, links or both")
		flags.IntVar(&f.count, "count", 0, "faults of a set (default: one fewer than there are copies, but at least 1)")
		flags.StringVar(&f.sets, "sets", f.sets, "number of random sets, or all")
		flags.IntVar(&f.model, "model", f.model, "sets that also run in the cycle model, evenly spread")
	})
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.output, "out", "o", "", "write the counterexample, if there is one, as a list of faults: `FILE.csv`")
	})
	return cmd
}

// campaignable demands a collective whose messages can travel in copies.
func campaignable(cmd *cobra.Command, args []string) error {
	if err := cmp.Or(noTopology(cmd, args, 0), arguments(1)(cmd, args)); err != nil {
		return err
	}
	return oneOf(0, "collective", inCopies())(cmd, []string{ownName(args[0])})
}

// inCopies are the collectives whose messages can travel in copies.
func inCopies() []string {
	var names []string
	for _, a := range collective.Table() {
		if a.Name == tolerant.Name {
			names = append(names, a.Collective)
		}
	}
	return names
}

func (f *campaignFlags) run(cmd *cobra.Command, name string) error {
	c, err := f.campaign(cmd, name)
	if err != nil {
		return err
	}
	r, err := c.Run(cmd.Context())
	interrupted := cmd.Context().Err()
	if err != nil && interrupted == nil {
		return campaignFault(cmd.OutOrStdout(), err)
	}
	report := f.report(cmd, c, r)
	if r.First != nil && f.output != "" {
		write := func(w io.Writer) error { return fault.Write(w, r.First.Needed) }
		if err := atomicfile.Write(f.output, write); err != nil {
			return err
		}
	}
	if f.json {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.print(cmd.OutOrStdout())
	}
	switch {
	case err != nil:
		return err
	case interrupted != nil:
		return interrupted
	case !report.OK:
		return errFailed
	}
	return nil
}

// campaignFault turns a replay that differs from the model into a failed check.
func campaignFault(w io.Writer, err error) error {
	differ, ok := err.(*study.Disagreement)
	if !ok {
		return err
	}
	if _, err := fmt.Fprintln(w, "FAIL "+differ.Error()); err != nil {
		return err
	}
	return errFailed
}

// campaign plans the collective.
func (f *campaignFlags) campaign(cmd *cobra.Command, name string) (*study.Campaign, error) {
	c := &study.Campaign{Seed: f.seed, Model: f.model}
	switch f.among {
	case faultsOfNodes, faultsOfLinks, faultsOfBoth:
		c.Among.Nodes, c.Among.Links = f.among != faultsOfLinks, f.among != faultsOfNodes
	default:
		return nil, input.At("--faults-of", 0, "expected nodes, links or both", "%q", input.Clip(f.among))
	}
	if f.sets != allSets {
		sets, err := strconv.Atoi(f.sets)
		if err != nil || sets < 1 {
			return nil, input.At("--sets", 0, "expected a number of at least 1, or all", "%q", input.Clip(f.sets))
		}
		c.Sets = sets
	}
	if f.model < 0 {
		return nil, input.At("--model", 0, "expected at least 0", "%d", f.model)
	}
	if f.count < 0 {
		return nil, input.At("--count", 0, "expected at least 0", "%d", f.count)
	}
	paths := f.inputs(name)
	if f.output != "" {
		if err := paths.WriteAs(outFlag, f.output, ".csv"); err != nil {
			return nil, err
		}
	}
	job, _, err := f.load(cmd, name)
	if err != nil {
		return nil, err
	}
	if job.Machine.Faults != nil {
		return nil, input.At("--faults", 0, "expected none: the campaign chooses them", "%s", job.Machine.Faults)
	}
	c.Among.Count = max(1, job.Copies-1)
	if cmd.Flags().Changed("count") {
		c.Among.Count = f.count
	}
	c.Plan, err = collective.Generate(cmd.Context(), name, f.algorithm, job)
	return c, err
}

// rerun is the command that runs the collective with a list of faults.
func (f *campaignFlags) rerun(cmd *cobra.Command, name string) string {
	words := []string{"meshwright", "run", name}
	run := newRun().Flags()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name == "algorithm" || flag.Name == "json" || run.Lookup(flag.Name) == nil {
			return
		}
		values := []string{flag.Value.String()}
		if list, many := flag.Value.(pflag.SliceValue); many {
			values = list.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+flag.Name, escape.Shell(value))
		}
	})
	return strings.Join(append(words, "--algorithm", f.algorithm, "--faults", escape.Shell(f.list())), " ")
}

// unwrittenList is the list of a counterexample for which there is no --out.
const unwrittenList = "counterexample.csv"

// list is the file of the list of a counterexample.
func (f *campaignFlags) list() string { return cmp.Or(f.output, unwrittenList) }

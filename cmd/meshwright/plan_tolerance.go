// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule/workload"
	"meshwright/study"
)

// toleranceFlags ask what copies survive, and what they cost.
type toleranceFlags struct {
	topologies []string
	what       string
	root       int
	length     int
	count      int
	sets       int
	seed       uint64
	checksum   string
	setup      string
	json       bool
}

// toleranceRow is one network; its JSON names are a contract.
type toleranceRow struct {
	Topology string          `json:"topology"`
	Trees    int             `json:"most_disjoint_spanning_trees"`
	Copies   []toleranceCost `json:"copies"`
}

// toleranceCost is one number of copies.
type toleranceCost struct {
	Copies     int              `json:"copies"`
	Links      *int             `json:"withstands_links"` // null: any number
	Nodes      *int             `json:"withstands_nodes"`
	Share      []toleranceShare `json:"random_sets"`
	Cycles     duration         `json:"cycles"`
	Steps      router.Cycle     `json:"time_steps"`
	LeastSteps router.Cycle     `json:"least_steps"`
	FlitHops   int              `json:"flit_hops"`
	Ratio      float64          `json:"ratio_to_one_copy"`
}

// toleranceShare is one size of random sets.
type toleranceShare struct {
	Faults   int `json:"faults"`
	Tried    int `json:"tried"`
	Survived int `json:"survived"`
	Whole    int `json:"network_whole"`
}

func newPlanTolerance() *cobra.Command {
	f := toleranceFlags{what: plan.Broadcast, length: 16, count: 4, sets: 1000}
	cmd := &cobra.Command{
		Use:   "tolerance --topology T",
		Short: "Show what copies over disjoint trees survive, and what they cost",
		Long: `Runs a collective in one copy of each message, in two, and so on up to one for each disjoint tree (algorithm
edst), on the machine store-forward with ports all, and compares every word.

"any links" and "any nodes": every set of so many dead links, or nodes, is survived. The next columns say
how many of random sets of dead nodes and links are survived, in per cent. A set is survived when every live
node gets every message of the live nodes; the sets are replayed, see sweep faults. "flit hops" are flits
times links. "slower" is the time divided by that of one copy. --json also says how many sets leave the
network whole: no algorithm survives the others.`,
		Example: "  meshwright plan tolerance -t mesh:8x8 -t torus:8x8 -t hypercube:6 -t star:5\n  meshwright plan tolerance -t hypercube:4 --collective gossip --length 1 --count 6",
		Args:    arguments(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.what, "collective", f.what, "broadcast, scatter, gossip or exchange")
		flags.IntVarP(&f.root, "root", "r", 0, "root node")
		flags.IntVarP(&f.length, "length", "l", f.length, "flits of every message")
		flags.StringVar(&f.setup, "setup", "0", "cycles that a packet takes on every link before its first flit: 2, 1.5, 3/2")
		flags.IntVar(&f.count, "count", f.count, "faults of the largest random sets")
		flags.IntVar(&f.sets, "sets", f.sets, "random sets of each size")
		flags.Uint64Var(&f.seed, "seed", 1, "seed of the random words and sets")
	})
	groupAlgorithm.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		checksum := declaredOption("checksum")
		flags.StringVar(&f.checksum, checksum.Name, checksum.Default, checksum.Help+"; one of "+strings.Join(checksum.Values, ", "))
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.topologies, "topology", "t", nil, "a `network` (may be repeated): "+topology.Forms)
	})
	addJSON(cmd, &f.json)
	return cmd
}

// mostFaultSizes bounds --count: each size is a column.
const mostFaultSizes = 10

func (f *toleranceFlags) run(cmd *cobra.Command) error {
	if len(f.topologies) == 0 {
		return input.Errorf("expected --topology torus:8x8", "no topology")
	}
	if err := oneOf(0, "collective", inCopies())(cmd, []string{ownName(f.what)}); err != nil {
		return input.Locate(err, "--collective", 0)
	}
	if f.count < 0 || f.count > mostFaultSizes {
		return input.At("--count", 0, fmt.Sprintf("expected 0 to %d", mostFaultSizes), "%d", f.count)
	}
	if f.sets < 1 {
		return input.At("--sets", 0, "expected at least 1", "%d", f.sets)
	}
	var list []toleranceRow
	for _, spec := range f.topologies {
		row, err := f.row(cmd.Context(), spec)
		if err != nil {
			return err
		}
		list = append(list, row)
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), list)
	}
	return f.print(cmd.OutOrStdout(), list)
}

func (f *toleranceFlags) row(ctx context.Context, spec string) (toleranceRow, error) {
	job, err := f.job(ctx, spec)
	if err != nil {
		return toleranceRow{}, err
	}
	trees, costs, err := study.Tolerances(ctx, ownName(f.what), job, f.count, f.sets)
	if err != nil {
		return toleranceRow{}, err
	}
	row := toleranceRow{Topology: job.Topology.String(), Trees: trees, Copies: []toleranceCost{}}
	for i := range costs {
		c := &costs[i]
		cost := toleranceCost{
			Copies: c.Copies, Links: numberOrNull(c.Links), Nodes: numberOrNull(c.Nodes), Share: []toleranceShare{}, Cycles: duration{c.Cycles, job.Machine.Ticks()},
			Steps: c.Steps, LeastSteps: c.LeastSteps, FlitHops: c.FlitHops, Ratio: 1,
		}
		if costs[0].Cycles > 0 {
			cost.Ratio = float64(c.Cycles) / float64(costs[0].Cycles)
		}
		for _, s := range c.Share {
			cost.Share = append(cost.Share, toleranceShare(s))
		}
		row.Copies = append(row.Copies, cost)
	}
	return row, nil
}

// numberOrNull is a number of faults; nil: any number.
func numberOrNull(faults int) *int {
	if faults == tolerant.Any {
		return nil
	}
	return &faults
}

func (f *toleranceFlags) job(ctx context.Context, spec string) (j collective.Job, err error) {
	if j.Topology, err = topology.ParseWithin(ctx, spec); err != nil {
		return j, err
	}
	if j.Topology.Nodes() < 2 {
		return j, input.At("--topology", 0, "expected at least 2 nodes", "%s has no links that could fail", spec)
	}
	if j.Root, err = rootOf(j.Topology, f.root); err != nil {
		return j, err
	}
	j.Seed = f.seed
	checksum := declaredOption("checksum")
	if err := checksum.Set(&j, f.checksum); err != nil {
		return j, input.Locate(err, "--checksum", 0)
	}
	if j.Machine, err = machine.Preset(string(machine.StoreForward)); err != nil {
		return j, err
	}
	j.Machine.Ports, j.Machine.Channels = machine.AllPort, machine.Links
	if j.Machine.Setup, err = rational.Parse(f.setup); err != nil {
		return j, input.Locate(err, "--setup", 0)
	}
	if j.Machine, err = j.Machine.Resolve(j.Topology); err != nil {
		return j, err
	}
	kind, err := plan.KindOf(ownName(f.what))
	if err != nil {
		return j, err
	}
	j.Lengths, err = workload.EqualLengths(f.length, j.Topology.Nodes(), without(kind, j.Root))
	return j, input.Locate(err, "--length", 0)
}

// costColumns are the columns behind those of the random sets.
const costColumns = 5

func (f *toleranceFlags) print(w io.Writer, list []toleranceRow) error {
	header := []string{"network", "trees", "copies", "any links", "any nodes"}
	for k := 1; k <= f.count; k++ {
		header = append(header, input.Count(k, "fault"))
	}
	header = append(header, "cycles", "steps", "bound in steps", "flit hops", "slower")
	var rows [][]string
	for _, r := range list {
		for _, c := range r.Copies {
			row := []string{r.Topology, itoa(r.Trees), itoa(c.Copies), numberOrAny(c.Links), numberOrAny(c.Nodes)}
			for _, s := range c.Share {
				row = append(row, fmt.Sprintf("%.1f %%", 100*float64(s.Survived)/float64(s.Tried)))
			}
			for len(row) < len(header)-costColumns {
				row = append(row, "") // a small network
			}
			rows = append(rows, append(row, c.Cycles.String(), fmt.Sprint(c.Steps), fmt.Sprint(c.LeastSteps), itoa(c.FlitHops), fmt.Sprintf("%.2f", c.Ratio)))
		}
	}
	title := fmt.Sprintf("%s, %s a message, set-up %s, checksum %s", ownName(f.what), input.Count(f.length, "flit"), f.setup, f.checksum)
	if f.count > 0 {
		title += fmt.Sprintf(", %s of each size", input.Count(f.sets, "random set"))
	}
	return printRows(w, title, header, rows)
}

func numberOrAny(faults *int) string {
	if faults == nil {
		return "all"
	}
	return itoa(*faults)
}

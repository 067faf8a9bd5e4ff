// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective/alltoall/timetable"
	"meshwright/internal/input"
	"meshwright/router"
)

// timetableFlags ask for timetables.
type timetableFlags struct {
	topologies []string
	length     int
	search     bool
	seed       uint64
	effort     int
	limit      time.Duration
	schedule   string
	json       bool
}

// timetableRow is one network; its JSON names are a contract.
type timetableRow struct {
	Topology  string       `json:"topology"`
	Length    int          `json:"length"`
	Messages  int          `json:"messages"`
	Cycles    router.Cycle `json:"cycles"`
	Bound     router.Cycle `json:"lower_bound"`
	Ratio     float64      `json:"ratio"`
	Published router.Cycle `json:"published,omitempty"`
	Symmetric bool         `json:"symmetric"`
	Rounds    int          `json:"rounds"`
	Period    router.Cycle `json:"period"`
	Source    string       `json:"source"`            // stored or searched
	Stopped   bool         `json:"stopped,omitempty"` // by --limit
}

// publishedExchange returns the cycles of the S4NOC's static schedules on a square torus (single flits, one channel, no buffers), 0: none. Brandner
// and Schoeberl, 2012; the cycles are those of the tables btNxN.shd in noc/vhdl/generated of github.com/t-crest/s4noc, with the delivery of the last flit.
func publishedExchange(t *topology.Topology, length int) router.Cycle {
	published := []router.Cycle{2: 5, 10, 19, 27, 42, 58, 87, 113, 157}
	if t.Kind != topology.Torus || length != 1 || len(t.Dims) != 2 || t.Dims[0] != t.Dims[1] || t.Dims[0] >= len(published) {
		return 0
	}
	return published[t.Dims[0]]
}

func newPlanTimetables() *cobra.Command {
	f := timetableFlags{length: 1, seed: 1, effort: 1}
	cmd := &cobra.Command{
		Use:   "timetables [--topology T]",
		Short: "Compare all-to-all timetables without buffers with the lower bound and published times",
		Long: `In an all-to-all (total exchange) every node sends every other node a message. The machine has
no buffers, all ports and one channel per node, so no message may ever wait. Prints the time of
the stored timetable. If none is stored, or with --search, it searches for a timetable. Every
timetable is checked. The lower bound is that of any all-to-all, in cycles. The
column published has the times of the S4NOC, a time-division network, from its published tables
(Brandner and Schoeberl, 2012). Without --topology the networks are square tori.

Messages of several flits go whole, or as single flits in rounds: the timetable then begins
again after a number of cycles, the period. For other machines see run exchange --algorithm
timetable, and plan exchange.`,
		Example: `  meshwright plan timetables
  meshwright plan timetables -t mesh:4x4 -t ring:9 --length 4
  meshwright plan timetables -t torus:8x8 --search --seed 7 --schedule exchange.csv`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVarP(&f.length, "length", "l", f.length, "flits of every message")
		flags.Uint64Var(&f.seed, "seed", f.seed, "seed of the search")
	})
	groupAlgorithm.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.search, "search", false, "search for a timetable even if one is stored")
		flags.IntVar(&f.effort, "effort", f.effort, fmt.Sprintf("effort of the search, 1 to %d: each step doubles its work", timetable.MaxEffort))
		flags.DurationVar(&f.limit, "limit", 0, "limit on the time of a search, such as 10s: it then ends with the fastest timetable that it found (default: none)")
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.topologies, "topology", "t", nil, "a `network` (may be repeated)")
	})
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.schedule, "schedule", "", "write the messages with their dispatch cycles and routes: `FILE.csv` (one network)")
	})
	return cmd
}

func (f *timetableFlags) run(cmd *cobra.Command) error {
	if err := checkLimit(cmd, f.limit); err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	specs := f.topologies
	if len(specs) == 0 {
		for n := 2; n <= 10; n++ {
			specs = append(specs, fmt.Sprintf("torus:%dx%d", n, n))
		}
	}
	var list []timetableRow
	var table *timetable.Timetable
	for _, spec := range specs {
		row, found, err := f.find(cmd, spec)
		if err != nil {
			return err
		}
		list, table = append(list, row), found
	}
	if f.schedule != "" {
		if err := writeTo(cmd.OutOrStdout(), f.schedule, table.Schedule().Write); err != nil {
			return err
		}
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), list)
	}
	return f.print(cmd.OutOrStdout(), list)
}

func (f *timetableFlags) check() error {
	switch {
	case f.length < 1 || f.length > timetable.MaxLength:
		return input.At("--length", 0, fmt.Sprintf("expected 1 to %d", timetable.MaxLength), "%d", f.length)
	case f.effort < 1 || f.effort > timetable.MaxEffort:
		return input.At("--effort", 0, fmt.Sprintf("expected 1 to %d", timetable.MaxEffort), "%d", f.effort)
	case f.schedule != "" && len(f.topologies) != 1:
		return input.At("--schedule", 0, "expected one --topology", "%s", input.Count(len(f.topologies), "network"))
	case f.schedule != "":
		var paths input.Paths
		return paths.WriteAs("--schedule", f.schedule, ".csv")
	}
	return nil
}

// find looks a network's timetable up, or searches for one.
func (f *timetableFlags) find(cmd *cobra.Command, spec string) (timetableRow, *timetable.Timetable, error) {
	t, err := topology.ParseWithin(cmd.Context(), spec)
	if err != nil {
		return timetableRow{}, nil, err
	}
	row := timetableRow{Topology: spec, Length: f.length, Source: "stored", Published: publishedExchange(t, f.length)}
	table, ok := timetable.Stored(t, f.length, timetable.MaxMessages)
	if !ok || f.search {
		row.Source = "searched"
		if table, err = f.searched(cmd.Context(), t); err != nil {
			return row, nil, err
		}
	}
	row.Messages = t.Nodes() * (t.Nodes() - 1) * table.Rounds
	row.Cycles, row.Bound, row.Ratio = table.Cycles, table.Bound, 1
	if table.Bound > 0 {
		row.Ratio = float64(table.Cycles) / float64(table.Bound)
	}
	row.Symmetric, row.Rounds, row.Period, row.Stopped = table.Symmetric(), table.Rounds, table.Period, table.Stopped
	return row, table, nil
}

// searched searches for a timetable.
func (f *timetableFlags) searched(ctx context.Context, t *topology.Topology) (*timetable.Timetable, error) {
	m, err := timetable.Reference()
	if err != nil {
		return nil, err
	}
	within, end := ctx, func() {}
	if f.limit > 0 {
		within, end = context.WithTimeout(ctx, f.limit)
	}
	defer end()
	table, err := timetable.FindLengths(within, t, m, slices.Repeat([]int{f.length}, t.Nodes()), timetable.Options{Seed: f.seed, Effort: f.effort})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return nil, input.Errorf("expected a higher limit", "no timetable for %s found within %s", t, f.limit)
	}
	return table, err
}

func (f *timetableFlags) print(w io.Writer, list []timetableRow) error {
	var rows [][]string
	for _, r := range list {
		published, nodes, period := "", "differ", ""
		if r.Published > 0 {
			published = fmt.Sprint(r.Published)
		}
		if r.Symmetric {
			nodes = "all the same"
		}
		if r.Rounds > 1 {
			period = fmt.Sprint(r.Period)
		}
		if r.Stopped {
			r.Source += ", " + stoppedText
		}
		rows = append(rows, []string{
			r.Topology, itoa(r.Messages), fmt.Sprint(r.Cycles), fmt.Sprint(r.Bound), fmt.Sprintf("%.3f", r.Ratio), published, nodes, itoa(r.Rounds), period, r.Source,
		})
	}
	title := fmt.Sprintf("total exchange, %s a message, no buffers, one channel", input.Count(f.length, "flit"))
	return printRows(w, title, []string{"network", "messages", "cycles", "lower bound", "ratio", "published", "nodes", "rounds", "period", "timetable"}, rows)
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/schedule/packet"
)

func newPlanDistance() *cobra.Command {
	s := packet.Sample{Seed: 1, Cases: 100, Nodes: 12, Span: 4, Messages: 5, Flits: 4}
	setup := "2"
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "distance",
		Short: "Measure how far furthest-first and the search are from the optimum, on random trees",
		Long: fmt.Sprintf(`Draws random trees with a few messages, and measures three schedules: furthest-first (the
best of several splits, see plan order), the best order of whole messages, and the result of
the local search that plan order uses for large trees. It divides their times by the optimum
of order and packets, in the cases in which the optimum can be found and proved (at most
%d messages, a few seconds for all cases together). In all cases it divides them by the lower
bound for packets that do not mix messages.`, packet.OptimumMessages),
		Example: "  meshwright plan distance\n  meshwright plan distance --nodes 30 --messages 20 --flits 50 --cases 5",
		Args:    arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			beta, err := rational.Parse(setup)
			if err != nil {
				return input.Locate(err, "--setup", 0)
			}
			s.Beta = beta
			if s.Steps < 1 {
				return input.At("--steps", 0, "expected at least 1", "%d", s.Steps)
			}
			q, err := packet.Compare(cmd.Context(), s)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), newDistances(q))
			}
			return printDistances(cmd.OutOrStdout(), q)
		},
	}
	sampleFlags(cmd.Flags(), &s, &setup)
	addJSON(cmd, &asJSON)
	return cmd
}

// sampleFlags are the flags of the random sample.
func sampleFlags(set *pflag.FlagSet, s *packet.Sample, setup *string) {
	groupJob.declare(set, func(flags *pflag.FlagSet) {
		flags.IntVar(&s.Cases, "cases", s.Cases, "number of random trees")
		flags.IntVar(&s.Nodes, "nodes", s.Nodes, "nodes of a tree")
		flags.IntVar(&s.Span, "span", s.Span, "the parent of a node is one of this number of nodes before it (1: a path)")
		flags.IntVar(&s.Messages, "messages", s.Messages, "number of messages, to different nodes")
		flags.IntVar(&s.Flits, "flits", s.Flits, "flits of the longest message; lengths are random")
		flags.Uint64Var(&s.Seed, "seed", s.Seed, "seed of trees, lengths and search")
	})
	groupAlgorithm.declare(set, func(flags *pflag.FlagSet) {
		steps := declaredOption("steps")
		flags.IntVar(&s.Steps, steps.Name, 200_000, steps.Help+" for each tree")
	})
	groupMachine.declare(set, func(flags *pflag.FlagSet) {
		flags.StringVar(setup, "setup", *setup, "cycles that a packet pays on every link before its first flit: 2, 1.5, 3/2")
	})
}

// distances are ratios to the optimum, where it is known, and to the lower
// bound of packets that do not mix messages; the JSON names are a contract.
type distances struct {
	Cases         int     `json:"cases"`
	Setup         string  `json:"setup"`
	Proved        int     `json:"proved"`
	Furthest      *spread `json:"furthest_first,omitempty"`
	Unbroken      *spread `json:"whole_messages,omitempty"`
	Search        *spread `json:"search,omitempty"`
	Met           int     `json:"search_optimal"`
	Bound         *spread `json:"optimum_over_bound,omitempty"`
	FurthestBound spread  `json:"furthest_first_over_bound"`
	SearchBound   spread  `json:"search_over_bound"`
	Version       string  `json:"version"`
}

type spread struct {
	Mean  float64 `json:"mean"`
	Worst float64 `json:"worst"`
}

func newDistances(q packet.Quality) distances {
	known := func(cases int, s packet.Spread) *spread {
		if cases == 0 {
			return nil
		}
		return (*spread)(&s)
	}
	return distances{
		Cases: q.Cases, Setup: q.Beta.String(), Proved: q.Proved, Furthest: known(q.Proved, q.Furthest), Unbroken: known(q.Whole, q.Unbroken),
		Search: known(q.Proved, q.Improved), Met: q.Met, Bound: known(q.Proved, q.Bound),
		FurthestBound: spread(q.FurthestBound), SearchBound: spread(q.ImprovedBound), Version: version(),
	}
}

func printDistances(w io.Writer, q packet.Quality) error {
	row := func(name string, cases int, s packet.Spread) []string {
		if cases == 0 {
			return []string{name, "0", "", ""}
		}
		return []string{name, itoa(cases), fmt.Sprintf("%.4f", s.Mean), fmt.Sprintf("%.4f", s.Worst)}
	}
	title := fmt.Sprintf("%d random trees, setup %s; the optimum is proved in %d, the search met it in %d of them",
		q.Cases, exactly(q.Beta.Rat()), q.Proved, q.Met)
	return printRows(w, title, []string{"ratio of times", "cases", "mean", "worst"}, [][]string{
		row("furthest-first, best split : optimum", q.Proved, q.Furthest),
		row("best order of whole messages : optimum", q.Whole, q.Unbroken),
		row("search : optimum", q.Proved, q.Improved),
		row("optimum : lower bound, uncombined", q.Proved, q.Bound),
		row("furthest-first, best split : lower bound, uncombined", q.Cases, q.FurthestBound),
		row("search : lower bound, uncombined", q.Cases, q.ImprovedBound),
	})
}

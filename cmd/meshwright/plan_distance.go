// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"meshwright/firmware/packet"
	"meshwright/internal/input"
	"meshwright/internal/rational"
)

func newPlanDistance() *cobra.Command {
	s := packet.Sample{Seed: 1, Cases: 100, Nodes: 12, Span: 4, Messages: 5, Flits: 4}
	setup := "2"
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "distance",
		Short: "How far furthest-first and the search are from the optimum, on random small trees",
		Long: fmt.Sprintf(`Draws random trees with a few messages, on which the optimum of order and packets can
be found exactly (up to %d messages), and compares furthest-first, the best order of
whole messages, and the local search that plan order uses for large trees.`, packet.OptimumMessages),
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			beta, err := rational.Parse(setup)
			if err != nil {
				return input.Locate(err, "--setup", 0)
			}
			s.Beta = beta
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
	flags := cmd.Flags()
	flags.IntVar(&s.Cases, "cases", s.Cases, "trees to draw")
	flags.IntVar(&s.Nodes, "nodes", s.Nodes, "nodes of a tree")
	flags.IntVar(&s.Span, "span", s.Span, "a node hangs from one of so many before it (1: a path)")
	flags.IntVar(&s.Messages, "messages", s.Messages, "messages, to different nodes")
	flags.IntVar(&s.Flits, "flits", s.Flits, "most flits of a message")
	flags.StringVar(&setup, "setup", setup, "cycles that a packet pays on every link before its first flit: 2, 1.5, 3/2")
	flags.Uint64Var(&s.Seed, "seed", s.Seed, "seed of trees, lengths and search")
	flags.BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

// distances are ratios to the optimum; the JSON names are a contract.
type distances struct {
	Cases    int    `json:"cases"`
	Setup    string `json:"setup"`
	Furthest spread `json:"furthest_first"`
	Unbroken spread `json:"whole_messages"`
	Search   spread `json:"search"`
	Met      int    `json:"search_optimal"`
	Bound    spread `json:"optimum_over_bound"`
	Version  string `json:"version"`
}

type spread struct {
	Mean  float64 `json:"mean"`
	Worst float64 `json:"worst"`
}

func newDistances(q packet.Quality) distances {
	return distances{
		q.Cases, q.Beta.String(), spread(q.Furthest), spread(q.Unbroken), spread(q.Improved), q.Met, spread(q.Bound), version(),
	}
}

func printDistances(w io.Writer, q packet.Quality) error {
	row := func(name string, s packet.Spread) []string {
		return []string{name, fmt.Sprintf("%.4f", s.Mean), fmt.Sprintf("%.4f", s.Worst)}
	}
	title := fmt.Sprintf("%d random trees, setup %s; the search met the optimum in %d", q.Cases, exactly(q.Beta.Rat()), q.Met)
	return printRows(w, title, []string{"ratio of times", "mean", "worst"}, [][]string{
		row("furthest-first : optimum", q.Furthest),
		row("best order of whole messages : optimum", q.Unbroken),
		row("search : optimum", q.Improved),
		row("optimum : lower bound", q.Bound),
	})
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/input"
	"meshwright/study"
)

// scoreboardReport is the JSON of bench scoreboard; its names are a contract.
type scoreboardReport struct {
	Side    int        `json:"side"`
	Scores  []scoreRow `json:"scores"`
	Seconds float64    `json:"seconds"`
	Version string     `json:"version"`
}

// scoreRow is one comparison.
type scoreRow struct {
	Group     string  `json:"group"`
	Case      string  `json:"case"`
	Unit      string  `json:"unit"`
	By        string  `json:"by"`
	Theirs    float64 `json:"theirs"`
	Ours      float64 `json:"ours"`
	Bound     float64 `json:"lower_bound"`
	Algorithm string  `json:"algorithm"`
	Command   string  `json:"command"`
}

func newBenchScoreboard() *cobra.Command {
	var asJSON bool
	s := study.Scoreboard{Side: 64}
	groups := study.ScoreGroups()
	cmd := &cobra.Command{
		Use:   "scoreboard [GROUP ...]",
		Short: "Compare schedules with published times, in the cost models of their sources",
		Long: `Plans the collectives of published cases and prints our times beside the published ones and the lower bounds:
tacos and te-ccl are all-gathers of TACOS and TE-CCL, in which a chunk takes a slot on a link; allreduce, reduce-scatter,
broadcast and gossip compare the default on a square torus with the published algorithms, which are algorithms of ours,
too, from 32 bytes to 512 MiB, or in a gossip to blocks of 8000 bytes; exchange compares an all-to-all with its bound. All groups together take minutes; tacos and te-ccl take seconds.`,
		Example: `  meshwright bench scoreboard tacos te-ccl
  meshwright bench scoreboard allreduce --side 4 --bytes 32 --json`,
		Args:      eachOf("group", groups),
		ValidArgs: groups,
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.Side < 2 || s.Side > 64 || s.Side&(s.Side-1) != 0 {
				return input.At("--side", 0, "expected 2, 4, 8, 16, 32 or 64", "side %d", s.Side)
			}
			for _, n := range s.Bytes {
				if n < 1 || n > study.MaxVector {
					return input.At("--bytes", 0, fmt.Sprintf("expected 1 to %d", study.MaxVector), "%d", n)
				}
			}
			s.Groups = args
			start := time.Now()
			list, err := s.Run(cmd.Context())
			if err != nil {
				return err
			}
			r := &scoreboardReport{Side: s.Side, Seconds: time.Since(start).Seconds(), Version: version()}
			for _, c := range list {
				r.Scores = append(r.Scores, scoreRow{c.Group, c.Case, c.Unit, c.By, c.Theirs, c.Ours, c.Bound, c.Algorithm, c.Command})
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), r)
			}
			return r.print(cmd.OutOrStdout())
		},
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVar(&s.Side, "side", s.Side, "side of the square torus of published algorithms, a power of two up to 64")
		flags.IntSliceVar(&s.Bytes, "bytes", nil, "lengths of the vectors of published algorithms, or in a gossip of each block, such as 32,2048 (default: from 32 to 536870912, in a gossip to 8000)")
	})
	addJSON(cmd, &asJSON)
	return cmd
}

func (r *scoreboardReport) print(w io.Writer) error {
	var rows [][]string
	for _, c := range r.Scores {
		verdict := "equal"
		switch ratio := c.Ours / c.Theirs; {
		case ratio > 1.0005:
			verdict = "theirs is better"
		case ratio < 0.9995:
			verdict = "ours is better"
		}
		if c.Group == "exchange" {
			verdict = "" // beside a bound, nobody's time
		}
		rows = append(rows, []string{
			c.Group, c.Case, c.By, fmt.Sprintf("%.2f", c.Theirs), fmt.Sprintf("%.2f", c.Ours), fmt.Sprintf("%.2f", c.Bound), c.Unit,
			fmt.Sprintf("%.3f", c.Ours/c.Theirs), fmt.Sprintf("%.3f", c.Ours/c.Bound), verdict, c.Algorithm,
		})
	}
	head := []string{"group", "case", "theirs by", "theirs", "ours", "bound", "unit", "ours / theirs", "ours / bound", "verdict", "algorithm"}
	return printRows(w, "schedules and published times", head, rows)
}

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

// schedulesReport is the JSON of bench schedules; its names are a contract.
type schedulesReport struct {
	Nodes       int                  `json:"nodes"`
	Seed        uint64               `json:"seed"`
	Limit       float64              `json:"limit_seconds"`
	Effort      float64              `json:"effort"`
	Collectives []scheduleCollective `json:"collectives"`
	Seconds     float64              `json:"seconds"`
	Version     string               `json:"version"`
}

// scheduleCollective is one collective of the report.
type scheduleCollective struct {
	Collective    string         `json:"collective"`
	Jobs          int            `json:"jobs"`
	Compared      int            `json:"compared"`
	Refused       int            `json:"refused"`
	BestOverBound *scheduleRatio `json:"best_over_bound"`
	DefaultOver   *scheduleRatio `json:"default_over_best"`
	Times         []scheduleTime `json:"times"`
}

// scheduleRatio sums up the ratios of all jobs.
type scheduleRatio struct {
	Median  float64 `json:"median"`
	P90     float64 `json:"p90"`
	Worst   float64 `json:"worst"`
	Command string  `json:"worst_command"`
}

// scheduleTime is one job.
type scheduleTime struct {
	Command string   `json:"command"`
	Bound   int      `json:"lower_bound"`
	BoundBy string   `json:"lower_bound_by,omitempty"`
	Default int      `json:"default"`
	Best    int      `json:"best"`
	Fastest string   `json:"fastest"`
	Late    []string `json:"late,omitempty"`
}

func newBenchSchedules() *cobra.Command {
	var asJSON bool
	s := study.Scheduling{Jobs: 1, Nodes: 12, Seed: 1, Limit: 20 * time.Second}
	names, aliases := collectives()
	cmd := &cobra.Command{
		Use:   "schedules [COLLECTIVE ...]",
		Short: "Measure how near the schedules of random jobs come to their lower bounds",
		Long: `Draws random jobs: 14 forms of topology, one port or all, one channel or one per link, full and half duplex,
startups from 0 to 1000, and blocks of 1 to 256 flits. Every algorithm plans every job. The tables compare the
time of the fastest algorithm with the lower bound, and the time of the default, auto, with the fastest: the median, the ratio that
nine of ten jobs do not exceed, and the worst with its command. An algorithm that takes longer than the limit is not
compared. The jobs depend on the seed alone. A few small jobs are the default; --jobs 20 --nodes 64 takes minutes.`,
		Example: `  meshwright bench schedules scatter --jobs 2 --nodes 8
  meshwright bench schedules gossip broadcast --jobs 1 --nodes 8 --seed 7 --json`,
		Args:      cobra.MatchAll(ownNetworks, eachOf("collective", names, aliases...)),
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkEffort(cmd, s.Effort); err != nil {
				return err
			}
			for _, name := range args {
				s.Collectives = append(s.Collectives, ownName(name))
			}
			start := time.Now()
			list, err := s.Run(cmd.Context())
			if err != nil {
				return err
			}
			report := reportSchedules(&s, list, time.Since(start).Seconds())
			if asJSON {
				return printJSON(cmd.OutOrStdout(), report)
			}
			return report.print(cmd.OutOrStdout())
		},
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVar(&s.Jobs, "jobs", s.Jobs, "random jobs of each collective")
		flags.IntVar(&s.Nodes, "nodes", s.Nodes, "nodes of the largest network, 8 to 256")
		flags.Uint64Var(&s.Seed, "seed", s.Seed, "seed of the random jobs")
		flags.DurationVar(&s.Limit, "limit", s.Limit, "time limit of each algorithm of a job")
		flags.Float64Var(&s.Effort, "effort", 1, "how much searches do, in times of what they usually do: 0.01 to 100")
	})
	addJSON(cmd, &asJSON)
	return cmd
}

// ownNetworks refuses topologies: those of bench schedules are random.
func ownNetworks(_ *cobra.Command, args []string) error {
	for _, arg := range args {
		if meant(arg) != "" {
			return input.Errorf("expected collectives alone: the networks are random, see --nodes and --seed", "topology %q", arg)
		}
	}
	return nil
}

func reportSchedules(s *study.Scheduling, list []study.ScheduledCollective, seconds float64) *schedulesReport {
	r := &schedulesReport{Nodes: s.Nodes, Seed: s.Seed, Limit: s.Limit.Seconds(), Effort: s.Effort, Seconds: seconds, Version: version()}
	for i := range list {
		c := &list[i]
		row := scheduleCollective{
			Collective: c.Collective, Jobs: len(c.Jobs), Compared: c.Compared(), Refused: c.Refused(),
			BestOverBound: sumUpRatios(c, (*study.ScheduledJob).Ratio), DefaultOver: sumUpRatios(c, (*study.ScheduledJob).DefaultRatio),
		}
		for _, j := range c.Jobs {
			row.Times = append(row.Times, scheduleTime{j.Command, int(j.Bound), string(j.BoundBy), int(j.Default), int(j.Best), j.Fastest, j.Late})
		}
		r.Collectives = append(r.Collectives, row)
	}
	return r
}

func sumUpRatios(c *study.ScheduledCollective, ratio func(*study.ScheduledJob) float64) *scheduleRatio {
	s, ok := c.Summary(ratio)
	if !ok {
		return nil
	}
	return &scheduleRatio{s.Median, s.P90, s.Worst, s.Command}
}

func (r *schedulesReport) print(w io.Writer) error {
	var rows [][]string
	for _, c := range r.Collectives {
		cells := []string{c.Collective, itoa(c.Jobs), itoa(c.Compared), itoa(c.Refused)}
		for _, s := range []*scheduleRatio{c.BestOverBound, c.DefaultOver} {
			if s == nil {
				cells = append(cells, "", "", "")
				continue
			}
			cells = append(cells, fmt.Sprintf("%.2f", s.Median), fmt.Sprintf("%.2f", s.P90), fmt.Sprintf("%.2f", s.Worst))
		}
		rows = append(rows, cells)
	}
	title := fmt.Sprintf("best schedule / lower bound, and default / best: random jobs of up to %d nodes, seed %d", r.Nodes, r.Seed)
	if r.Effort != 1 {
		title += fmt.Sprintf(", effort %g", r.Effort)
	}
	head := []string{"collective", "jobs", "compared", "refused", "median", "p90", "worst", "default: median", "p90", "worst"}
	if err := printRows(w, title, head, rows); err != nil {
		return err
	}
	for _, c := range r.Collectives {
		if c.BestOverBound != nil {
			if _, err := fmt.Fprintf(w, "%s, worst: %s\n", c.Collective, c.BestOverBound.Command); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "%.0f seconds\n", r.Seconds)
	return err
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/workload"
	"meshwright/study"
)

// treeFlags ask for a comparison of spanning trees.
type treeFlags struct {
	topologies []string
	length     int
	json       bool
}

// treeRow is one tree of one network; its JSON names are a contract.
type treeRow struct {
	Topology      string       `json:"topology"`
	Tree          string       `json:"tree"`
	Depth         int          `json:"depth"`
	Broadcast     int          `json:"broadcast"`
	Scatter       router.Cycle `json:"scatter"`
	Gather        router.Cycle `json:"gather"`
	Certification router.Cycle `json:"certification_tight"`
}

func newPlanTrees() *cobra.Command {
	var f treeFlags
	cmd := &cobra.Command{
		Use:   "trees --topology T",
		Short: "Compare spanning trees: broadcast, scatter and gather along them with a single port",
		Long: `Builds every kind of spanning tree from node 0 (or from the root, if the network is a tree). Runs
a scatter (furthest-first) and gathers (nearest-first, certification-tight) along each tree on the
machine bufferless, and compares every word. The column broadcast is the least time in which one
flit reaches all nodes along the tree. In parentheses after the network's name is a lower bound of
this time for any tree.`,
		Example: "  meshwright plan trees -t mesh:8x8 -t torus:8x8 -t hypercube:6 -t complete:64 -t random:64,4",
		Args:    arguments(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVarP(&f.length, "length", "l", 4, "flits of every message")
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.topologies, "topology", "t", nil, "a `network` (may be repeated)")
	})
	addJSON(cmd, &f.json)
	return cmd
}

func (f *treeFlags) run(cmd *cobra.Command) error {
	if len(f.topologies) == 0 {
		return input.Errorf("expected --topology mesh:8x8", "no topology")
	}
	var list []treeRow
	var rows [][]string
	for _, spec := range f.topologies {
		t, err := topology.ParseWithin(cmd.Context(), spec)
		if err != nil {
			return err
		}
		some, err := f.compare(cmd.Context(), t)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s (at least %d)", t, topology.BroadcastBound(t, t.Root))
		for _, r := range some {
			rows = append(rows, []string{name, r.Tree, fmt.Sprint(r.Depth), itoa(r.Broadcast), fmt.Sprint(r.Scatter), fmt.Sprint(r.Gather), fmt.Sprint(r.Certification)})
			name = ""
		}
		list = append(list, some...)
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), list)
	}
	title := fmt.Sprintf("Trees from the root, machine bufferless, %s a message", input.Count(f.length, "flit"))
	return printRows(cmd.OutOrStdout(), title, []string{"network (broadcast)", "tree", "depth", "broadcast", "scatter", "gather, nearest-first", "gather, certification-tight"}, rows)
}

// compare runs the collectives along every tree of a network.
func (f *treeFlags) compare(ctx context.Context, t *topology.Topology) ([]treeRow, error) {
	m, err := machine.Preset("bufferless")
	if err != nil {
		return nil, err
	}
	lengths, err := workload.EqualLengths(f.length, t.Nodes(), t.Root)
	if err != nil {
		return nil, input.Locate(err, "--length", 0)
	}
	times, err := study.CompareTrees(ctx, collective.Job{Topology: t, Machine: m, Root: t.Root, Lengths: lengths, Seed: 1})
	if err != nil {
		return nil, err
	}
	var rows []treeRow
	for _, r := range times {
		rows = append(rows, treeRow{t.String(), r.Tree, r.Depth, r.Broadcast, r.Scatter, r.Gather, r.Certification})
	}
	return rows, nil
}

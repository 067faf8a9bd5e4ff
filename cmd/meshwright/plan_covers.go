// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/collective"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/workload"
	"meshwright/study"
)

// coverFlags ask what several trees are good for.
type coverFlags struct {
	topologies []string
	what       string
	root       int
	length     int
	json       bool
	out        string
}

// coverRow is one network; its JSON names are a contract.
type coverRow struct {
	Topology     string       `json:"topology"`
	Degree       int          `json:"root_degree"`
	Most         int          `json:"most_disjoint_spanning_trees"`
	Cut          []string     `json:"minimum_cut"`
	OneTree      router.Cycle `json:"one_tree"`
	EdgeDisjoint router.Cycle `json:"edge_disjoint"`
	Trees        int          `json:"edge_disjoint_trees"`
	SharedEdges  router.Cycle `json:"shared_edges"`
	LowerBound   router.Cycle `json:"lower_bound"`
	SpeedUp      float64      `json:"speed_up"`
}

func newPlanCovers() *cobra.Command {
	f := coverFlags{what: "scatter", length: 16}
	cmd := &cobra.Command{
		Use:   "covers --topology T",
		Short: "Compare several trees with one tree, on machines where all links of a node work at once",
		Long: `Runs a scatter (or gather) over one breadth-first tree, over edge-disjoint trees and
over trees that share edges, on the machine bufferless with ports all and a channel per
link, and compares every word. "most spanning" is the greatest number of edge-disjoint
spanning trees: the least maximum flow from the root to any node. --json names a minimum
cut. The speed-up is the time of one tree divided by the time of edge-disjoint trees.`,
		Example: "  meshwright plan covers -t mesh:8x8 -t torus:8x8 -t hypercube:6 -t debruijn:6 -t random:64,4",
		Args:    arguments(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.what, "collective", f.what, "scatter or gather")
		flags.IntVarP(&f.root, "root", "r", 0, "root node")
		flags.IntVarP(&f.length, "length", "l", f.length, "flits of every message")
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.topologies, "topology", "t", nil, "a `network` (may be repeated)")
	})
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.out, "out", "o", "", "draw the edge-disjoint spanning trees of one topology: `FILE.svg`")
	})
	return cmd
}

func (f *coverFlags) run(cmd *cobra.Command) error {
	if len(f.topologies) == 0 {
		return input.Errorf("expected --topology torus:8x8", "no topology")
	}
	if f.what != "scatter" && f.what != "gather" {
		return input.At("--collective", 0, "expected scatter or gather", "%q", f.what)
	}
	if f.out != "" {
		var paths input.Paths
		if err := paths.WriteAs(outFlag, f.out, ".svg"); err != nil {
			return err
		}
		if err := f.picture(cmd.Context()); err != nil {
			return err
		}
	}
	var list []coverRow
	for _, spec := range f.topologies {
		row, err := f.compare(cmd.Context(), spec)
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

// compare runs the collective on one network, one tree first.
func (f *coverFlags) compare(ctx context.Context, spec string) (coverRow, error) {
	job, err := f.job(ctx, spec)
	if err != nil {
		return coverRow{}, err
	}
	rows, err := study.SpeedUps(ctx, f.what, job)
	if err != nil {
		return coverRow{}, err
	}
	one, disjoint, shared := rows[0], rows[1], rows[2]
	most, cut, err := cover.Most(ctx, job.Topology, job.Root)
	if err != nil {
		return coverRow{}, err
	}
	row := coverRow{
		Topology: spec, Degree: job.Topology.Degree(job.Root), Most: most, OneTree: one.Cycles, EdgeDisjoint: disjoint.Cycles,
		Trees: disjoint.Trees, SharedEdges: shared.Cycles, LowerBound: disjoint.LowerBound, SpeedUp: disjoint.SpeedUp,
	}
	for _, l := range cut {
		row.Cut = append(row.Cut, linkName(l))
	}
	return row, nil
}

func (f *coverFlags) job(ctx context.Context, spec string) (j collective.Job, err error) {
	if j.Topology, err = topology.ParseWithin(ctx, spec); err != nil {
		return j, err
	}
	if j.Root, err = rootOf(j.Topology, f.root); err != nil {
		return j, err
	}
	j.Seed = 1
	if j.Machine, err = machine.Preset("bufferless"); err != nil {
		return j, err
	}
	j.Machine.Ports, j.Machine.Channels = machine.AllPort, machine.Links
	j.Lengths, err = workload.EqualLengths(f.length, j.Topology.Nodes(), j.Root)
	return j, input.Locate(err, "--length", 0)
}

func (f *coverFlags) print(w io.Writer, list []coverRow) error {
	var rows [][]string
	for _, r := range list {
		rows = append(rows, []string{
			r.Topology, itoa(r.Degree), itoa(r.Most), fmt.Sprint(r.OneTree), fmt.Sprintf("%d (%d)", r.EdgeDisjoint, r.Trees),
			fmt.Sprint(r.SharedEdges), fmt.Sprint(r.LowerBound), fmt.Sprintf("%.2f", r.SpeedUp),
		})
	}
	title := fmt.Sprintf("%s from node %d, all ports, %s a message", f.what, f.root, input.Count(f.length, "flit"))
	header := []string{"network", "root's links", "most spanning", "one tree", "edge-disjoint (trees)", "shared-edges", "lower bound", "speed-up"}
	return printRows(w, title, header, rows)
}

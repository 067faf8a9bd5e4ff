// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/nexthop"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
)

// planRoutesFlags describe a routing table to print.
type planRoutesFlags struct {
	machineFlags
	out string
}

func newPlanRoutes() *cobra.Command {
	f := &planRoutesFlags{}
	cmd := &cobra.Command{
		Use:   "routes --topology T",
		Short: "Print the routing table of a machine, in the form that --routing table:FILE takes",
		Long: `Prints the routes of a machine on a network as CSV, node,destination,next: the neighbour to which each
node sends the messages for each other node. --routing table:FILE takes such a file, so that it
is a table to begin with.

The routing must have one route for each pair of nodes: dor, yx, table or updown. Virtual channels
are not in the table. Rings and tori with table:FILE do not have the dateline pairs of dor: see
meshwright deadlock.`,
		Example: `  meshwright plan routes --topology mesh:4x4 --routing updown --out routes.csv
  meshwright deadlock --topology mesh:4x4 --routing table:routes.csv`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.out, "out", "o", "", "write the table: `FILE.csv` (default: standard output)")
	})
	return cmd
}

func (f *planRoutesFlags) run(cmd *cobra.Command) error {
	if f.out != "" {
		var paths input.Paths
		f.inputs(&paths)
		if err := paths.WriteAs(outFlag, f.out, ".csv"); err != nil {
			return err
		}
	}
	t, m, err := f.load(cmd)
	if err != nil {
		return err
	}
	if err := m.KnowsFaults(t); err != nil {
		return input.Locate(err, "--faults", 0)
	}
	if m.Routing.Classes() > 1 || m.Routing.Reorders() {
		return input.At("--routing", 0, "expected dor, yx, table, updown or source", "routing %s has several routes for two nodes", m.Routing)
	}
	if t.Nodes() == 1 {
		return input.At("--topology", 0, "expected two nodes or more", "%s has no routes", t)
	}
	if t.Nodes() > nexthop.MaxNodes {
		return input.Errorf(fmt.Sprintf("expected at most %d nodes", nexthop.MaxNodes), "a routing table for %s with %d nodes", t, t.Nodes())
	}
	if err := memory.Need(cmd.Context(), "the routes of "+t.String(), fabric.Memory(t, m)); err != nil {
		return err
	}
	routes, err := fabric.NewRoutes(t, m)
	if err != nil {
		return err
	}
	if f.out == "" {
		return writeRoutes(cmd.OutOrStdout(), routes)
	}
	return atomicfile.Write(f.out, func(w io.Writer) error { return writeRoutes(w, routes) })
}

// writeRoutes writes a row for each pair of nodes.
func writeRoutes(to io.Writer, r *fabric.Routes) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, nexthop.Columns)
	nodes := router.NodeID(r.Topology.Nodes())
	for at := range nodes {
		for destination := range nodes {
			if at != destination {
				fmt.Fprintf(w, "%d,%d,%d\n", at, destination, r.Topology.Neighbor(at, r.Next(at, destination)))
			}
		}
	}
	return w.Flush()
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/study"
)

// shapes are the trees on which the gain is shown.
var shapes = []string{"path:100", "hub:100", "binary:6", "comb:10x10", "random-tree:100", "recursive-tree:100"}

// gainRow is one tree; its JSON names are a contract.
type gainRow struct {
	Topology     string       `json:"topology"`
	Nodes        int          `json:"nodes"`
	Printed      router.Cycle `json:"certification"`
	Tight        router.Cycle `json:"certification_tight"`
	Gain         float64      `json:"gain"`
	Broadcast    router.Cycle `json:"broadcast"`
	Certificates router.Cycle `json:"certificates"`
	Flits        router.Cycle `json:"message_flits"`
	Bound        router.Cycle `json:"certification_bound"`
	Exceeds      bool         `json:"certification_exceeds_bound"`
}

func newPlanCertification() *cobra.Command {
	var specs []string
	most, seed, asJSON := 8, uint64(1), false
	cmd := &cobra.Command{
		Use:   "certification",
		Short: "Compare certification-tight with certification as printed, and with the bound 2B+C+M",
		Long: `Runs both gathers on every tree, with messages of random lengths, and prints their times
beside the bound 2B+C+M: B is the time of a broadcast, C the time of the certificates, M
the flits of all messages. The machine is bufferless, and every word is compared. A time of
certification above the bound is marked with >.`,
		Example: `  meshwright plan certification
  meshwright plan certification --topology binary:3 --topology comb:4x4 --json`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var trees []*topology.Topology
			for _, spec := range specs {
				t, err := topology.ParseWithin(cmd.Context(), spec)
				if err != nil {
					return err
				}
				trees = append(trees, t)
			}
			gains, err := study.CertificationGains(cmd.Context(), trees, most, seed)
			if err != nil {
				return input.Locate(err, "--flits", 0)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), gainRows(gains))
			}
			return printGains(cmd.OutOrStdout(), gains)
		},
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVar(&most, "flits", most, "flits of the longest message; lengths are random, from 0")
		flags.Uint64Var(&seed, "seed", seed, "seed of the lengths")
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&specs, "topology", "t", shapes, "a tree, or a `network` with its breadth-first tree (may be repeated)")
	})
	addJSON(cmd, &asJSON)
	return cmd
}

func gainRows(gains []study.CertificationGain) []gainRow {
	rows := make([]gainRow, len(gains))
	for i, g := range gains {
		rows[i] = gainRow{
			g.Shape, g.Nodes, g.Printed, g.Tight, g.Gain(), g.Broadcast, g.Certificates, g.Flits, g.Time(), g.PrintedExceeds(),
		}
	}
	return rows
}

func printGains(w io.Writer, gains []study.CertificationGain) error {
	var rows [][]string
	for _, g := range gainRows(gains) {
		printed := fmt.Sprint(g.Printed)
		if g.Exceeds {
			printed = "> " + printed
		}
		rows = append(rows, []string{
			g.Topology, printed, fmt.Sprint(g.Tight), fmt.Sprintf("%.2f", g.Gain),
			fmt.Sprint(g.Broadcast), fmt.Sprint(g.Certificates), fmt.Sprint(g.Flits), fmt.Sprint(g.Bound),
		})
	}
	header := []string{"tree", "certification", "tight", "gain", "B", "C", "M", "2B+C+M"}
	return printRows(w, "Gather by certification, cycles", header, rows)
}

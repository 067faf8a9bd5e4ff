// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/input"
)

// measurement is the result of a benchmark; its JSON names are a contract.
type measurement struct {
	Benchmark       string  `json:"benchmark"`
	Cycles          int     `json:"cycles"`
	Seconds         float64 `json:"seconds"`
	CyclesPerSecond float64 `json:"cycles_per_second"`
	HopsPerSecond   float64 `json:"flit_hops_per_second"`
	Offered         float64 `json:"offered_flits_per_node_and_cycle"`
	Accepted        float64 `json:"accepted_flits_per_node_and_cycle"`
	BytesPerRouter  float64 `json:"bytes_per_router"`
	Version         string  `json:"version"`
}

var benchmarks = []string{"saturated-8x8"}

func newBench() *cobra.Command {
	var asJSON bool
	cycles, load := 2_000_000, 0.16
	cmd := &cobra.Command{
		Use:   "bench saturated-8x8",
		Short: "Measure the speed of the cycle model, on one core",
		Long: `Runs random traffic on a network and measures how many cycles the model simulates per
second, and how many flits the network accepts. The only benchmark is saturated-8x8: a
mesh of 8x8 with dimension order, 1 virtual channel, buffers of 4 flits, packets of 8
flits and uniform traffic. The default load, 0.16 flits per node and cycle, is slightly
more than BookSim2's router accepts on this network. The router of meshwright accepts
0.266, so --load 0.32 saturates it.`,
		Example: `  meshwright bench saturated-8x8
  meshwright bench saturated-8x8 --cycles 100000 --load 0.32 --json`,
		Args:      cobra.MatchAll(arguments(1), oneOf(0, "benchmark", benchmarks)),
		ValidArgs: benchmarks,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cycles < 1 {
				return input.At("--cycles", 0, "expected at least 1", "%d", cycles)
			}
			if !(load > 0 && load <= 1) {
				return input.At("--load", 0, "expected more than 0, at most 1", "%v", load)
			}
			m, err := saturated(cmd.Context(), cycles, load)
			if err != nil {
				return err
			}
			m.Benchmark = args[0]
			if asJSON {
				return printJSON(cmd.OutOrStdout(), m)
			}
			return printRows(cmd.OutOrStdout(), m.Benchmark, nil, [][]string{
				{"cycles", itoa(m.Cycles)},
				{"seconds", fmt.Sprintf("%.3f", m.Seconds)},
				{"cycles per second", fmt.Sprintf("%.0f", m.CyclesPerSecond)},
				{"flit-hops per second", fmt.Sprintf("%.0f", m.HopsPerSecond)},
				{"accepted flits per node and cycle", fmt.Sprintf("%.4f", m.Accepted)},
				{"bytes per router", fmt.Sprintf("%.0f", m.BytesPerRouter)},
			})
		},
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVar(&cycles, "cycles", cycles, "cycles to measure, after a warm-up of 20000")
		flags.Float64Var(&load, "load", load, "flits offered per node and cycle")
	})
	addJSON(cmd, &asJSON)
	return cmd
}

// benchPacket is the flits of a packet.
const benchPacket = 8

func saturated(ctx context.Context, cycles int, load float64) (*measurement, error) {
	t, err := topology.Parse("mesh:8x8")
	if err != nil {
		return nil, err
	}
	m, err := machine.Preset("wormhole")
	if err != nil {
		return nil, err
	}
	m.Channels = 1
	n, err := fabric.New(t, m)
	if err != nil {
		return nil, err
	}
	source, err := traffic.NewUniform(t.Nodes(), benchPacket, load/benchPacket, 1)
	if err != nil {
		return nil, err
	}
	n.Attach(source)
	for range 20000 {
		n.Step()
	}
	delivered, hops := n.Delivered(), crossings(n)
	start := time.Now()
	for i := range cycles {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n.Step()
	}
	seconds := time.Since(start).Seconds()
	return &measurement{
		Cycles: cycles, Offered: load, Seconds: seconds, CyclesPerSecond: float64(cycles) / seconds,
		HopsPerSecond:  float64(crossings(n)-hops) / seconds,
		Accepted:       float64(n.Delivered()-delivered) / float64(cycles) / float64(t.Nodes()),
		BytesPerRouter: n.Bank().BytesPerChip(), Version: version(),
	}, nil
}

// crossings counts the flits that have crossed links.
func crossings(n *fabric.Network) uint64 {
	var sum uint64
	for _, u := range n.LinkUse() {
		sum += u.Flits
	}
	return sum
}

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
	"meshwright/internal/memory"
)

// measurement is the result of a benchmark; its JSON names are a contract.
type measurement struct {
	Benchmark             string  `json:"benchmark"`
	Cycles                int     `json:"cycles"`
	Seconds               float64 `json:"seconds"`
	CyclesPerSecond       float64 `json:"cycles_per_second"`
	RouterCyclesPerSecond float64 `json:"router_cycles_per_second"`
	HopsPerSecond         float64 `json:"flit_hops_per_second"`
	Offered               float64 `json:"offered_flits_per_node_and_cycle"`
	Accepted              float64 `json:"accepted_flits_per_node_and_cycle"`
	BytesPerRouter        float64 `json:"bytes_per_router"`
	Version               string  `json:"version"`
}

// saturatedBenchmark is the standard case, of which other simulators are measured beside.
const saturatedBenchmark = "saturated-8x8"

var benchmarks = []string{saturatedBenchmark, "network", "schedules", "scoreboard"}

// benchmark is what is measured.
type benchmark struct {
	topology               string
	vcs                    int // 0: the machine's default
	cycles, warmup, packet int
	load                   float64
	workers                int
}

func newBench() *cobra.Command {
	var asJSON bool
	b := benchmark{topology: "mesh:8x8", cycles: 2_000_000, warmup: 20000, packet: 8, load: 0.16, workers: 1}
	cmd := &cobra.Command{
		Use:        "bench saturated-8x8|network",
		SuggestFor: []string{"benchmark", "speed"},
		Short:      "Measure the speed of the cycle model, and how good schedules are",
		Long: `Runs random traffic on a network and measures how many cycles the model simulates per
second, and how many flits the network accepts. The benchmark saturated-8x8 is a
mesh of 8x8 with dimension order, 1 virtual channel, buffers of 4 flits, packets of 8
flits, one injection channel a node (traffic has one for each link, unless --nic.channels is 1)
and uniform traffic, on one core. The default load, 0.16 flits per node and cycle, is
slightly more than BookSim2's router accepts on this network. The router of meshwright accepts
0.266, so --load 0.32 saturates it. The benchmark network does the same on another topology, with
other virtual channels, and with several workers. bench schedules measures the times of schedules instead
(bench schedules --help), and bench scoreboard compares them with published times.`,
		Example: `  meshwright bench saturated-8x8
  meshwright bench saturated-8x8 --cycles 100000 --load 0.32 --json
  meshwright bench network --topology mesh:32x32 --load 0.01 --cycles 20000 --workers 2`,
		Args:      cobra.MatchAll(arguments(1), oneOf(0, "benchmark", benchmarks)),
		ValidArgs: benchmarks,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := b.valid(cmd.Flags(), args[0]); err != nil {
				return err
			}
			m, err := b.measure(cmd.Context())
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
				{"router-cycles per second", fmt.Sprintf("%.0f", m.RouterCyclesPerSecond)},
				{"flit-hops per second", fmt.Sprintf("%.0f", m.HopsPerSecond)},
				{"accepted flits per node and cycle", fmt.Sprintf("%.4f", m.Accepted)},
				{"bytes per router", fmt.Sprintf("%.0f", m.BytesPerRouter)},
			})
		},
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVar(&b.cycles, "cycles", b.cycles, "cycles to measure, after the warm-up")
		flags.IntVar(&b.warmup, "warmup", b.warmup, "cycles before the measurement")
		flags.Float64Var(&b.load, "load", b.load, "flits offered per node and cycle")
		flags.StringVar(&b.topology, "topology", b.topology, "network of the benchmark network")
		flags.IntVar(&b.vcs, "vcs", b.vcs, "virtual channels of the benchmark network; 0: two on rings and tori, else one")
		flags.IntVar(&b.packet, "flits", b.packet, "flits of a packet of the benchmark network")
		flags.IntVar(&b.workers, "workers", b.workers, "workers of the benchmark network")
	})
	addJSON(cmd, &asJSON)
	cmd.AddCommand(newBenchSchedules(), newBenchScoreboard())
	return cmd
}

// valid refuses numbers that make no benchmark, and options of the benchmark network elsewhere.
func (b *benchmark) valid(flags *pflag.FlagSet, name string) error {
	for _, option := range []string{"topology", "vcs", "flits", "workers"} {
		if name == saturatedBenchmark && flags.Changed(option) {
			return input.At("--"+option, 0, "expected the benchmark network", "%s has its own", name)
		}
	}
	for _, n := range []struct {
		option string
		value  int
		least  int
	}{{"cycles", b.cycles, 1}, {"warmup", b.warmup, 0}, {"flits", b.packet, 1}, {"workers", b.workers, 1}} {
		if n.value < n.least {
			return input.At("--"+n.option, 0, fmt.Sprintf("expected at least %d", n.least), "%d", n.value)
		}
	}
	if !(b.load > 0 && b.load <= 1) {
		return input.At("--load", 0, "expected more than 0, at most 1", "%v", b.load)
	}
	return nil
}

// network builds the network with its source of packets.
func (b *benchmark) network(ctx context.Context) (*fabric.Network, error) {
	t, err := topology.ParseWithin(ctx, b.topology)
	if err != nil {
		return nil, input.Locate(err, "--topology", 0)
	}
	m, err := machine.Preset("wormhole")
	if err != nil {
		return nil, err
	}
	m.Channels, m.VCs = 1, b.vcs
	if err := memory.Need(ctx, "the network "+b.topology, fabric.Memory(t, m)); err != nil {
		return nil, err
	}
	n, err := fabric.New(t, m)
	if err != nil {
		return nil, input.Locate(err, "--vcs", 0)
	}
	source, err := traffic.NewUniform(t.Nodes(), b.packet, b.load/float64(b.packet), 1)
	if err != nil {
		option := "--load"
		if t.Nodes() < 2 {
			option = "--topology"
		}
		return nil, input.Locate(err, option, 0)
	}
	n.Attach(source)
	return n, nil
}

func (b *benchmark) measure(ctx context.Context) (*measurement, error) {
	n, err := b.network(ctx)
	if err != nil {
		return nil, err
	}
	defer n.Employ(b.workers)()
	if err := step(ctx, n, b.warmup); err != nil {
		return nil, err
	}
	delivered, hops := n.Delivered(), crossings(n)
	start := time.Now()
	if err := step(ctx, n, b.cycles); err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	nodes := float64(n.Topology.Nodes())
	return &measurement{
		Cycles: b.cycles, Offered: b.load, Seconds: seconds, CyclesPerSecond: float64(b.cycles) / seconds,
		RouterCyclesPerSecond: float64(b.cycles) / seconds * nodes,
		HopsPerSecond:         float64(crossings(n)-hops) / seconds,
		Accepted:              float64(n.Delivered()-delivered) / float64(b.cycles) / nodes,
		BytesPerRouter:        n.Bank().BytesPerChip(), Version: version(),
	}, nil
}

// step runs so many cycles.
func step(ctx context.Context, n *fabric.Network, cycles int) error {
	for i := range cycles {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n.Step()
	}
	return nil
}

// crossings counts the flits that have crossed links.
func crossings(n *fabric.Network) uint64 {
	var sum uint64
	for _, u := range n.LinkUses() {
		sum += u.Flits
	}
	return sum
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/synth"
)

// The units that synth measures.
const (
	unitRouter = "router"
	unitFabric = "fabric"
)

// synthFlags say what to synthesize, and for what.
type synthFlags struct {
	machineFlags
	unit, target, seeds string
	node                int
	maxTag              uint32
	area, json          bool
}

// synthReport is what was measured; its JSON names are a contract.
type synthReport struct {
	Unit     string            `json:"unit"`
	Module   string            `json:"module"`
	Node     *int              `json:"node,omitempty"`
	Flit     int               `json:"flit_bits"`
	Target   string            `json:"target"`
	LUT4     *int              `json:"lut4,omitempty"`
	LUT6     *int              `json:"lut6,omitempty"`
	Gates    *int              `json:"gates,omitempty"`
	FF       int               `json:"ff"`
	BRAM     *int              `json:"bram,omitempty"`
	LUTRAM   *int              `json:"lutram,omitempty"`
	Carry    *int              `json:"carry,omitempty"`
	MHz      *float64          `json:"mhz,omitempty"`
	Seeds    []synthSeed       `json:"seeds,omitempty"`
	Full     string            `json:"no_clock,omitempty"`
	Tools    map[string]string `json:"tools"`
	Topology string            `json:"topology"`
	Machine  map[string]string `json:"machine"`
	Version  string            `json:"version"`
	name     string            // of the machine
}

// synthSeed is the clock of one placement; its JSON names are a contract.
type synthSeed struct {
	Seed int     `json:"seed"`
	MHz  float64 `json:"mhz"`
}

func newSynth() *cobra.Command {
	f := synthFlags{node: -1}
	cmd := &cobra.Command{
		Use:   "synth --topology T",
		Short: "Measure area and clock of a chip or of a whole network in hardware",
		Long: `Synthesizes one chip of a network, or the whole network, with Yosys, and counts the cells of
the bare chip or network. For the target ice40 nextpnr places and routes the cells on a Lattice
iCE40 HX8K, once for each seed. The clock is that of the slowest placement. A shift register
drives the inputs, and another one captures the outputs every 256 cycles, so that the pins
suffice and the paths of the chip decide the clock.

The chip's position, its table and its datelines are constants, time advances in every cycle, and
neighbours that always take what is offered say so. The other targets have no clock: generic
(NAND, NOR and inverters), ecp5 and xilinx (7 series).`,
		Example: `  meshwright synth --topology mesh:8x8 --target generic
  meshwright synth --topology path:3 --machine bufferless --seeds 1-2 --json
  meshwright synth --topology ring:3 --machine bufferless --unit fabric --target ecp5`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.simulates = true
	f.add(cmd)
	addJSON(cmd, &f.json)
	groupGeneral.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.unit, "unit", unitRouter, "what to measure: router (one chip) or fabric (the whole network)")
		flags.IntVar(&f.node, "node", f.node, "`node` of the chip (default: in the middle of a grid, else the first with the most links)")
		flags.Uint32Var(&f.maxTag, "max-tag", 1, "largest tag of a message")
		flags.StringVar(&f.target, "target", string(synth.ICE40), "kind of cells: "+input.Or(targetNames()))
		flags.StringVar(&f.seeds, "seeds", "1-3", "seeds of the placements: a `range`, or one seed")
		flags.BoolVar(&f.area, "area", false, "area only: do not place and route")
	})
	return cmd
}

func targetNames() []string {
	var names []string
	for _, t := range synth.Targets() {
		names = append(names, string(t))
	}
	return names
}

func (f *synthFlags) run(cmd *cobra.Command) error {
	opt, err := f.options(cmd)
	if err != nil {
		return err
	}
	t, m, err := f.load(cmd)
	if err != nil {
		return err
	}
	node, err := f.chip(cmd, t)
	if err != nil {
		return err
	}
	if m, err = m.FitPackets(1); err != nil {
		return err
	}
	n, err := fabric.New(t, m)
	if err != nil {
		return err
	}
	unit, err := rtl.NewUnit(n, node, f.maxTag)
	if err != nil {
		return err
	}
	result, err := synth.Measure(cmd.Context(), synth.Source{Module: rtl.UnitName, Clock: "clk_i", Write: unit.Write}, opt)
	if err != nil {
		return err
	}
	report := newSynthReport(f.unit, unit, node, n, opt.Target, result)
	if f.json {
		return printJSON(cmd.OutOrStdout(), report)
	}
	return report.print(cmd.OutOrStdout())
}

// options judges the flags that say how to measure.
func (f *synthFlags) options(cmd *cobra.Command) (synth.Options, error) {
	opt := synth.Options{Target: synth.Target(f.target)}
	if !slices.Contains(synth.Targets(), opt.Target) {
		return opt, input.At("--target", 0, "expected "+input.Or(targetNames()), "unknown target %q", f.target)
	}
	if f.unit != unitRouter && f.unit != unitFabric {
		return opt, input.At("--unit", 0, "expected router or fabric", "unknown unit %q", f.unit)
	}
	if len(f.faults) > 0 {
		return opt, input.At("--faults", 0, "expected none: links with faults are no hardware", "%q", f.faults[0])
	}
	if err := exclusive(cmd, "area", "seeds"); err != nil {
		return opt, err
	}
	if opt.Target != synth.ICE40 && cmd.Flags().Changed("seeds") {
		return opt, input.At("--seeds", 0, "expected none: only the target ice40 has a clock", "%q with target %s", f.seeds, f.target)
	}
	if opt.Target != synth.ICE40 || f.area {
		return opt, nil
	}
	var err error
	opt.Seeds, err = seedRange(f.seeds)
	return opt, err
}

// The bounds of seeds.
const (
	lastSeed      = 1<<31 - 1
	mostPlacement = 1000
)

// seedRange reads A-B, or one seed.
func seedRange(text string) ([]int, error) {
	low, high, ranged := strings.Cut(text, "-")
	if !ranged {
		high = low
	}
	first, err := strconv.Atoi(low)
	last, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || first < 0 || last < first || last > lastSeed || last-first >= mostPlacement {
		return nil, input.At("--seeds", 0, fmt.Sprintf("expected a range such as 1-3 of at most %d seeds, or one seed", mostPlacement), "%q", input.Clip(text))
	}
	var seeds []int
	for s := first; s <= last; s++ {
		seeds = append(seeds, s)
	}
	return seeds, nil
}

// chip returns the node whose chip is measured, router.None for the network.
func (f *synthFlags) chip(cmd *cobra.Command, t *topology.Topology) (router.NodeID, error) {
	given := cmd.Flags().Changed("node")
	switch {
	case f.unit == unitFabric && given:
		return router.None, input.At("--node", 0, "expected --unit router", "%d with --unit fabric", f.node)
	case f.unit == unitFabric:
		return router.None, nil
	case given && (f.node < 0 || f.node >= t.Nodes()):
		return router.None, input.At("--node", 0, "expected 0 to "+itoa(t.Nodes()-1), "%d is not a node of %s", f.node, t)
	case given:
		return router.NodeID(f.node), nil
	}
	return middle(t), nil
}

// middle returns the node in the middle of a grid, else one with the most links.
func middle(t *topology.Topology) router.NodeID {
	if t.IsGrid() {
		at := make([]int, len(t.Dims))
		for d := range at {
			at[d] = t.Dims[d] / 2
		}
		return t.At(at)
	}
	best := router.NodeID(0)
	for n := range router.NodeID(t.Nodes()) {
		if t.Degree(n) > t.Degree(best) {
			best = n
		}
	}
	return best
}

func newSynthReport(name string, u *rtl.Unit, node router.NodeID, n *fabric.Network, target synth.Target, r *synth.Result) *synthReport {
	p := &synthReport{
		Unit: name, Module: u.Module(), Flit: u.Design().FlitWidth, Target: string(target), FF: r.Area.FF, Full: r.Full, Tools: r.Tools,
		Topology: n.Topology.String(), Machine: machineSettings(n.Machine), Version: version(), name: n.Machine.Name,
	}
	if node != router.None {
		at := int(node)
		p.Node = &at
	}
	switch target {
	case synth.ICE40:
		p.LUT4, p.BRAM, p.Carry = &r.Area.LUT4, &r.Area.BRAM, &r.Area.Carry
	case synth.Generic:
		p.Gates = &r.Area.Gates
	case synth.ECP5:
		p.LUT4, p.BRAM, p.LUTRAM = &r.Area.LUT4, &r.Area.BRAM, &r.Area.LUTRAM
	case synth.Xilinx:
		p.LUT6, p.BRAM, p.LUTRAM, p.Carry = &r.Area.LUT6, &r.Area.BRAM, &r.Area.LUTRAM, &r.Area.Carry
	}
	for _, c := range r.Clocks {
		p.Seeds = append(p.Seeds, synthSeed{c.Seed, round(c.MHz)})
	}
	if len(r.Clocks) > 0 {
		slowest := round(r.Slowest())
		p.MHz = &slowest
	}
	return p
}

// round leaves a clock's tenths.
func round(mhz float64) float64 { return math.Round(mhz*10) / 10 }

func (p *synthReport) print(w io.Writer) error {
	what := p.Unit
	if p.Node != nil {
		what = "chip of node " + itoa(*p.Node)
	}
	title := fmt.Sprintf("%s of %s, machine %s: %s, flits of %d bits, target %s", what, p.Topology, p.name, p.Module, p.Flit, p.Target)
	var rows [][]string
	for _, c := range []struct {
		name  string
		count *int
	}{{"LUT4", p.LUT4}, {"LUT6", p.LUT6}, {"gates", p.Gates}, {"flip-flops", &p.FF}, {"block RAMs", p.BRAM}, {"LUT RAMs", p.LUTRAM}, {"carries", p.Carry}} {
		if c.count != nil {
			rows = append(rows, []string{c.name, itoa(*c.count)})
		}
	}
	if p.MHz != nil {
		seeds := make([]string, len(p.Seeds))
		for i, s := range p.Seeds {
			seeds[i] = fmt.Sprintf("%.1f", s.MHz)
		}
		rows = append(rows, []string{"MHz", fmt.Sprintf("%.1f", *p.MHz)}, []string{"MHz by seed", strings.Join(seeds, ", ")})
	}
	if p.Full != "" {
		rows = append(rows, []string{"MHz", p.Full})
	}
	for _, tool := range slices.Sorted(maps.Keys(p.Tools)) {
		rows = append(rows, []string{tool, p.Tools[tool]})
	}
	return printRows(w, title, nil, rows)
}

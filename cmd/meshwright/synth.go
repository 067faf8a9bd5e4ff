// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/confine"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/emulator"
	"meshwright/rtl/synth"
	"meshwright/study/point"
)

// The units that synth measures.
const (
	unitRouter   = "router"
	unitFabric   = "fabric"
	unitEmulator = "emulator" // of an exported folder
	unitModule   = "module"   // of files
)

// synthFlags say what to synthesize, and for what.
type synthFlags struct {
	machineFlags
	unit, target, seeds string
	node                int
	maxTag              uint32
	schedule            string
	area, json          bool
	ownModule
}

// ownModule is a module in files of the user.
type ownModule struct {
	module, clock    string
	parameters, ties []string
}

// synthReport is what was measured; its JSON names are a contract.
type synthReport struct {
	Unit     string            `json:"unit"`
	Module   string            `json:"module"`
	Node     *int              `json:"node,omitempty"`
	Flit     int               `json:"flit_bits,omitempty"`
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
	Topology string            `json:"topology,omitempty"`
	Machine  map[string]string `json:"machine,omitempty"`
	Version  string            `json:"version"`
	title    string
}

// synthSeed is the clock of one placement; its JSON names are a contract.
type synthSeed struct {
	Seed int     `json:"seed"`
	MHz  float64 `json:"mhz"`
}

func newSynth() *cobra.Command {
	f := synthFlags{node: -1}
	cmd := &cobra.Command{
		Use:        "synth [DIR | FILE.v...] --topology T",
		SuggestFor: []string{"yosys", "area", "timing"},
		Short:      "Measure area and clock of a chip or of a whole network in hardware",
		Long: `Synthesizes one chip of a network, or the whole network, with Yosys, and counts the cells of
the bare chip or network. For the target ice40 nextpnr places and routes the cells on a Lattice
iCE40 HX8K, once for each seed. The clock is that of the slowest placement. A shift register
drives the inputs, and another one captures the outputs every 256 cycles, so that the pins
suffice and the paths of the chip decide the clock.

The chip's position, its table and its datelines are constants, time advances in every cycle, and
neighbours that always take what is offered say so. The other targets have no clock: generic
(NAND, NOR and inverters), ecp5 and xilinx (7 series).

With --unit emulator it measures an emulator: DIR is a folder that export --emulator wrote.
With files of Verilog it measures the module --module of these files in the same way, instead of
a chip. They may include files from the folders that they are in.`,
		Example: `  meshwright synth --topology path:3 --machine bufferless --seeds 1-2
  meshwright synth --topology ring:3 --machine bufferless --unit fabric --target generic
  meshwright synth --unit emulator fpga --area`,
		Args: cobra.MatchAll(notEmpty, noneIsTopology),
		RunE: f.run,
	}
	f.simulates = true
	f.add(cmd)
	addJSON(cmd, &f.json)
	groupGeneral.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.unit, "unit", unitRouter, "what to measure: router (one chip), fabric (the whole network) or emulator (of a folder)")
		flags.IntVar(&f.node, "node", f.node, "`node` of the chip (default: in the middle of a grid, else the first with the most links)")
		flags.Uint32Var(&f.maxTag, "max-tag", 1, "largest tag of a message")
		flags.StringVar(&f.schedule, "schedule", "", "leave out turns of chips that no message of this `file` takes")
		flags.StringVar(&f.target, "target", string(synth.ICE40), "kind of cells: "+input.Or(targetNames()))
		flags.StringVar(&f.seeds, "seeds", point.DefaultSeeds, "seeds of the placements: a `range`, or one seed")
		flags.BoolVar(&f.area, "area", false, "area only: do not place and route")
		flags.StringVar(&f.module, "module", "", "with files: `name` of the module")
		flags.StringVar(&f.clock, "clock", "clk_i", "with files: `input` of the module that is its clock")
		flags.StringArrayVar(&f.parameters, "parameter", nil, "with files: a parameter of the module, `NAME=NUMBER` (may be repeated)")
		flags.StringArrayVar(&f.ties, "tie", nil, "with files: an input of the module that is constant, `NAME=NUMBER` (may be repeated)")
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

func (f *synthFlags) run(cmd *cobra.Command, args []string) error {
	opt, err := f.options(cmd)
	if err != nil {
		return err
	}
	var source synth.Source
	var report *synthReport
	switch {
	case f.unit == unitEmulator:
		source, report, err = f.ofEmulator(cmd, args)
	case len(args) > 0:
		source, report, err = f.ofFiles(cmd, args)
	default:
		source, report, err = f.ofNetwork(cmd)
	}
	if err != nil {
		return err
	}
	result, err := synth.Measure(cmd.Context(), source, opt)
	if err != nil {
		return err
	}
	report.add(opt.Target, result)
	if f.json {
		return printJSON(cmd.OutOrStdout(), report)
	}
	return report.print(cmd.OutOrStdout())
}

// ofNetwork returns a chip of a network, or the network.
func (f *synthFlags) ofNetwork(cmd *cobra.Command) (synth.Source, *synthReport, error) {
	if given := firstChanged(cmd, "module", "clock", "parameter", "tie"); given != "" {
		return synth.Source{}, nil, input.At("--"+given, 0, "expected files of Verilog as arguments", "given without files")
	}
	t, m, err := f.load(cmd)
	if err != nil {
		return synth.Source{}, nil, err
	}
	node, err := f.chip(cmd, t)
	if err != nil {
		return synth.Source{}, nil, err
	}
	if m, err = m.FitPackets(1); err != nil {
		return synth.Source{}, nil, err
	}
	n, err := fabric.New(t, m)
	if err != nil {
		return synth.Source{}, nil, err
	}
	unit, err := rtl.NewUnit(n, node, f.maxTag)
	if err != nil {
		return synth.Source{}, nil, err
	}
	if f.schedule != "" {
		if err := f.trim(cmd.Context(), n, unit); err != nil {
			return synth.Source{}, nil, err
		}
	}
	report := &synthReport{
		Unit: f.unit, Module: unit.Module(), Flit: unit.Design().FlitWidth,
		Topology: t.String(), Machine: machineSettings(m),
	}
	what := "network"
	if node != router.None {
		at := int(node)
		what, report.Node = "chip of node "+itoa(at)+" of", &at
	}
	report.title = fmt.Sprintf("%s %s, machine %s: %s, flits of %d bits", what, t, f.named, report.Module, report.Flit)
	return synth.Source{Module: rtl.UnitName, Clock: "clk_i", Write: unit.Write}, report, nil
}

// trim leaves the turns that no message of the schedule takes out of the chips.
func (f *synthFlags) trim(ctx context.Context, n *fabric.Network, unit *rtl.Unit) error {
	if err := rtl.MayTrim(&n.Machine); err != nil {
		return err
	}
	s, err := readSchedule(ctx, f.schedule)
	if err != nil {
		return err
	}
	if err := s.Validate(n.Topology); err != nil {
		return err
	}
	if s.HasRoutes() && n.Machine.Routing != machine.Source {
		return input.At("--schedule", 0, "expected routing source", "a schedule with routes, and routing %s", n.Machine.Routing)
	}
	unit.Trim(s.Messages(n.Topology))
	return nil
}

// ofEmulator returns the emulator of an exported folder.
func (f *synthFlags) ofEmulator(cmd *cobra.Command, folders []string) (synth.Source, *synthReport, error) {
	if len(folders) != 1 {
		return synth.Source{}, nil, input.At("--unit", 0, "expected one folder that export --emulator wrote", "emulator, and %d arguments", len(folders))
	}
	if given := firstChanged(cmd, append(networkFlags(), "module", "clock", "parameter", "tie")...); given != "" {
		return synth.Source{}, nil, input.At("--"+given, 0, "expected none: the folder says all", "given with --unit emulator")
	}
	paths, images, err := emulator.Sources(folders[0])
	if err != nil {
		return synth.Source{}, nil, err
	}
	files := synth.Files{Paths: paths, Data: []string{images}}
	report := &synthReport{Unit: unitEmulator, Module: emulator.TopName, title: "emulator in " + escape.Line(folders[0])}
	return files.Source(emulator.TopName, "clk_i"), report, nil
}

// networkFlags name the flags that describe a chip of a network.
func networkFlags() []string {
	names := []string{"topology", "machine", "node", "max-tag", "schedule"}
	for _, k := range machine.Keys() {
		names = append(names, k.Name)
	}
	return names
}

// ofFiles returns a module of the user's files.
func (f *synthFlags) ofFiles(cmd *cobra.Command, paths []string) (synth.Source, *synthReport, error) {
	for _, path := range paths {
		info, err := confine.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && filepath.Ext(path) == "":
			return synth.Source{}, nil, input.At(path, 0, "expected FILE.v, or no argument", "no such file")
		case err == nil && info.IsDir():
			return synth.Source{}, nil, input.At(path, 0, "expected FILE.v; make synth in an exported folder measures its network, --unit emulator an emulator", "a folder")
		}
	}
	if given := firstChanged(cmd, append(networkFlags(), "unit")...); given != "" {
		return synth.Source{}, nil, input.At("--"+given, 0, "expected none: files have modules, not chips of a network", "given with files")
	}
	for _, path := range paths {
		file, err := input.Open(path)
		if err != nil {
			return synth.Source{}, nil, err
		}
		if err := file.Close(); err != nil {
			return synth.Source{}, nil, err
		}
	}
	if err := f.checkNames(); err != nil {
		return synth.Source{}, nil, err
	}
	files := synth.Files{Paths: paths}
	for _, list := range []struct {
		flag  string
		texts []string
		to    *[]synth.Setting
	}{{"--parameter", f.parameters, &files.Parameters}, {"--tie", f.ties, &files.Ties}} {
		for _, text := range list.texts {
			setting, err := synth.ParseSetting(text)
			if err != nil {
				return synth.Source{}, nil, input.Locate(err, list.flag, 0)
			}
			*list.to = append(*list.to, setting)
		}
	}
	report := &synthReport{Unit: unitModule, Module: f.module, title: "module " + f.module}
	return files.Source(f.module, f.clock), report, nil
}

// checkNames judges the names of the module and of its clock.
func (f *ownModule) checkNames() error {
	if f.module == "" {
		return input.At("--module", 0, "expected the name of the module to measure", "missing")
	}
	for _, given := range []struct{ flag, name string }{{"--module", f.module}, {"--clock", f.clock}} {
		if !plainName.MatchString(given.name) {
			return input.At(given.flag, 0, "expected a plain name of Verilog", "%q", input.Clip(given.name))
		}
	}
	return nil
}

// plainName matches the names of modules and ports.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_$]*$`)

// firstChanged is the first of some flags that was given; "": none.
func firstChanged(cmd *cobra.Command, names ...string) string {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// options judges the flags that say how to measure.
func (f *synthFlags) options(cmd *cobra.Command) (synth.Options, error) {
	opt := synth.Options{Target: synth.Target(f.target)}
	if !slices.Contains(synth.Targets(), opt.Target) {
		return opt, input.At("--target", 0, "expected "+input.Or(targetNames()), "unknown target %q", f.target)
	}
	if units := []string{unitRouter, unitFabric, unitEmulator}; !slices.Contains(units, f.unit) {
		return opt, input.At("--unit", 0, "expected "+input.Or(units), "unknown unit %q", f.unit)
	}
	if len(f.faults) > 0 && !slices.Equal(f.faults, []string{fault.None}) {
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
	opt.Seeds, err = synth.ParseSeeds(f.seeds)
	return opt, input.Locate(err, "--seeds", 0)
}

// mostChips bounds the networks that are synthesized whole: Yosys takes several seconds for each chip.
const mostChips = 64

// chip returns the node whose chip is measured, router.None for the network.
func (f *synthFlags) chip(cmd *cobra.Command, t *topology.Topology) (router.NodeID, error) {
	given := cmd.Flags().Changed("node")
	switch {
	case t.Nodes() == 1:
		return router.None, input.At("--topology", 0, "expected at least 2 nodes", "%s has no links, so its chip has no cells", t)
	case f.unit == unitFabric && given:
		return router.None, input.At("--node", 0, "expected --unit router", "%d with --unit fabric", f.node)
	case f.unit == unitFabric && t.Nodes() > mostChips:
		return router.None, input.At("--unit", 0, fmt.Sprintf("expected at most %d chips, or --unit router", mostChips), "fabric: %s has %d chips", t, t.Nodes())
	case f.unit == unitFabric:
		return router.None, nil
	case given && (f.node < 0 || f.node >= t.Nodes()):
		return router.None, input.At("--node", 0, "expected 0 to "+itoa(t.Nodes()-1), "%d is not a node of %s", f.node, t)
	case given:
		return router.NodeID(f.node), nil
	}
	return rtl.Middle(t), nil
}

// add adds what was measured.
func (p *synthReport) add(target synth.Target, r *synth.Result) {
	p.Target, p.FF, p.Full, p.Tools, p.Version = string(target), r.Area.FF, r.Full, r.Tools, version()
	p.title += ", target " + p.Target
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
}

// round leaves a clock's tenths.
func round(mhz float64) float64 { return math.Round(mhz*10) / 10 }

func (p *synthReport) print(w io.Writer) error {
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
	return printRows(w, p.title, nil, rows)
}

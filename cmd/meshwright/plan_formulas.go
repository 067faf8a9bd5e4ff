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
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/study/point"
)

// formulaFlags ask which gossip is fastest.
type formulaFlags struct {
	sized      string // the flag of the blocks
	bytes      string
	topologies []string
	startups   []int
	length     int
	hop, flit  int
	table      bool
	json       bool
}

// formulaRow is one algorithm; its JSON names are a contract.
type formulaRow struct {
	Algorithm string       `json:"algorithm"`
	A         int          `json:"a,omitempty"`
	B         int          `json:"b,omitempty"`
	Colours   int          `json:"colours,omitempty"`
	Strides   string       `json:"strides,omitempty"` // factors and distances
	Crosses   string       `json:"crosses,omitempty"` // distances
	Cycles    router.Cycle `json:"cycles"`
}

// formulaAnswer is one network with one startup; its JSON names are a contract.
type formulaAnswer struct {
	Topology    string       `json:"topology"`
	Nodes       int          `json:"nodes"`
	Length      int          `json:"length"`
	Startup     int          `json:"startup"`
	Approach1   formulaRow   `json:"approach1"`
	Approach2   formulaRow   `json:"approach2"`
	Bridgeheads *formulaRow  `json:"bridgeheads,omitempty"` // a single node has none
	Best        formulaRow   `json:"best"`
	LowerBound  router.Cycle `json:"lower_bound"`
	Ratio       float64      `json:"ratio"`
	StepBound   router.Cycle `json:"step_bound"` // of gossips in steps
	StepRatio   float64      `json:"step_ratio"`

	choice *stages.Choice
}

func newPlanFormulas() *cobra.Command {
	f := formulaFlags{sized: "--length", length: 16, startups: []int{0}, hop: 1, flit: 1}
	cmd := &cobra.Command{
		Use:   "formulas [gossip] --topology T --length L --startup S",
		Short: "Find the fastest all-gather (gossip) by the formulas, for many networks and startups",
		Long: `Compares all-gathers for blocks of L flits and a startup of S cycles, on a machine
whose links work independently (ports all, a channel per link, full duplex, buffers for the full
rate). The rows are

  approach 1        concentrate all blocks in one node, then spread them
  approach 2        every node passes on to its neighbours what it received last
  best bridgeheads  circgos, torgos or cubgos with the best a and b: bridgeheads collect the
                    blocks around them and exchange them; a round of b steps
                    multiplies the number of bridgeheads by a
  best of all       the fastest of these and of strides and crosses
  bound in steps    the lower bound if the next step waits for all messages of a step
  lower bound       the lower bound for any all-gather

The formulas of approach 1 and of bridgeheads are upper bounds where their groups of nodes are not
all equally large, as on ring:4; those of strides and crosses are exact. --topology may be repeated,
--startup may be a list. --table prints one row for each, with times in blocks (cycles divided by L)
and r = S/L. "run gossip" runs the best of these algorithms, or a faster one that auto finds; "plan
gossip" compares the algorithms on any machine, and "plan allreduce" those of an allreduce: other collectives
have no such formulas.`,
		Example: `  meshwright plan formulas -t torus:16x16 -l 16 --startup 500
  meshwright plan formulas -t ring:1024 -t torus:32x32 -l 100 --startup 10,1000,100000 --table`,
		Args: perhapsGossip,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVarP(&f.length, "length", "l", f.length, "flits of every node's block")
		flags.StringVar(&f.bytes, "bytes", "", "bytes of every node's block instead of its flits, such as 4096, 64KiB or 1MB, in flits of 32 bits")
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.topologies, "topology", "t", nil, "a path, ring, mesh, torus or hypercube: `network` (may be repeated)")
		flags.IntSliceVar(&f.startups, "startup", f.startups, "cycles for which a message holds its channel before its first flit enters (a list)")
		flags.IntVar(&f.hop, "hop", f.hop, "cycles from chip to chip")
		flags.IntVar(&f.flit, "flit", f.flit, "cycles for which a flit occupies a link")
	})
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.table, "table", false, "print one row for each topology and startup")
	})
	return cmd
}

// perhapsGossip allows the name of the only collective that has formulas.
func perhapsGossip(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if err := collectiveName(cmd, args); err != nil {
		return err
	}
	if name := ownName(args[0]); name != plan.Gossip {
		return input.Errorf(fmt.Sprintf("expected gossip, or meshwright plan %s, which compares its algorithms", name), "formulas for %s", article(name))
	}
	return nil
}

func (f *formulaFlags) run(cmd *cobra.Command) error {
	if err := f.block(cmd); err != nil {
		return err
	}
	answers, err := f.answers(cmd.Context())
	switch {
	case err != nil:
		return err
	case f.json:
		return printJSON(cmd.OutOrStdout(), answers)
	case f.table:
		return f.printTable(cmd.OutOrStdout(), answers)
	}
	for _, a := range answers {
		if err := f.print(cmd.OutOrStdout(), a); err != nil {
			return err
		}
	}
	return nil
}

// block reads the size of the blocks.
func (f *formulaFlags) block(cmd *cobra.Command) error {
	if err := exclusive(cmd, "length", "bytes"); err != nil || !cmd.Flags().Changed("bytes") {
		return err
	}
	bytes, err := point.ParseBytes(f.bytes)
	if err != nil {
		return input.Locate(err, "--bytes", 0)
	}
	m, err := f.machine()
	if err != nil {
		return err
	}
	f.sized = "--bytes"
	f.length = m.FlitsOf(bytes)
	return nil
}

// mostGossip bounds the words of all blocks, as for a run.
const mostGossip = 1 << 28

// mostGossipNodes bounds the nodes: in the end every PE has at least a word of each,
// and all of them have room for mostGossip.
const mostGossipNodes = 1 << 14

func (f *formulaFlags) answers(ctx context.Context) ([]formulaAnswer, error) {
	if len(f.topologies) == 0 {
		return nil, input.Errorf("expected --topology torus:8x8", "no topology")
	}
	if f.length < 1 || f.length > mostGossip {
		return nil, input.At(f.sized, 0, fmt.Sprintf("expected 1 to %d flits", mostGossip), "%s", input.Count(f.length, "flit"))
	}
	m, err := f.machine()
	if err != nil {
		return nil, err
	}
	var chooser stages.Chooser
	var list []formulaAnswer
	for _, spec := range f.topologies {
		t, err := topology.ParseWithin(ctx, spec)
		if err != nil {
			return nil, input.Locate(err, "--topology", 0)
		}
		if t.Nodes() > mostGossipNodes {
			return nil, input.At("--topology", 0, fmt.Sprintf("expected at most %d, whose PEs then have 2^28 words", mostGossipNodes), "a gossip of %d nodes", t.Nodes())
		}
		if f.length > mostGossip/t.Nodes() {
			return nil, input.At(f.sized, 0, fmt.Sprintf("expected at most 2^28 words in all blocks of %s", input.Count(t.Nodes(), "node")), "%d", f.length)
		}
		for _, startup := range f.startups {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := m.Set("startup", itoa(startup)); err != nil {
				return nil, err
			}
			c, err := chooser.Choose(t, m, f.length)
			if err != nil {
				return nil, input.Locate(err, "--topology", 0)
			}
			list = append(list, f.answer(t, startup, c))
		}
	}
	return list, nil
}

// machine is that on which the formulas hold.
func (f *formulaFlags) machine() (machine.Machine, error) {
	m, err := machine.Preset("wormhole")
	if err != nil {
		return m, err
	}
	for _, s := range []struct {
		name  string
		value int
	}{{"hop", f.hop}, {"flit", f.flit}} {
		if err := m.Set(s.name, itoa(s.value)); err != nil {
			return m, err
		}
	}
	m.Ports, m.Channels, m.Buffer = machine.AllPort, machine.Links, max(m.Buffer, m.Hop/m.Flit+1)
	return m, nil
}

func (f *formulaFlags) answer(t *topology.Topology, startup int, c *stages.Choice) formulaAnswer {
	a := formulaAnswer{
		Topology: t.String(), Nodes: t.Nodes(), Length: f.length, Startup: startup, Approach1: formulaRowOf(c.Approach1),
		Approach2: formulaRowOf(c.Approach2), Best: formulaRowOf(c.Best), LowerBound: c.Bound, Ratio: c.Ratio(),
		StepBound: c.StepBound, StepRatio: c.StepRatio(), choice: c,
	}
	if c.Bridgeheads.Form != nil {
		row := formulaRowOf(c.Bridgeheads)
		a.Bridgeheads = &row
	}
	return a
}

func formulaRowOf(c stages.Candidate) formulaRow {
	row := formulaRow{Algorithm: c.Name(), Cycles: c.Predicted}
	switch form := c.Form.(type) {
	case stages.Staged:
		o := form.Options()
		row.A, row.B, row.Colours = o.A, o.B, o.Colours
	case stages.Strides, stages.Legs:
		row.Strides = form.String()
	case stages.Crosses:
		row.Crosses = form.String()
	}
	return row
}

func (f *formulaFlags) print(w io.Writer, a formulaAnswer) error {
	rows := [][]string{f.row("approach 1", a.choice.Approach1, a), f.row("approach 2", a.choice.Approach2, a)}
	if a.Bridgeheads != nil {
		rows = append(rows, f.row("best bridgeheads", a.choice.Bridgeheads, a))
	}
	rows = append(rows, f.row("best of all", a.choice.Best, a))
	for _, bound := range []struct {
		name   string
		cycles router.Cycle
	}{{"bound in steps", a.StepBound}, {"lower bound", a.LowerBound}} {
		rows = append(rows, []string{bound.name, "", fmt.Sprint(bound.cycles), f.blocks(bound.cycles), ""})
	}
	title := fmt.Sprintf("gossip on %s, %s a block, startup %d", a.Topology, input.Count(a.Length, "flit"), a.Startup)
	return printRows(w, title, []string{"", "algorithm", "cycles", "blocks", "ratio"}, rows)
}

func (f *formulaFlags) row(name string, c stages.Candidate, a formulaAnswer) []string {
	return []string{name, c.String(), fmt.Sprint(c.Predicted), f.blocks(c.Predicted), ratioText(c.Predicted, a.LowerBound)}
}

// blocks is a time in units of a block's transfer.
func (f *formulaFlags) blocks(cycles router.Cycle) string {
	return fmt.Sprintf("%.1f", float64(cycles)/float64(f.length))
}

func ratioText(cycles, bound router.Cycle) string {
	if bound == 0 {
		return "1.00"
	}
	return fmt.Sprintf("%.2f", float64(cycles)/float64(bound))
}

func (f *formulaFlags) printTable(w io.Writer, list []formulaAnswer) error {
	var rows [][]string
	for _, a := range list {
		heads, time := "", ""
		if a.Bridgeheads != nil {
			heads, time = a.choice.Bridgeheads.String(), f.blocks(a.Bridgeheads.Cycles)
		}
		rows = append(rows, []string{
			a.Topology, fmt.Sprintf("%g", float64(a.Startup)/float64(a.Length)), f.blocks(a.Approach1.Cycles), f.blocks(a.Approach2.Cycles),
			time, heads, f.blocks(a.Best.Cycles), a.choice.Best.String(), f.blocks(a.LowerBound), ratioText(a.Best.Cycles, a.LowerBound),
			f.blocks(a.StepBound), ratioText(a.Best.Cycles, a.StepBound),
		})
	}
	title := fmt.Sprintf("Gossip, times in blocks of %s", input.Count(f.length, "flit"))
	header := []string{"network", "r", "approach 1", "approach 2", "bridgeheads", "(a,b)", "best", "", "bound", "ratio", "in steps", "ratio"}
	return printRows(w, title, header, rows)
}

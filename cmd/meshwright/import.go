// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/check"
	"meshwright/firmware/collective"
	"meshwright/firmware/msccl"
	"meshwright/firmware/schedule"
	"meshwright/firmware/tdm"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// The formats of files that run.
const (
	noFormat        = ""
	scheduleFormat  = "csv"
	tableFormat     = "tdm"
	algorithmFormat = "msccl"
)

// extensionFormat is what the end of a name says of a file's format; noFormat:
// it is the name of a collective.
func extensionFormat(name string) string {
	switch filepath.Ext(name) {
	case ".csv":
		return scheduleFormat
	case ".tdm", ".shd":
		return tableFormat
	case ".xml":
		return algorithmFormat
	}
	return noFormat
}

// formatOf is the format of a file, noFormat for a collective.
func (f *jobFlags) formatOf(what string) string {
	if f.format != "" {
		return f.format
	}
	return extensionFormat(what)
}

func newImport() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read an algorithm or a schedule that another tool made, check it, run it",
		Long: `Reads what another tool made, says whether it does what it promises, and runs it
with every word compared:

  msccl  collective algorithms in XML, as made by MSCCL's tools: every chunk is followed
         to the outputs, races and circles are found, and the algorithm runs as firmware
  tdm    tables of time-division networks on square tori (nel|  nl|   el): checked for
         collisions and run, by default without buffers, with all ports and one channel
  csv    schedules: message,source,destination,flits,dispatch[,route]

Whatever in a file is not understood is an error that names it. Exits with 1 when the
file does not do what it promises. Such files run in cosim and export, too.`,
		Example: `  meshwright import examples/imports/ring-allreduce-8.xml --topology ring:8 --length 16
  meshwright import examples/imports/exchange-4x4.tdm --schedule exchange.csv`,
		Args: arguments(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.importFile(cmd, args[0]) },
	}
	f.machineFlags.add(cmd)
	f.addViews(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", "msccl, tdm or csv (default: by the extension .xml, .tdm or .shd, .csv, else by the content)")
	flags.IntVarP(&f.length, "length", "l", 8, "msccl: flits of a chunk")
	flags.IntVarP(&f.root, "root", "r", 0, "msccl: root of a broadcast, reduce, gather or scatter")
	flags.StringVar(&f.buffers, "buffers", "", "msccl: in-place or separate (default: as the file says, in place if it says both)")
	flags.Uint64Var(&f.seed, "seed", 1, "msccl: seed of the inputs")
	return cmd
}

// importFile runs a file of any format.
func (f *runFlags) importFile(cmd *cobra.Command, file string) error {
	formats := []string{algorithmFormat, tableFormat, scheduleFormat}
	switch {
	case cmd.Flags().Changed("format"):
		if !slices.Contains(formats, f.format) {
			return input.At("--format", 0, "expected msccl, tdm or csv", "unknown format %q", f.format)
		}
	default:
		if f.format = extensionFormat(file); f.format != noFormat {
			break
		}
		text, err := input.ReadFile(file)
		if err != nil {
			return err
		}
		f.format = contentFormat(text)
	}
	return f.run(cmd, file)
}

// contentFormat tells formats apart: XML begins with <, rows of a schedule have
// commas.
func contentFormat(text []byte) string {
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte{'#'})
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0:
			continue
		case line[0] == '<':
			return algorithmFormat
		case bytes.Count(line, []byte{','}) >= 4:
			return scheduleFormat
		}
		return tableFormat
	}
	return tableFormat
}

// loadTable reads a table, and the network and the machine for it: by default
// the torus that it is for, and chips without buffers in which all links work at
// once and a PE places and takes one flit a cycle.
func (f *machineFlags) loadTable(cmd *cobra.Command, file string, demands ...func(*machine.Machine)) (*schedule.Schedule, *topology.Topology, machine.Machine, error) {
	table, err := tdm.Read(file)
	if err != nil {
		return nil, nil, machine.Machine{}, err
	}
	f.implied = table.Topology()
	if flags := cmd.Flags(); !flags.Changed("machine") {
		f.machine = "bufferless"
		demands = append([]func(*machine.Machine){func(m *machine.Machine) {
			if !flags.Changed("ports") {
				m.Ports = machine.AllPort
			}
		}}, demands...)
	}
	t, m, err := f.load(cmd, demands...)
	if err != nil {
		return nil, nil, m, err
	}
	if t.Kind != topology.Torus || !slices.Equal(t.Dims, []int{table.Size, table.Size}) {
		return nil, nil, m, input.At(file, 0, "expected "+table.Topology(), "a table for %dx%d nodes on %s", table.Size, table.Size, t)
	}
	return table.Schedule(), t, m, nil
}

// executeTable runs the table of a time-division network.
func (f *jobFlags) executeTable(cmd *cobra.Command, file string, attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "the table says everything", "given with a table", "length", "root", "seed", "buffers"); err != nil {
		return nil, err
	}
	s, t, m, err := f.loadTable(cmd, file)
	if err != nil {
		return nil, err
	}
	o, err := play(cmd, "exchange", s, t, m, attach...)
	if err != nil {
		return nil, err
	}
	return o, o.checkStatic(s)
}

// checkStatic adds what the checker says of messages on a machine without buffers.
func (o *outcome) checkStatic(s *schedule.Schedule) error {
	if o.machine.Switching != machine.Bufferless {
		return nil
	}
	r, err := check.Check(s, o.topology, o.machine)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("no collisions, %d cycles", r.Cycles)
	if !r.OK {
		text = fmt.Sprintf("%s, the first in cycle %d", input.Count(r.Collisions, "collision"), r.First[0].Cycle)
	}
	o.imported = append(o.imported, fact{"checker_ok", "checker", text, fmt.Sprint(r.OK)})
	return nil
}

// executeAlgorithm runs an imported algorithm as firmware. One that does not do
// what it promises is not run.
func (f *jobFlags) executeAlgorithm(cmd *cobra.Command, file string, attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "the file says everything else", "given with an algorithm"); err != nil {
		return nil, err
	}
	if f.length < 1 || f.length > maxChunk {
		return nil, input.At("--length", 0, "expected 1 to "+itoa(maxChunk), "%d", f.length)
	}
	a, err := msccl.Read(file)
	if err != nil {
		return nil, err
	}
	switch f.buffers {
	case "":
	case msccl.InPlace, msccl.Separate:
		a = a.With(f.buffers)
	default:
		return nil, input.At("--buffers", 0, "expected in-place or separate", "%q", f.buffers)
	}
	if cmd.Flags().Changed("root") && !a.Rooted() {
		return nil, input.At("--root", 0, "expected none", "%s has no root", article(a.Collective))
	}
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return nil, err
	}
	if t.Nodes() != a.Ranks {
		return nil, input.At(file, 0, "expected a topology of "+input.Count(a.Ranks, "node"), "an algorithm for %s on %s, which has %d", input.Count(a.Ranks, "rank"), t, t.Nodes())
	}
	flow, err := a.Flow(f.root)
	if err != nil {
		return nil, err
	}
	if flow.Failure != nil {
		return nil, printUnsound(cmd, flow)
	}
	plan, facts, err := planAlgorithm(flow, t, m, f.length, f.seed)
	if err != nil {
		return nil, err
	}
	r, err := collective.Execute(cmd.Context(), plan, attach...)
	if err != nil {
		return nil, err
	}
	o := &outcome{
		collective: a.Collective, algorithm: file, topology: t, machine: plan.Machine, network: r.Network, plan: plan,
		messages: plan.Messages, flits: plan.Flits, cycles: r.Cycles, lowerBound: plan.LowerBound, delivered: r.Delivered, failure: r.Failure,
		collisions: r.Collisions, collisionCount: r.CollisionCount, maxBufferFlits: r.MaxBufferFlits, imported: facts,
	}
	if a.Rooted() {
		o.root = &f.root
	}
	return o, o.checkStatic(schedule.FromLog(r.Network, plan.Machine.Routing == machine.Source))
}

// maxChunk bounds the flits of a chunk.
const maxChunk = 1 << 20

// maxMemory bounds the words of all PEs of an imported algorithm.
const maxMemory = 1 << 28

// planAlgorithm turns a sound algorithm into firmware. On machines without
// buffers a timetable says when each message leaves.
func planAlgorithm(flow *msccl.Flow, t *topology.Topology, m machine.Machine, length int, seed uint64) (*collective.Plan, []fact, error) {
	a := flow.Algorithm
	list, sizes := flow.List(length)
	total := 0
	for _, words := range sizes {
		if total += words; total > maxMemory {
			return nil, nil, input.At("--length", 0, "expected at most 2^28 words in all PEs together", "%d: too long", length)
		}
	}
	words, err := flow.Words(list, sizes, length, m.Width, seed)
	if err != nil {
		return nil, nil, err
	}
	if m.Switching == machine.Bufferless {
		if err := transfer.Timetable(t, m, list); err != nil {
			return nil, nil, err
		}
	}
	facts := describe(flow)
	if !m.PacketSwitched() {
		timing, err := transfer.Foretell(t, m, list)
		if err != nil {
			return nil, nil, err
		}
		cycles := fmt.Sprint(timing.Cycles)
		facts = append(facts, fact{"foretold_cycles", "foretold, alone", cycles, cycles})
	}
	plan, err := collective.FromTransfers(a.Collective, a.Name, t, m, list, func(n router.NodeID) collective.Block {
		return collective.Block{Words: words.End[n], Start: words.Start[n]}
	})
	if err != nil {
		return nil, nil, err
	}
	plan.LowerBound = flow.LowerBound(t, plan.Machine, length)
	return plan, facts, nil
}

// describe lists what is known of an algorithm before it runs.
func describe(flow *msccl.Flow) []fact {
	a := flow.Algorithm
	blocks, steps := 0, 0
	for rank := range a.GPUs {
		blocks += len(a.GPUs[rank].Blocks)
		for _, b := range a.GPUs[rank].Blocks {
			steps += len(b.Steps)
		}
	}
	place, sizes := "out of place", "any number of bytes"
	if a.InPlace {
		place = "in place"
	}
	if a.MinBytes > 0 || a.MaxBytes > 0 {
		sizes = fmt.Sprintf("%d bytes or more", a.MinBytes)
		if a.MaxBytes > 0 {
			sizes = fmt.Sprintf("%d to %d bytes", a.MinBytes, a.MaxBytes)
		}
	}
	facts := []fact{
		{"name", "name", a.Name, quoted(a.Name)},
		{"meant_for", "meant for", sizes + ", " + a.Protocol, quoted(sizes + ", " + a.Protocol)},
		{"in_place", "buffers", place, fmt.Sprint(a.InPlace)},
		{"threadblocks", "threadblocks", itoa(blocks), itoa(blocks)},
		{"steps", "steps", itoa(steps), itoa(steps)},
	}
	switch {
	case flow.Races < 0:
		facts = append(facts, fact{"races", "races", "not looked for: too many steps", "null"})
	default:
		facts = append(facts, fact{"races", "races", itoa(flow.Races), itoa(flow.Races)})
	}
	if flow.Failure == nil {
		promise := "every output as " + a.Collective + " promises"
		if a.Collective == "custom" {
			promise = "custom promises nothing"
		}
		facts = append(facts, fact{"flow_ok", "data flow", promise, "true"})
	}
	return facts
}

// quoted is a text in JSON.
func quoted(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings have a JSON form
	}
	return string(quoted)
}

// printUnsound says what an algorithm does wrong; the error is errFailed.
func printUnsound(cmd *cobra.Command, flow *msccl.Flow) error {
	a := flow.Algorithm
	w := cmd.OutOrStdout()
	if flag := cmd.Flags().Lookup("json"); flag != nil && flag.Value.String() == "true" {
		err := printJSON(w, struct {
			Collective string `json:"collective"`
			Algorithm  string `json:"algorithm"`
			Name       string `json:"name"`
			OK         bool   `json:"flow_ok"`
			Delivered  bool   `json:"delivered"`
			Races      int    `json:"races"`
			Failure    string `json:"failure"`
			Version    string `json:"version"`
		}{a.Collective, a.File, a.Name, false, false, flow.Races, flow.Failure.Error(), version()})
		return cmp.Or(err, errFailed)
	}
	var rows [][]string
	for _, f := range describe(flow) {
		rows = append(rows, []string{f.name, f.text})
	}
	if err := printRows(w, a.Collective+" "+a.File+", not run", nil, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "FAIL "+flow.Failure.Error())
	return cmp.Or(err, errFailed)
}

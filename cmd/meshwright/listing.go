// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/fabric/traffic"
	"meshwright/firmware/collective"
	"meshwright/firmware/isa"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// listing is all that list knows; its JSON names are a contract.
type listing struct {
	Collectives  []collectiveRow  `json:"collectives,omitempty"`
	Algorithms   []algorithmRow   `json:"algorithms,omitempty"`
	Options      []optionRow      `json:"options,omitempty"`
	Presets      []presetRow      `json:"presets,omitempty"`
	Keys         []keyRow         `json:"keys,omitempty"`
	Routings     []routingRow     `json:"routings,omitempty"`
	Topologies   []topologyRow    `json:"topologies,omitempty"`
	Patterns     []patternRow     `json:"patterns,omitempty"`
	Trees        []string         `json:"trees,omitempty"`
	Covers       []string         `json:"covers,omitempty"`
	Instructions []instructionRow `json:"instructions,omitempty"`
	Version      string           `json:"version"`
}

// collectiveRow is a collective.
type collectiveRow struct {
	Name    string   `json:"collective"`
	Aliases []string `json:"aliases,omitempty"`
	Does    string   `json:"does"`
	Rooted  bool     `json:"rooted"`
	mpi     string
}

// presetRow is a machine with a name.
type presetRow struct {
	Name     string            `json:"preset"`
	Settings map[string]string `json:"settings"`
}

// keyRow is a machine's parameter.
type keyRow struct {
	Name string `json:"key"`
	Help string `json:"help"`
}

// routingRow is a routing.
type routingRow struct {
	Name  string `json:"routing"`
	Alias string `json:"alias,omitempty"`
	About string `json:"about"`
	form  string
}

// patternRow is a pattern of random traffic.
type patternRow struct {
	Name  string `json:"pattern"`
	Form  string `json:"form"`
	About string `json:"about"`
}

// topologyRow is a kind of topology.
type topologyRow struct {
	Kind  string `json:"kind"`
	Form  string `json:"form"`
	About string `json:"about"`
}

// instructionRow is an instruction of the PEs.
type instructionRow struct {
	Opcode   int    `json:"opcode"`
	Mnemonic string `json:"mnemonic"`
	Operands string `json:"operands"`
	Effect   string `json:"effect"`
}

// topicRow is a topic of list: how it fills a listing, and how it prints.
type topicRow struct {
	name  string
	about string // one line, for the help
	fill  func(*listing) error
	print func(io.Writer, *listing) error
}

// topicPresets is the topic of machines with a name.
const topicPresets = "presets"

// topicTable is the one list of topics.
func topicTable() []topicRow {
	return []topicRow{
		{"collectives", "the collectives, with their names in MPI", fillCollectives, func(w io.Writer, l *listing) error {
			return printList(w, "Collectives", []string{"collective", "in MPI", "what it does"}, l.Collectives, func(c collectiveRow) []string { return []string{c.Name, c.mpi, c.Does} })
		}},
		{"algorithms", "all algorithms, by collective", fillAlgorithms, func(w io.Writer, _ *listing) error {
			names, _ := collectives()
			return listAlgorithms(w, names...)
		}},
		{"options", "all options of algorithms", fillOptions, func(w io.Writer, l *listing) error {
			return printOptions(w, "Options of algorithms, as flags and for --set; list ALGORITHM shows only its own", l.Options)
		}},
		{topicPresets, "the machines that --machine knows by name, with their settings", fillPresets, func(w io.Writer, _ *listing) error { return listMachines(w) }},
		{"keys", "the settings of a machine, for files and as flags", fillKeys, func(w io.Writer, l *listing) error {
			return printList(w, "Keys of a machine, in files and as flags", []string{"key", "what it says"}, l.Keys, func(k keyRow) []string { return []string{k.Name, k.Help} })
		}},
		{"routings", "how chips choose the routes of messages, for --routing", fillRoutings, func(w io.Writer, l *listing) error {
			return printList(w, "Routings", []string{"routing", "route of a message"}, l.Routings, func(r routingRow) []string { return []string{r.form, r.About} })
		}},
		{"topologies", "the networks, for --topology", fillTopologies, func(w io.Writer, l *listing) error {
			return printList(w, "Topologies", []string{"topology", "what it is"}, l.Topologies, func(t topologyRow) []string { return []string{t.Form, t.About} })
		}},
		{"patterns", "where packets of random traffic go, for --pattern", fillPatterns, func(w io.Writer, l *listing) error {
			return printList(w, "Patterns of random traffic", []string{"pattern", "where packets go"}, l.Patterns, func(p patternRow) []string { return []string{p.Form, p.About} })
		}},
		{"trees", "the spanning trees, for --tree", func(l *listing) error { l.Trees = plan.TreeNames(); return nil }, func(w io.Writer, l *listing) error { return printNames(w, "Spanning trees, for --tree", l.Trees) }},
		{"covers", "the ways to make several edge-disjoint trees, for --cover", func(l *listing) error { l.Covers = cover.Names(); return nil }, func(w io.Writer, l *listing) error {
			return printNames(w, "Constructions of edge-disjoint trees, for --cover", l.Covers)
		}},
		{"instructions", "the instruction set of a PE", fillInstructions, func(w io.Writer, l *listing) error {
			return printList(w, "Instructions of a PE", []string{"instruction", "effect"}, l.Instructions,
				func(i instructionRow) []string {
					return []string{strings.TrimSpace(i.Mnemonic + " " + i.Operands), i.Effect}
				})
		}},
	}
}

// topics are the names of all topics.
func topics() []string {
	var names []string
	for _, t := range topicTable() {
		names = append(names, t.name)
	}
	return names
}

// describeTopics is the list of topics in the help.
func describeTopics() string {
	var text strings.Builder
	for _, t := range topicTable() {
		fmt.Fprintf(&text, "  %-13s %s\n", t.name, t.about)
	}
	return text.String()
}

// topicOfList demands a topic, a collective, an algorithm or nothing.
func topicOfList(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if len(args) > 1 {
		return input.Errorf("expected "+cmd.UseLine(), "%s: %s", cmd.Name(), input.Count(len(args), "argument"))
	}
	known := slices.Concat(topics(), []string{topicMachines}, collectiveNames(), algorithmNames())
	if slices.Contains(known, args[0]) || slices.Contains(known, ownName(args[0])) {
		return nil
	}
	want := input.Suggest(args[0], topics()) + ", or the name of a collective or an algorithm"
	if near := input.Nearest(args[0], known); near != "" {
		want = input.Suggest(args[0], known)
	}
	return input.Errorf(want, "unknown topic %q", args[0])
}

// topicMachines is what users call the topic presets, as the flag --machine does.
const topicMachines = "machines"

// collectiveNames are the names of all collectives, with their aliases.
func collectiveNames() []string {
	names, aliases := collectives()
	return slices.Concat(names, aliases)
}

// printListing prints one topic, algorithm or collective; "" stands for the algorithms and presets, in
// JSON for all topics.
func printListing(w io.Writer, topic string, asJSON bool) error {
	l := listing{Version: version()}
	if kind, err := plan.KindOf(topic); err == nil {
		if l.Algorithms = listed(kind.Name); asJSON {
			return printJSON(w, l)
		}
		return printAlgorithms(w, l.Algorithms)
	}
	if topic == topicMachines {
		topic = topicPresets
	}
	if fillAlgorithm(&l, topic); len(l.Algorithms) > 0 {
		if asJSON {
			return printJSON(w, l)
		}
		return listAlgorithm(w, &l)
	}
	shown := func(t topicRow) bool {
		return t.name == topic || topic == "" && (asJSON || t.name == "algorithms" || t.name == topicPresets)
	}
	for _, t := range topicTable() {
		if !shown(t) {
			continue
		}
		if err := t.fill(&l); err != nil {
			return err
		}
		if !asJSON {
			if err := t.print(w, &l); err != nil {
				return err
			}
		}
	}
	if asJSON {
		return printJSON(w, l)
	}
	return nil
}

func fillCollectives(l *listing) error {
	for _, k := range plan.Kinds() {
		l.Collectives = append(l.Collectives, collectiveRow{k.Name, k.Aliases, k.Does, k.Rooted, k.MPI()})
	}
	return nil
}

func fillAlgorithms(l *listing) error {
	names, _ := collectives()
	for _, name := range names {
		l.Algorithms = append(l.Algorithms, listed(name)...)
	}
	return nil
}

// fillOptions lists the options as they are declared, with the algorithms that have them.
func fillOptions(l *listing) error {
	for _, o := range collective.Options() {
		row := newOptionRow(&o)
		row.Algorithms = havers(&o, optionOwners())
		l.Options = append(l.Options, row)
	}
	return nil
}

// fillAlgorithm lists the algorithms with a name, one for each collective that has one.
func fillAlgorithm(l *listing, name string) {
	for _, a := range collective.Table() {
		if a.Name == name || slices.Contains(a.Aliases, name) {
			l.Algorithms = append(l.Algorithms, newAlgorithmRow(&a))
		}
	}
}

// algorithmNames are the names of all algorithms, each once.
func algorithmNames() []string {
	var names []string
	for _, a := range collective.Table() {
		names = append(append(names, a.Name), a.Aliases...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func fillPresets(l *listing) error {
	for _, name := range machine.PresetNames() {
		m, err := machine.Preset(name)
		if err != nil {
			return err
		}
		row := presetRow{name, map[string]string{}}
		for _, k := range machine.Keys() {
			row.Settings[k.Name] = settingOf(k, &m)
		}
		l.Presets = append(l.Presets, row)
	}
	return nil
}

func fillKeys(l *listing) error {
	for _, k := range machine.Keys() {
		l.Keys = append(l.Keys, keyRow{k.Name, k.Help})
	}
	return nil
}

func fillTopologies(l *listing) error {
	for _, f := range topology.Listed() {
		l.Topologies = append(l.Topologies, topologyRow{f.Kind, f.String(), f.About})
	}
	return nil
}

func fillRoutings(l *listing) error {
	for _, r := range machine.Routings() {
		l.Routings = append(l.Routings, routingRow{string(r.Name), r.Alias, r.About, r.String()})
	}
	return nil
}

func fillPatterns(l *listing) error {
	for _, p := range traffic.Patterns() {
		l.Patterns = append(l.Patterns, patternRow{p.Name, p.String(), p.About})
	}
	return nil
}

func fillInstructions(l *listing) error {
	for _, r := range slices.Concat(isa.Table(), isa.Pseudo()) {
		l.Instructions = append(l.Instructions, instructionRow{int(r.Op), r.Mnemonic, r.Operands, r.Effect})
	}
	return nil
}

// printList prints a table of things.
func printList[T any](w io.Writer, title string, header []string, things []T, row func(T) []string) error {
	var rows [][]string
	for _, thing := range things {
		rows = append(rows, row(thing))
	}
	return printFitted(w, title, header, rows)
}

func printNames(w io.Writer, title string, names []string) error {
	return printList(w, title, nil, names, func(name string) []string { return []string{name} })
}

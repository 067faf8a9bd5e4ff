// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
)

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "list [TOPIC|COLLECTIVE|ALGORITHM]",
		SuggestFor: []string{"ls"},
		Short:      "List algorithms, machines and their settings, topologies, instructions",
		Long: `Lists the algorithms and the machines' settings, or one TOPIC:

` + describeTopics() + `
The name of a COLLECTIVE lists its algorithms, and that of an ALGORITHM lists that algorithm with
its options. With --json list prints all topics, or only what the command names.`,
		Example: `  meshwright list
  meshwright list topologies
  meshwright list algorithms --json
  meshwright list gossip
  meshwright list torgos`,
		Args: topicOfList,
		RunE: func(cmd *cobra.Command, args []string) error {
			return printListing(cmd.OutOrStdout(), argument(args, 0), asJSON)
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}

// listMachines prints the settings of every preset.
func listMachines(w io.Writer) error {
	header := append([]string{"key"}, machine.PresetNames()...)
	var rows [][]string
	for _, k := range machine.Keys() {
		row := []string{k.Name}
		for _, name := range machine.PresetNames() {
			m, err := machine.Preset(name)
			if err != nil {
				return err
			}
			row = append(row, settingOf(k, &m))
		}
		rows = append(rows, row)
	}
	return printFitted(w, "Machines", header, rows)
}

// algorithmRow is an algorithm in JSON; its names are a contract.
type algorithmRow struct {
	Collective string              `json:"collective"`
	Algorithm  string              `json:"algorithm"`
	Aliases    []string            `json:"aliases,omitempty"`
	Topologies string              `json:"topologies"`
	Switching  []machine.Switching `json:"switching"`
	About      string              `json:"about"`
	Options    []optionRow         `json:"options,omitempty"`
}

// optionRow is an option of an algorithm in JSON.
type optionRow struct {
	Name       string                `json:"option"`
	Aliases    []string              `json:"aliases,omitempty"`
	Type       collective.OptionType `json:"type"`
	Values     []string              `json:"values,omitempty"`
	Least      *int                  `json:"least,omitempty"`
	Default    string                `json:"default"`
	On         string                `json:"machines,omitempty"`
	Help       string                `json:"help"`
	Algorithms []string              `json:"algorithms,omitempty"`
	form       string
}

// newOptionRow is an option as an algorithm has it.
func newOptionRow(o *collective.Option) optionRow {
	row := optionRow{Name: o.Name, Aliases: o.Aliases, Type: o.Type, Values: o.Values, Default: o.Default, On: o.On, Help: o.Help, form: o.Form()}
	if o.Type == collective.Number {
		row.Least = &o.Least
	}
	return row
}

// optionRows are the options of an algorithm.
func optionRows(a *collective.Algorithm) []optionRow {
	var rows []optionRow
	for _, o := range a.Options() {
		rows = append(rows, newOptionRow(&o))
	}
	return rows
}

// listAlgorithm prints the rows of the algorithms with a name, and their options.
func listAlgorithm(w io.Writer, l *listing) error {
	if err := printAlgorithms(w, l.Algorithms); err != nil {
		return err
	}
	for i, list := 0, l.Algorithms; i < len(list); {
		var of []string // collectives whose algorithm has the same options
		first := &list[i]
		for ; i < len(list) && reflect.DeepEqual(list[i].Options, first.Options); i++ {
			of = append(of, list[i].Collective)
		}
		if len(first.Options) == 0 {
			continue
		}
		if err := printOptions(w, "Options of "+strings.Join(of, ", ")+" "+first.Algorithm, first.Options); err != nil {
			return err
		}
	}
	return nil
}

// printOptions prints options, each with what it says of itself.
func printOptions(w io.Writer, title string, options []optionRow) error {
	header := []string{"option", "values", "default", "what it is", "machines"}
	return printList(w, title, header, options, func(o optionRow) []string {
		machines := o.On
		if machines == "" {
			machines = "all"
		}
		return []string{strings.Join(append([]string{o.Name}, o.Aliases...), ", "), o.form, o.Default, o.Help, machines}
	})
}

func newAlgorithmRow(a *collective.Algorithm) algorithmRow {
	return algorithmRow{a.Collective, a.Name, a.Aliases, a.On, a.Switchings, a.About, optionRows(a)}
}

// listed are a collective's algorithms.
func listed(of string) []algorithmRow {
	var rows []algorithmRow
	for _, a := range collective.Table() {
		if a.Collective == of {
			rows = append(rows, newAlgorithmRow(&a))
		}
	}
	return rows
}

// listAlgorithms prints the algorithms of some collectives.
func listAlgorithms(w io.Writer, of ...string) error {
	var rows []algorithmRow
	for _, collective := range of {
		rows = append(rows, listed(collective)...)
	}
	return printAlgorithms(w, rows)
}

// printAlgorithms prints a table for each collective.
func printAlgorithms(w io.Writer, list []algorithmRow) error {
	if _, err := fmt.Fprintln(w, "Algorithms; auto, the default, takes the first of those with the same time"); err != nil {
		return err
	}
	header := []string{"algorithm", "topologies", "switching", "what it does"}
	for len(list) > 0 {
		of := list[0].Collective
		var rows [][]string
		for ; len(list) > 0 && list[0].Collective == of; list = list[1:] {
			a := &list[0]
			name := strings.Join(append([]string{a.Algorithm}, a.Aliases...), ", ")
			rows = append(rows, []string{name, a.Topologies, switchingNames(a.Switching), a.About})
		}
		if err := printFitted(w, of, header, rows); err != nil {
			return err
		}
	}
	return nil
}

func switchingNames(list []machine.Switching) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = string(s)
	}
	if len(names) == len(machine.Switchings()) {
		return "all"
	}
	return strings.Join(names, ", ")
}

// settingOf is a preset's value, or who chooses it.
func settingOf(k machine.Key, m *machine.Machine) string {
	value := k.Get(m)
	if value == "" || k.Name == "vcs" && value == "0" {
		return "by topology"
	}
	if (k.Name == "buffer" || k.Name == "packet") && value == "0" && m.PacketSwitched() {
		return "by messages"
	}
	return value
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
)

func newList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [TOPIC]",
		Short: "List algorithms, machines and their settings, topologies, instructions",
		Long: `Lists the algorithms and the machines' settings, or one TOPIC:

  ` + strings.Join(topics(), "\n  ") + `

With --json it prints all topics, or the TOPIC.`,
		Example: `  meshwright list
  meshwright list topologies
  meshwright list algorithms --json`,
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
	return printRows(w, "Machines", header, rows)
}

// algorithmRow is an algorithm in JSON; its names are a contract.
type algorithmRow struct {
	Collective string              `json:"collective"`
	Algorithm  string              `json:"algorithm"`
	Aliases    []string            `json:"aliases,omitempty"`
	Topologies string              `json:"topologies"`
	Switching  []machine.Switching `json:"switching"`
	About      string              `json:"about"`
}

// listed are a collective's algorithms.
func listed(of string) []algorithmRow {
	var rows []algorithmRow
	for _, a := range collective.Table() {
		if a.Collective == of {
			rows = append(rows, algorithmRow{a.Collective, a.Name, a.Aliases, a.On, a.Switchings, a.About})
		}
	}
	return rows
}

// listAlgorithms prints the algorithms of some collectives.
func listAlgorithms(w io.Writer, of ...string) error {
	var rows [][]string
	for _, a := range collective.Table() {
		if slices.Contains(of, a.Collective) {
			name := strings.Join(append([]string{a.Name}, a.Aliases...), ", ")
			rows = append(rows, []string{a.Collective, name, a.On, switchingNames(a.Switchings), a.About})
		}
	}
	header := []string{"collective", "algorithm", "topologies", "switching", "what it does"}
	return printRows(w, "Algorithms (auto is the default; of those with the same time it takes the one that stands first)", header, rows)
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

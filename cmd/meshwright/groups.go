// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"text/template"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup is a headline of the help, with the flags below it.
type flagGroup string

// The groups, in the order of the help.
const (
	groupStudy     flagGroup = "Study flags"
	groupCluster   flagGroup = "Cluster flags"
	groupJob       flagGroup = "Job flags"
	groupAlgorithm flagGroup = "Algorithm flags"
	groupMachine   flagGroup = "Machine flags (defaults: those of the preset)"
	groupFirmware  flagGroup = "Firmware flags (programs of your own)"
	groupWatch     flagGroup = "Page flags"
	groupOutput    flagGroup = "Output flags"
	groupGeneral   flagGroup = "General flags"
)

func flagGroups() []flagGroup {
	return []flagGroup{groupStudy, groupCluster, groupJob, groupAlgorithm, groupMachine, groupFirmware, groupWatch, groupOutput, groupGeneral}
}

// groupKey is the annotation of a flag that names its group.
const groupKey = "group"

// declare adds flags to a set, all of them in group g. They stand in the help
// in the order in which they are declared.
func (g flagGroup) declare(set *pflag.FlagSet, add func(flags *pflag.FlagSet)) {
	fresh := pflag.NewFlagSet("", pflag.ContinueOnError)
	fresh.SortFlags = false
	add(fresh)
	fresh.VisitAll(func(flag *pflag.Flag) {
		flag.Annotations = map[string][]string{groupKey: {string(g)}}
		set.AddFlag(flag)
	})
}

// groupOf is the group of a flag. Flags that cobra declares, such as --help, are general.
func groupOf(flag *pflag.Flag) flagGroup {
	if names := flag.Annotations[groupKey]; len(names) == 1 {
		return flagGroup(names[0])
	}
	return groupGeneral
}

// helpWidth is where the help of flags is wrapped, in characters.
const helpWidth = 100

// flagHelp is a group as the help shows it.
type flagHelp struct{ Title, Flags string }

// groupedFlags are the flags of a verb and of all above it, by group.
func groupedFlags(cmd *cobra.Command) []flagHelp {
	var list []flagHelp
	for _, s := range flagSets(cmd) {
		list = append(list, flagHelp{string(s.group), strings.TrimRight(s.flags.FlagUsagesWrapped(helpWidth), " \n")})
	}
	return list
}

// flagSet is the flags of a group.
type flagSet struct {
	group flagGroup
	flags *pflag.FlagSet
}

// flagSets are the groups that a verb has.
func flagSets(cmd *cobra.Command) []flagSet {
	sets := map[flagGroup]*pflag.FlagSet{}
	for _, g := range flagGroups() {
		sets[g] = pflag.NewFlagSet("", pflag.ContinueOnError)
		sets[g].SortFlags = false
	}
	cmd.Flags().SortFlags = false // as they are declared
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) { sets[groupOf(flag)].AddFlag(displayed(flag)) })
	cmd.InheritedFlags().VisitAll(func(flag *pflag.Flag) { sets[groupOf(flag)].AddFlag(displayed(flag)) })
	var list []flagSet
	for _, g := range flagGroups() {
		if sets[g].HasAvailableFlags() {
			list = append(list, flagSet{g, sets[g]})
		}
	}
	return list
}

// usageText is cobra's usage, with the flags in groups.
const usageText = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} [command]{{end}}{{if .Aliases}}

Aliases:
  {{.NameAndAliases}}{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Available Commands:{{range .Commands}}{{if or .IsAvailableCommand (eq .Name "help")}}
  {{printf "%-*s" .NamePadding .Name}} {{.Short}}{{end}}{{end}}{{end}}{{range groups .}}

{{.Title}}:
{{.Flags}}{{end}}{{if .HasAvailableSubCommands}}

Use "{{.CommandPath}} [command] --help" for more information about a command.{{end}}
`

// showUsage prints the usage of a verb.
func showUsage(cmd *cobra.Command) error {
	t, err := template.New("usage").Funcs(template.FuncMap{"groups": groupedFlags}).Parse(usageText)
	if err != nil {
		return err
	}
	return t.Execute(cmd.OutOrStderr(), cmd)
}

// addJSON adds --json, which every verb that prints a result has.
func addJSON(cmd *cobra.Command, asJSON *bool) {
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(asJSON, "json", false, "print the result as JSON")
	})
}

// outFlag names the files that a verb makes, in every verb that has no more telling name for them.
const outFlag = "--out"

// addOut adds --out to a verb that writes one file.
func addOut(cmd *cobra.Command, path *string) {
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(path, "out", "o", "", "`FILE` to write (default: standard output)")
	})
}

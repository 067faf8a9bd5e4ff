// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/internal/input"
)

// aboutRun says what run an export has: what the same command writes everywhere, and no more.
func (f *jobFlags) aboutRun(cmd *cobra.Command, o *outcome, what string) []string {
	named := *o
	named.algorithm = portableNames(o.algorithm)
	lines := []string{"run        " + named.title()}
	if o.plan != nil && f.lengths == "" && f.payload == "" {
		lines = append(lines, "length     "+input.Count(f.length, "flit"))
	}
	if settings := unlikePreset(&o.machine, o.topology); settings != "" {
		lines = append(lines, "machine    "+settings)
	}
	return append(lines,
		fmt.Sprintf("seed       %d", f.seed),
		"written by meshwright "+version(),
		"with       "+exportCommand(cmd, what))
}

// unlikePreset lists the keys of a machine that its preset has otherwise on a topology; all keys of a machine that is no
// preset's.
func unlikePreset(m *machine.Machine, t *topology.Topology) string {
	preset, err := machine.Preset(m.Name)
	if resolved, unfit := preset.Resolve(t); err == nil && unfit == nil {
		preset = resolved
	}
	var list []string
	for _, k := range machine.Keys() {
		if value := k.Get(m); value != "" && (err != nil || value != k.Get(&preset)) {
			list = append(list, k.Name+" "+value)
		}
	}
	return strings.Join(list, ", ")
}

// exportCommand is the command that writes an export: the flags in the order of their names, the folder as DIR.
func exportCommand(cmd *cobra.Command, what string) string {
	words := []string{"meshwright", "export", "DIR"}
	if what != "" {
		words = append(words, escape.Shell(portable(what)))
	}
	export := newExport().Flags()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if flag.Name == "force" || export.Lookup(flag.Name) == nil {
			return
		}
		switch {
		case flag.NoOptDefVal != "" && flag.Value.String() == flag.NoOptDefVal:
			words = append(words, "--"+flag.Name)
			return
		case flag.NoOptDefVal != "":
			words = append(words, "--"+flag.Name+"="+flag.Value.String())
			return
		}
		values := []string{flag.Value.String()}
		if list, many := flag.Value.(pflag.SliceValue); many {
			values = list.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+flag.Name, escape.Shell(portable(value)))
		}
	})
	return strings.Join(words, " ")
}

// portableNames are names of files, separated by commas, without such folders.
func portableNames(list string) string {
	names := strings.Split(list, ", ")
	for i := range names {
		names[i] = portable(names[i])
	}
	return strings.Join(names, ", ")
}

// portable is a value of the command line without the folders of an absolute path, which are those of one computer. A path may
// stand behind nodes, a kind or an @.
func portable(value string) string {
	for i := range value {
		if value[i] == '/' && (i == 0 || strings.IndexByte("=@:", value[i-1]) >= 0) {
			return value[:i] + path.Base(value[i:])
		}
	}
	return value
}

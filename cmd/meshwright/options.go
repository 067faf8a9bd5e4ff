// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// optionFlags are the options of algorithms, each as a flag of its own, and
// all of them as --set.
type optionFlags struct {
	settings []string // of --set, key=value
}

// add declares the flags.
func (f *optionFlags) add(cmd *cobra.Command) {
	addOptions(cmd, collective.Options()...)
	groupAlgorithm.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVar(&f.settings, "set", nil, "option of the algorithm as `key=value`; meshwright list ALGORITHM shows the keys (may be repeated)")
	})
}

// addOptions declares a flag for each of some options of algorithms.
func addOptions(cmd *cobra.Command, options ...collective.Option) {
	names := map[string]string{}
	for _, o := range options {
		for _, alias := range o.Aliases {
			names[alias] = o.Name
		}
	}
	cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if own, ok := names[name]; ok {
			return pflag.NormalizedName(own)
		}
		return pflag.NormalizedName(name)
	})
	helps := optionHelps()
	groupAlgorithm.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		for _, o := range options {
			help := helps[o.Name]
			switch o.Type {
			case collective.Number:
				flags.Int(o.Name, 0, help)
			case collective.Truth:
				flags.Bool(o.Name, false, help)
			default:
				flags.String(o.Name, "", help)
			}
		}
	})
}

// declaredOption is the option with a name.
func declaredOption(name string) collective.Option {
	options := collective.Options()
	i := slices.IndexFunc(options, func(o collective.Option) bool { return o.Name == name })
	if i < 0 {
		panic("meshwright: no option " + name)
	}
	return options[i]
}

// optionOwner is an algorithm with its options.
type optionOwner struct {
	collective, name string
	options          []collective.Option
}

// optionOwners returns all algorithms but auto. It would take a share of the program's start if every verb asked anew.
var optionOwners = sync.OnceValue(func() []optionOwner {
	var owners []optionOwner
	for _, a := range collective.Table() {
		if a.Name != collective.Auto {
			owners = append(owners, optionOwner{a.Collective, a.Name, a.Options()})
		}
	}
	return owners
})

// optionHelps returns the help texts of all options, by name.
var optionHelps = sync.OnceValue(func() map[string]string {
	helps := map[string]string{}
	for _, o := range collective.Options() {
		helps[o.Name] = optionHelp(&o, optionOwners())
	}
	return helps
})

// option returns the option of that name, and whether the algorithm has it.
func (a *optionOwner) option(name string) (*collective.Option, bool) {
	i := slices.IndexFunc(a.options, func(o collective.Option) bool { return o.Name == name })
	if i < 0 {
		return nil, false
	}
	return &a.options[i], true
}

// optionHelp returns the help text of an option's flag.
func optionHelp(o *collective.Option, owners []optionOwner) string {
	text := o.Help
	if o.Type == collective.Word {
		text += "; one of " + strings.Join(o.Values, ", ")
	}
	var notes []string
	for _, alias := range o.Aliases {
		notes = append(notes, "also --"+alias)
	}
	if o.Default != "false" {
		notes = append(notes, "default: "+o.Default)
	}
	if defaultsDiffer(o, owners) {
		notes = append(notes, "some algorithms have another default, see list ALGORITHM")
	}
	if len(notes) > 0 {
		text += " (" + strings.Join(notes, "; ") + ")"
	}
	return text + ". Algorithms: " + strings.Join(havers(o, owners), "; ")
}

// defaultsDiffer reports whether some algorithm has the option with another default.
func defaultsDiffer(o *collective.Option, owners []optionOwner) bool {
	return slices.ContainsFunc(owners, func(a optionOwner) bool {
		own, ok := a.option(o.Name)
		return ok && own.Default != o.Default
	})
}

// havers are the algorithms that have an option, by collective; collectives
// with the same algorithms stand together.
func havers(o *collective.Option, owners []optionOwner) []string {
	names := map[string][]string{} // of the algorithms, by collective
	for _, a := range owners {
		if _, ok := a.option(o.Name); ok {
			names[a.collective] = append(names[a.collective], a.name)
		}
	}
	var collectives, algorithms []string // beside one another
	for _, k := range plan.Kinds() {
		if len(names[k.Name]) == 0 {
			continue
		}
		list := strings.Join(names[k.Name], ", ")
		if last := len(algorithms) - 1; last >= 0 && algorithms[last] == list {
			collectives[last] += ", " + k.Name
			continue
		}
		collectives, algorithms = append(collectives, k.Name), append(algorithms, list)
	}
	for i := range collectives {
		collectives[i] += " " + algorithms[i]
	}
	return collectives
}

// isOption reports whether any algorithm has an option of that name.
func isOption(name string) bool {
	return slices.ContainsFunc(collective.Options(), func(o collective.Option) bool { return o.Name == name })
}

// apply sets the options that flags and --set name in a job; its topology is known.
func (f *optionFlags) apply(cmd *cobra.Command, j *collective.Job, kind, algorithm string) error {
	given := map[string]string{} // by option: how it was given
	for _, o := range collective.Options() {
		flag := cmd.Flags().Lookup(o.Name)
		if flag == nil || !flag.Changed { // some verbs have no options
			continue
		}
		if err := o.Set(j, flag.Value.String()); err != nil {
			return input.Locate(err, "--"+o.Name, 0)
		}
		given[o.Name] = "--" + o.Name + " " + flag.Value.String()
	}
	for _, setting := range f.settings {
		key, value, ok := strings.Cut(setting, "=")
		if !ok || key == "" || value == "" {
			return input.At("--set", 0, "expected key=value, an option of the algorithm and its value", "%q", input.Clip(setting))
		}
		o, err := collective.OptionOf(kind, algorithm, key)
		if err != nil && cmd.Flags().Lookup(key) != nil && !isOption(key) {
			return input.At("--set", 0, "did you mean --"+key+" "+input.Clip(value)+"?", "%q is a flag, no option of an algorithm", input.Clip(key))
		}
		if err != nil {
			return input.Locate(err, "--set", 0)
		}
		before := o.Value(j)
		if err := o.Set(j, value); err != nil {
			return input.Locate(err, "--set "+o.Name, 0)
		}
		if other, twice := given[o.Name]; twice && o.Value(j) != before {
			return input.At("--set", 0, "expected one of the two", "%s, and %s", input.Clip(setting), input.Clip(other))
		}
		given[o.Name] = setting
	}
	return nil
}

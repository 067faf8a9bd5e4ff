// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// verbs are the root command and all commands below it that the help shows.
func verbs() []*cobra.Command {
	var list []*cobra.Command
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		list = append(list, cmd)
		for _, child := range cmd.Commands() {
			if child.IsAvailableCommand() || child.Name() == "help" {
				walk(child)
			}
		}
	}
	walk(newRoot())
	return list
}

// cobraFlags are the flags that cobra declares.
var cobraFlags = []string{"help", "version"}

func TestEveryFlagHasAGroup(t *testing.T) {
	flags := 0
	for _, cmd := range verbs() {
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		for _, set := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
			set.VisitAll(func(flag *pflag.Flag) {
				flags++
				if slices.Contains(cobraFlags, flag.Name) {
					return
				}
				require.Len(t, flag.Annotations[groupKey], 1, "--%s of %s has no group", flag.Name, cmd.CommandPath())
				require.Contains(t, flagGroups(), groupOf(flag), "--%s of %s", flag.Name, cmd.CommandPath())
			})
		}
	}
	require.Greater(t, flags, 100)
}

// Every flag of a verb stands in its help, once, whatever its group.
func TestHelpShowsEveryFlagOnce(t *testing.T) {
	for _, cmd := range verbs() {
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		lines := strings.Split(cmd.UsageString(), "\n")
		for _, set := range []*pflag.FlagSet{cmd.LocalFlags(), cmd.InheritedFlags()} {
			set.VisitAll(func(flag *pflag.Flag) {
				shown := slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
					return !strings.HasPrefix(line, "      --"+flag.Name+" ") && !strings.HasPrefix(line, "  -"+flag.Shorthand+", --"+flag.Name+" ")
				})
				require.Len(t, shown, 1, "--%s of %s", flag.Name, cmd.CommandPath())
			})
		}
	}
}

// The goldens are rewritten with -update. A change of what verbs share shows in all of them: the first one stands for them.
func TestHelpIsAsExpected(t *testing.T) {
	var changed []string
	for _, cmd := range verbs() {
		words := strings.Fields(cmd.CommandPath())
		t.Run(strings.Join(words, " "), func(t *testing.T) {
			var out, errors bytes.Buffer
			require.Zero(t, execute(t.Context(), append(words[1:], "--help"), &out, &errors), errors.String())
			path := filepath.Join("testdata", "help", strings.Join(words, "-")+".txt")
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, out.Bytes(), 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err, "go test ./cmd/meshwright -update writes it")
			if string(want) != out.String() {
				changed = append(changed, cmd.CommandPath())
			}
			if len(changed) == 1 {
				require.Equal(t, string(want), out.String())
			}
		})
	}
	require.Empty(t, changed, "go test ./cmd/meshwright -update writes the help of these verbs anew; the difference of the first one is above")
}

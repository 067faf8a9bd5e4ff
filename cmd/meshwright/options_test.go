// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
)

const optionsPath = "../../docs/options.md"

// optionsIntroduction stands before the tables of docs/options.md; %s are the verbs that take options.
const optionsIntroduction = `# Options of algorithms

An algorithm has options: choices that it leaves to the user. Without them it makes its own choice. Generated from the table of algorithms; do not edit
(` + "`go test ./cmd/meshwright -run TestOptionsReference -update`" + `).

Each option is a flag of %s. It can also be given as a setting with ` + "`--set`" + `, which may be repeated:

` + "```console" + `
$ meshwright run gossip --topology ring:27 --algorithm circgos --startup 100 --bridgeheads 3 --round-steps 2 --json >flags.json
$ meshwright run gossip --topology ring:27 --algorithm circgos --startup 100 --set bridgeheads=3 --set round-steps=2 --json >settings.json
$ cmp flags.json settings.json
` + "```" + `

An option that the algorithm does not have is an error, and so is a value that it does not take. The algorithm ` + "`auto`" + ` has the options of
all algorithms that it can choose, and chooses among the algorithms that have the options given. ` + "`meshwright list options`" + ` prints all options,
` + "`meshwright list torgos`" + ` prints the options of the algorithm ` + "`torgos`" + `; with ` + "`--json`" + ` the output is for scripts.
`

// optionsReference is docs/options.md.
func optionsReference() string {
	var text strings.Builder
	takers := optionTakers()
	last := len(takers) - 1
	fmt.Fprintf(&text, optionsIntroduction, "`"+strings.Join(takers[:last], "`, `")+"` and `"+takers[last]+"`")
	text.WriteString("\n| option | values | default | what it is | algorithms |\n|---|---|---|---|---|\n")
	for _, o := range collective.Options() {
		names := "`" + strings.Join(append([]string{o.Name}, o.Aliases...), "`, `") + "`"
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n", names, o.Form(), o.Default, o.Help, strings.Join(havers(&o, optionOwners()), "; "))
	}
	text.WriteString("\n## Where algorithms differ\n\n| algorithm | option | values | default | what it is | machines |\n|---|---|---|---|---|---|\n")
	for _, a := range collective.Table() {
		for _, o := range a.Options() {
			if a.Name == collective.Auto || sameOption(&o) {
				continue
			}
			machines := o.On
			if machines == "" {
				machines = "all"
			}
			fmt.Fprintf(&text, "| %s %s | `%s` | %s | %s | %s | %s |\n", a.Collective, a.Name, o.Name, o.Form(), o.Default, o.Help, machines)
		}
	}
	return text.String()
}

// optionTakers names the verbs that have --set, without the name of the program.
func optionTakers() (names []string) {
	for _, cmd := range verbs() {
		if cmd.Flags().Lookup("set") != nil {
			names = append(names, strings.TrimPrefix(cmd.CommandPath(), "meshwright "))
		}
	}
	return names
}

// sameOption reports whether an algorithm's option is as it is declared.
func sameOption(o *collective.Option) bool {
	declared := declaredOption(o.Name)
	return o.Form() == declared.Form() && o.Default == declared.Default && o.Help == declared.Help && o.On == declared.On
}

// The page of the options is generated from the table of algorithms.
func TestOptionsReference(t *testing.T) {
	fresh := optionsReference()
	if *update {
		require.NoError(t, os.WriteFile(optionsPath, []byte(fresh), 0o644))
	}
	text, err := os.ReadFile(optionsPath)
	require.NoError(t, err)
	require.Equal(t, fresh, string(text))
}

// Every option is a flag of the verbs that run algorithms, under the headline of
// algorithms, by each of its names.
func TestEveryOptionIsAFlag(t *testing.T) {
	for _, cmd := range verbs() {
		if !slices.Contains(optionTakers(), strings.TrimPrefix(cmd.CommandPath(), "meshwright ")) {
			continue
		}
		for _, o := range collective.Options() {
			for _, name := range append([]string{o.Name}, o.Aliases...) {
				flag := cmd.Flags().Lookup(name)
				require.NotNil(t, flag, "%s --%s", cmd.Name(), name)
				require.Equal(t, o.Name, flag.Name)
				require.Equal(t, groupAlgorithm, groupOf(flag))
			}
			require.NotEmpty(t, havers(&o, optionOwners()), "no algorithm has %s", o.Name)
		}
	}
}

// An option means the same by its flag, by its aliases and by --set.
func TestSettingsAreFlags(t *testing.T) {
	run := func(options ...string) string {
		var out, errors bytes.Buffer
		args := []string{"run", "gossip", "--topology", "ring:12", "--algorithm", "circgos", "--startup", "10", "--length", "2", "--json"}
		require.Zero(t, execute(t.Context(), append(args, options...), &out, &errors), errors.String())
		return out.String()
	}
	want := run("--bridgeheads", "3", "--round-steps", "2")
	require.NotEqual(t, run(), want)
	for _, options := range [][]string{
		{"--a", "3", "--b", "2"},
		{"--set", "bridgeheads=3", "--set", "round-steps=2"},
		{"--set", "a=3", "--b", "2"},
		{"--set", "a=3", "--set", "bridgeheads=3", "--round-steps", "2"},
		{"--a", "3", "--set", "bridgeheads=03", "--set", "b=2"},
	} {
		require.Equal(t, want, run(options...), options)
	}
}

func TestBadOptions(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{"gossip -t ring:9 --set bridgehead=2", `--set: unknown option "bridgehead" of gossip auto (did you mean bridgeheads?)`},
		{"gossip -t ring:9 -a circgos --set colors=2", `--set: unknown option "colors" of gossip circgos (expected one of bridgeheads, round-steps, sync, start)`},
		{"gossip -t mesh:4x4 -a torgos --set colors=2", `--set: unknown option "colors" of gossip torgos (did you mean colours?)`},
		{"exchange -t path:4 -a direct --set steps2=1", `--set: unknown option "steps2" of exchange direct (expected none: it has no options)`},
		{"gossip -t ring:9 --set bridgeheads", `--set: "bridgeheads" (expected key=value, an option of the algorithm and its value)`},
		{"gossip -t ring:9 --set bridgeheads=", `--set: "bridgeheads=" (expected key=value, an option of the algorithm and its value)`},
		{"gossip -t ring:9 --set =3", `--set: "=3" (expected key=value, an option of the algorithm and its value)`},
		{"gossip -t ring:9 --set bridgeheads=0", `--set bridgeheads: 0 (expected at least 1)`},
		{"gossip -t ring:9 --set bridgeheads=x", `--set bridgeheads: "x" (expected a whole number)`},
		{"gossip -t ring:9 --set sync=yes", `--set sync: "yes" (expected true or false)`},
		{"scatter -t ring:9 --set tree=blanced", `--set tree: unknown tree "blanced" (did you mean balanced?)`},
		{"scatter -t ring:9 --set order=1,9", `--set order: "9" is not a node (expected nodes from 0 to 8)`},
		{"gossip -t ring:9 --set a=3 --a 2", `--set: a=3, and --bridgeheads 2 (expected one of the two)`},
		{"gossip -t ring:9 --set a=3 --set bridgeheads=2", `--set: bridgeheads=2, and a=3 (expected one of the two)`},
		{"gossip -t ring:9 --sync --set sync=false", `--set: sync=false, and --sync true (expected one of the two)`},
		{"gossip -t ring:9 --set steps=2", `steps 2 for gossip auto (expected none: no gossip has it)`},
		{"gossip -t ring:9 -a crcgos --set trees=2", `--set: unknown gossip algorithm "crcgos" (did you mean circgos?)`},
		{"gossip -t mesh:4x4 --start rows", `start rows for gossip auto (expected none: approach2 has it, on wormhole machines with nic.channels 1 and nic.duplex half)`},
		{"gossip -t mesh:4x4 -a torgos -m paragon --start ring", `start ring for gossip torgos (expected one of rows, columns)`},
		{"gather -t path:4 --order 1,2,3", `order 1,2,3 for gather auto (expected none: nearest-first has it, on store-forward and cut-through machines)`},
		{"scatter -t path:4 -a combining --order 1,2,3", `order 1,2,3 for scatter combining (expected none, or algorithm furthest-first)`},
		{"gather -t path:4 -m store-forward --trees 2", `trees 2 for gather auto (expected none: edge-disjoint has it, with switching bufferless or wormhole)`},
	} {
		var out, errors bytes.Buffer
		require.Equal(t, exitUsage, execute(t.Context(), append([]string{"run"}, strings.Fields(row.line)...), &out, &errors), row.line)
		require.Equal(t, "meshwright: "+row.want+"\n", errors.String(), row.line)
		require.Empty(t, out.String())
	}
}

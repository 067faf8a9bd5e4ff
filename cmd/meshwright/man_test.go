// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// Every verb has a page with all of its flags and examples, and no line of a text is taken for a macro.
func TestManualPages(t *testing.T) {
	known := map[string]bool{"TH": true, "SH": true, "TP": true, "PP": true, "B": true, "nf": true, "fi": true}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		text := manualPage(cmd)
		for line := range strings.Lines(text) {
			if macro, ok := strings.CutPrefix(line, "."); ok {
				require.True(t, known[strings.Fields(macro)[0]], line)
			}
		}
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			require.Equal(t, !flag.Hidden, strings.Contains(text, roff("--"+flag.Name)), "%s --%s", cmd.CommandPath(), flag.Name)
		})
		for line := range strings.Lines(cmd.Example) {
			require.Contains(t, text, roff(line))
		}
		for _, below := range shownBelow(cmd) {
			require.Contains(t, text, roff(pageName(below)+"(1)"))
			walk(below)
		}
	}
	walk(newRoot())
}

func TestRoff(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`a-b`, `a\-b`},
		{`C:\n`, `C:\en`},
		{`run … −1`, `run \[u2026] \[u2212]1`},
		{`.s is a program`, `\&.s is a program`},
		{`'known'`, `\&'known'`},
	} {
		m := &manual{}
		m.line(row.text)
		require.Equal(t, row.want+"\n", m.String())
	}
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// Every flag of every verb takes several values, or refuses the second one.
func TestFlagsWithOneValueAreGivenOnce(t *testing.T) {
	lists := map[string]bool{}
	for _, cmd := range verbs() {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			_, many := flag.Value.(pflag.SliceValue)
			_, once := flag.Value.(*onceValue)
			require.True(t, many || once || flag.Value.Type() == "bool", "--%s of %s", flag.Name, cmd.CommandPath())
			lists[flag.Name] = lists[flag.Name] || many
		})
	}
	for _, name := range []string{"faults", "trace", "set", "firmware", "memory-image", "expect", "merge"} {
		require.True(t, lists[name], "--%s", name)
	}
	require.False(t, lists["algorithm"])
}

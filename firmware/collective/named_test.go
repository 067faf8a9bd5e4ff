// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
)

func TestNamed(t *testing.T) {
	for _, row := range []struct {
		list  string
		names []string
		err   string
	}{
		{list: ""},
		{list: "greedy", names: []string{"greedy"}},
		{list: "auto", names: []string{"auto"}},
		{list: "rounds,greedy,rounds", names: []string{"rounds", "greedy"}},
		{list: "arc-disjoint,edst", names: []string{"edst"}},
		{list: "greedy,auto", err: `algorithms "greedy,auto" (expected auto alone, or names of other algorithms)`},
		{list: "greedy,,rounds", err: `algorithms "greedy,,rounds" (expected names between commas, such as greedy,rounds)`},
		{list: "greedy, rounds", err: `unknown gossip algorithm " rounds" (did you mean rounds?)`},
	} {
		names, err := collective.Named("allgather", row.list)
		if row.err != "" {
			require.EqualError(t, err, row.err, row.list)
			continue
		}
		require.NoError(t, err, row.list)
		require.Equal(t, row.names, names, row.list)
	}
	_, err := collective.Named("gosip", "greedy")
	require.Error(t, err)
}

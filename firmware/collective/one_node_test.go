// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// On a network of one node there is nothing to send: every algorithm takes no time, or refuses the job.
func TestOneNode(t *testing.T) {
	machines := [][]string{nil, {"startup", "5"}, {"nic.duplex", "half"}, {"ports", "single", "nic.channels", "1"}}
	ran := map[string]bool{}
	for _, a := range collective.Table() {
		for _, preset := range []string{"wormhole", "store-forward"} {
			for _, words := range []int{0, 1, 8} {
				for _, keys := range machines {
					j := collectivetest.Equal(t, "path:1", preset, 0, words)
					for i := 0; i < len(keys); i += 2 {
						require.NoError(t, j.Machine.Set(keys[i], keys[i+1]))
					}
					p, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
					if err != nil {
						var fault *input.Error
						require.ErrorAs(t, err, &fault, "%s %s %s", a.Collective, a.Name, keys)
						continue
					}
					r, err := collective.Execute(t.Context(), p)
					require.NoError(t, err)
					require.True(t, r.Delivered)
					require.Zero(t, r.Cycles, "%s %s %s", a.Collective, a.Name, keys)
					ran[a.Collective+" "+a.Name] = true
				}
			}
		}
	}
	for _, kind := range plan.Kinds() {
		require.True(t, ran[kind.Name+" "+collective.Auto], kind.Name)
	}
	for _, name := range []string{"gather certification", "scatter shared-edges", "gossip rerouted", "exchange greedy", "allreduce tree-search"} {
		require.True(t, ran[name], name)
	}
}

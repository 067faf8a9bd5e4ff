// SPDX-License-Identifier: Apache-2.0

package allgather_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// On one channel a circle is the bound, or near it: the ring for long blocks with half duplex, doubling for short ones.
func TestDisseminationByHand(t *testing.T) {
	for _, row := range []struct {
		spec   string
		words  int
		keys   []string
		cycles router.Cycle
	}{
		{"complete:32", 1, []string{"startup", "10"}, 5*10 + 31 + 1}, // five messages in a row, 31 words
		{"complete:32", 1, []string{"startup", "1000", "hop", "3"}, 5*(1000+3-1) + 31 + 1},
		{"path:2", 16, []string{"nic.duplex", "half", "ports", "single", "flit", "2"}, 2*16*2 + 2},      // a block out, then a block in, each over a hop
		{"ring:8", 16, []string{"nic.duplex", "half", "ports", "single", "flit", "2"}, 14 * (16*2 + 1)}, // 7 blocks out, 7 in, over a hop each: the even nodes send when the odd ones receive
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
		require.NoError(t, j.Machine.Set("nic.channels", "1"))
		for i := 0; i < len(row.keys); i += 2 {
			require.NoError(t, j.Machine.Set(row.keys[i], row.keys[i+1]))
		}
		r := collectivetest.Run(t, plan.Gossip, "dissemination", j)
		collectivetest.RequirePrediction(t, r, row.spec)
		require.Equal(t, row.cycles, r.Cycles, row.spec)
		require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
	}
	_, err := collective.Generate(t.Context(), "gossip", "dissemination", collectivetest.Equal(t, "path:513", "wormhole", 0, 1))
	require.EqualError(t, err, "gossip dissemination for 513 nodes (expected at most 512)")
}

// SPDX-License-Identifier: Apache-2.0

package published_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/published"
	"meshwright/firmware/plan"
)

// No plan takes less time than is known before it is made. Where no message waits for another, it takes as long.
func TestLeastIsNotAboveThePlan(t *testing.T) {
	met := 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0x6c65617374))
		j := collectivetest.RandomJob(t, random)
		j.Machine = collectivetest.RandomTransferMachine(t, random)
		name := []string{published.Swing, published.Bine, published.RecursiveDoubling, published.RecursiveHalving, published.Bucket}[random.IntN(5)]
		kinds := []string{plan.Gossip, plan.ReduceScatter, plan.Allreduce}
		if name == published.RecursiveDoubling {
			kinds = kinds[:1]
		} else if name == published.RecursiveHalving {
			kinds = kinds[1:]
		}
		kind, err := plan.KindOf(kinds[random.IntN(len(kinds))])
		require.NoError(t, err)
		if kind.Name != plan.Gossip || random.IntN(2) == 0 {
			words := max(0, random.IntN(64)-4)
			for n := range j.Lengths {
				j.Lengths[n] = words
			}
		}
		if name == published.Swing && !published.OnSquares(j.Topology) || name == published.Bucket && !published.OnRings(j.Topology) {
			continue
		}
		task, err := plan.NewTask(t.Context(), j, kind)
		require.NoError(t, err)
		p, err := published.Plan(name)(task)
		require.NoError(t, err)
		least := published.Least(name)(task)
		require.LessOrEqual(t, least, p.Predicted.Least, "%s %s %s", kind.Name, name, collectivetest.Describe(j))
		if least > p.LowerBound() && least == p.Predicted.Least {
			met++
		}
	}
	require.NotZero(t, met)
}

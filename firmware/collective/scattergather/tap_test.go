// SPDX-License-Identifier: Apache-2.0

package scattergather_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/router"
)

// TestShoulderTapKeepsTheRecurrence compares every message's first flit and
// arrival, from either end of paths of up to 1000 nodes, with the closed
// recurrence of Bhatt et al..
func TestShoulderTapKeepsTheRecurrence(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 5))
		n := 1 + random.IntN(1+random.IntN(200)) // nodes behind the root
		if seed%40 == 0 {
			n = 999 - int(seed)
		}
		away := collectivetest.RandomLengths(random, n+1) // by distance
		if random.IntN(3) == 0 {
			for i := range away {
				if random.IntN(8) > 0 {
					away[i] = 0
				}
			}
		}
		for _, upper := range []bool{false, true} {
			lengths, root := away, 0
			if upper {
				lengths, root = make([]int, n+1), n
				for i, length := range away {
					lengths[n-i] = length
				}
			}
			r := collectivetest.Run(t, "gather", "shoulder-tap", collectivetest.Job(t, fmt.Sprintf("path:%d", n+1), "bufferless", root, lengths...))
			first, arrival, time := tapRecurrence(away)
			require.Equal(t, time, r.Cycles, "seed %d", seed)
			require.Equal(t, max(time, router.Cycle(n+1)), r.Network.Quiet(), "seed %d: the last order reaches the end in cycle n", seed)
			for _, sent := range r.Log {
				if sent.Kind == router.Data {
					distance := max(int(sent.Source)-root, root-int(sent.Source))
					require.Equal(t, first[distance], sent.Dispatch+1, "seed %d distance %d", seed, distance)
					require.Equal(t, arrival[distance], sent.Arrival, "seed %d distance %d", seed, distance)
					require.Equal(t, uint32(sent.Source), sent.Tag)
				}
			}
		}
	}
}

// tapRecurrence returns, by distance, when each message's first flit is at the
// next node towards the root and when it is complete at the root, and the time
// of the whole.
func tapRecurrence(lengths []int) (firsts, arrival []router.Cycle, time router.Cycle) {
	n := len(lengths) - 1
	firsts, arrival = make([]router.Cycle, n+1), make([]router.Cycle, n+1)
	first, before := 0, 0
	for i := 1; i <= n; i++ {
		if lengths[i] == 0 {
			continue
		}
		earliest := i + 2
		if i == n {
			earliest = n + 1
		}
		if before > 0 {
			earliest = max(earliest, first+lengths[before]+before-i)
		}
		first, before = earliest, i
		firsts[i] = router.Cycle(first)
		arrival[i] = router.Cycle(first + i - 1 + lengths[i])
		time = max(time, arrival[i])
	}
	return firsts, arrival, time
}

func TestShoulderTapFromTheMiddle(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 6))
		n := 3 + random.IntN(40)
		j := collectivetest.Job(t, fmt.Sprintf("path:%d", n), "bufferless", 1+random.IntN(n-2), collectivetest.RandomLengths(random, n)...)
		if random.IntN(2) == 0 {
			require.NoError(t, j.Machine.Set("ports", "all"))
		}
		if random.IntN(2) == 0 {
			require.NoError(t, j.Machine.Set("nic.channels", "links"))
		}
		r := collectivetest.Run(t, "gather", "shoulder-tap", j)
		require.GreaterOrEqual(t, r.Cycles, r.Plan.LowerBound())
		require.Less(t, r.Cycles, r.Plan.LowerBound()+router.Cycle(2*n+2), "seed %d %s", seed, collectivetest.Describe(j))
	}
}

// TestShoulderTapTakesTheBestOrders tries, on both arms, all orders for the arm
// that is tapped second, and wants the fastest run without a collision.
func TestShoulderTapTakesTheBestOrders(t *testing.T) {
	const first, second = 4, 7 // records of the root's parameters: FIRST, VALUE, START
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 7))
		n := 3 + random.IntN(8)
		j := collectivetest.Job(t, fmt.Sprintf("path:%d", n), "bufferless", 1+random.IntN(n-2), collectivetest.RandomLengths(random, n)...)
		plan, err := collective.Generate(t.Context(), "gather", "shoulder-tap", j)
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), plan)
		require.NoError(t, err)
		best := r.Cycles
		list := plan.PEs[j.Root].Parameters
		for range 2 {
			list[first], list[second] = list[second], list[first]
			list[first+1], list[first+2], list[second+2] = 1, 0, 1
			for order := range uint32(r.Cycles) {
				list[second+1] = 1 + order
				other, err := collective.Execute(t.Context(), plan)
				require.NoError(t, err)
				if other.Delivered {
					best = min(best, other.Cycles)
				}
			}
		}
		require.Equal(t, best, r.Cycles, "seed %d %s", seed, collectivetest.Describe(j))
	}
}

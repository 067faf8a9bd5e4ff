// SPDX-License-Identifier: Apache-2.0

package packets_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/router"
	"meshwright/schedule/packet"
)

// TestSearchBeatsFurthestFirst: on Tsai's counterexample the search finds the
// order in which the nearer message is first, or better: it may also cut P
// around Q. For b = 3/2, 2, 5/2 furthest first takes 15, 18, 20 cycles.
func TestSearchBeatsFurthestFirst(t *testing.T) {
	for _, row := range []struct {
		setup string
		first router.Cycle
		least router.Cycle // P first, all of it
	}{
		{"3/2", 2 * 15, 2*7 + 5*3}, {"2", 18, 17}, {"5/2", 2 * 20, 2*7 + 5*5},
	} {
		j := fork(t, row.setup)
		for kind, fact := range map[string]string{"scatter": "furthest_first", "gather": "nearest_first"} {
			r := collectivetest.Run(t, kind, "search", j)
			require.Equal(t, row.first, collectivetest.Facts(r.Plan)[fact])
			require.EqualValues(t, 1, collectivetest.Facts(r.Plan)["optimal"])
			require.LessOrEqual(t, r.Cycles, row.least)
			best, err := packet.Optimum(t.Context(), treeOf(t, j.Topology, 0), j.Lengths, j.Machine.Setup)
			require.NoError(t, err)
			require.EqualValues(t, best.Ticks, r.Cycles)
			t.Logf("setup %s: %s in %d ticks, %v", row.setup, kind, r.Cycles, best.Bursts)
		}
	}
}

// TestFurthestFirstIsOptimalWithoutSetup: with beta 0 and packets of one flit
// nothing is faster than furthest first (Tsai, chapter 4), nor nearest first.
func TestFurthestFirstIsOptimalWithoutSetup(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 28))
		j := collectivetest.PacketJob(t, collectivetest.RandomTree(t, random, 2+random.IntN(5)), "0")
		j.Lengths = make([]int, j.Topology.Nodes())
		for v := range j.Lengths {
			j.Lengths[v] = random.IntN(5)
		}
		for kind, algorithm := range collectivetest.OnTrees {
			found := collectivetest.Run(t, kind, "search", j)
			require.EqualValues(t, 1, collectivetest.Facts(found.Plan)["optimal"])
			split := j
			split.Split = plan.BestSplit
			require.Equal(t, found.Cycles, collectivetest.Run(t, kind, algorithm, split).Cycles, "seed %d", seed)
		}
	}
}

// TestSearches: never slower than by distance, on any network, and as proved
// when it says so.
func TestSearches(t *testing.T) {
	proved := 0
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 29))
		j := collectivetest.RandomPacketJob(t, random)
		j.Packets = nil
		if seed%2 == 0 {
			other := collectivetest.RandomJob(t, random)
			j.Topology, j.Root, j.Lengths = other.Topology, other.Root, other.Lengths
			j.Machine.Flit = 1 + random.IntN(2)
		}
		for v := range j.Lengths {
			j.Lengths[v] %= 6
		}
		for kind, fact := range map[string]string{"scatter": "furthest_first", "gather": "nearest_first"} {
			r := collectivetest.Run(t, kind, "search", j)
			f := collectivetest.Facts(r.Plan)
			require.LessOrEqual(t, r.Cycles, f[fact], "seed %d %s", seed, kind)
			require.GreaterOrEqual(t, r.Cycles, r.Plan.UncombinedBound())
			proved += int(f["optimal"])
		}
	}
	require.Positive(t, proved)
}

// TestSearchRunsThePlan: with the job's seed and steps.
func TestSearchRunsThePlan(t *testing.T) {
	j := collectivetest.PacketJob(t, "path:12", "2")
	j.Root, j.Lengths = 5, make([]int, 12)
	for v := range j.Lengths {
		j.Lengths[v] = 40 + v
	}
	times := map[router.Cycle]bool{}
	for _, effort := range []packet.Effort{{Seed: 1, Steps: 100}, {Seed: 2, Steps: 100}, {Seed: 3, Steps: 30000}} {
		j.Seed, j.Steps = effort.Seed, effort.Steps
		found, err := packet.Find(t.Context(), treeOf(t, j.Topology, j.Root), j.Lengths, j.Machine.Setup, effort)
		require.NoError(t, err)
		r := collectivetest.Run(t, "scatter", "search", j)
		require.EqualValues(t, found.Ticks, r.Cycles)
		require.Equal(t, found.Optimal, collectivetest.Facts(r.Plan)["optimal"] == 1)
		times[r.Cycles] = true
	}
	t.Log(times)
}

func TestSearchErrors(t *testing.T) {
	j := collectivetest.PacketJob(t, "path:3", "1", 0, 2, 2)
	j.Split = plan.BestSplit
	_, err := collective.Generate(t.Context(), "scatter", "search", j)
	require.EqualError(t, err, "packets for search (expected none: it chooses them)")
}

// TestEqualMessagesOfContiguousNodes: with the one best number of packets for
// all, scatter and gather take Tsai's time of chapter 6, and 7.4; for several
// groups that of one number for each (theorem 18).
func TestEqualMessagesOfContiguousNodes(t *testing.T) {
	for seed := range uint64(120) {
		random := rand.New(rand.NewPCG(seed, 31))
		setup := collectivetest.Setups[random.IntN(len(collectivetest.Setups))]
		beta := parseBeta(t, setup)
		m := int64(1 + random.IntN(12))
		var groups []packet.Group
		last := int64(0)
		for range 1 + random.IntN(3) {
			from := last + 1 + int64(random.IntN(3))
			last = from + int64(random.IntN(3))
			groups = append(groups, packet.Group{From: from, To: last})
			last++
		}
		choice, err := packet.Groups(m, groups, beta)
		require.NoError(t, err)
		nodes := int(groups[len(groups)-1].To) + 1
		j := collectivetest.PacketJob(t, "path:"+strconv.Itoa(nodes), setup, make([]int, nodes)...)
		j.Packets = make([][]int, nodes)
		for g, group := range groups {
			split, err := packet.EvenSplit(m, choice.Packets[g])
			require.NoError(t, err)
			for n := group.From; n <= group.To; n++ {
				j.Lengths[n] = int(m)
				j.Packets[n] = split.Sizes()
			}
		}
		if len(groups) == 1 {
			one, err := packet.ScatterContiguous(m, groups[0].From, groups[0].To, beta)
			require.NoError(t, err)
			require.Zero(t, one.Time.Cmp(choice.Time))
		}
		want := choice.Time.Mul(choice.Time, rationalWhole(beta.Den()))
		for kind, algorithm := range collectivetest.OnTrees {
			require.Equal(t, want.RatString(), strconv.Itoa(int(collectivetest.Run(t, kind, algorithm, j).Cycles)), "seed %d %s: m=%d beta=%s %v", seed, kind, m, setup, groups)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package translations_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/translations"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

var jobs = flag.Int("jobs", 6, "random jobs")

// Random jobs arrive, in the time that was predicted, on machines of any kind, or are refused.
func TestRandomJobs(t *testing.T) {
	specs := []string{"ring:7", "ring:6", "ring:2", "torus:4x3", "torus:4x4", "twisted-torus:4x4,2", "torus:2x5", "twisted-torus:3x4,1", "hypercube:3", "star:3", "complete:5", "complete:6"}
	for seed := range uint64(*jobs) {
		random := rand.New(rand.NewPCG(seed, 0x7472616e73))
		j := collectivetest.Equal(t, specs[random.IntN(len(specs))], "wormhole", 0, 1+random.IntN(6))
		j.Machine, j.Effort = collectivetest.RandomTransferMachine(t, random), collectivetest.Effort()
		if j.Machine.Switching == machine.Wormhole {
			j.Machine.Buffer = 1 + random.IntN(5)
		}
		p, err := collective.Generate(t.Context(), plan.Allreduce, translations.Name, j)
		if err != nil {
			var refused *input.Error
			require.ErrorAs(t, err, &refused)
			continue
		}
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		require.True(t, r.Delivered)
		require.GreaterOrEqual(t, r.Cycles, translations.Least(task(t, j)))
		collectivetest.RequireLog(t, r)
		collectivetest.RequirePrediction(t, r, collectivetest.Describe(j))
	}
}

// A message over several links of one direction is on each of them with messages of the nodes before: without room for all of them they stall, and with
// a single virtual channel they could wait for one another for good.
func TestSmallBuffersHaveRoomForAllMessages(t *testing.T) {
	for _, row := range []struct {
		spec               string
		hop, buffer, words int
	}{{"torus:2x4", 8, 3, 3}, {"ring:4", 8, 3, 3}, {"ring:4", 8, 6, 3}, {"twisted-torus:2x4", 3, 3, 3}, {"torus:3x4", 7, 3, 3}, {"torus:4x4", 3, 2, 1}} {
		for _, vcs := range []int{1, 2} {
			j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
			j.Machine.Hop, j.Machine.Buffer, j.Machine.VCs, j.Effort = row.hop, row.buffer, vcs, collectivetest.Effort()
			r := collectivetest.Run(t, plan.Allreduce, translations.Name, j)
			require.True(t, r.Delivered)
			require.True(t, r.Plan.Predicted.Exact)
			collectivetest.RequirePrediction(t, r, collectivetest.Describe(j))
		}
	}
}

func task(t *testing.T, j plan.Job) *plan.Task {
	kind, err := plan.KindOf(plan.Allreduce)
	require.NoError(t, err)
	task, err := plan.NewTask(t.Context(), j, kind)
	require.NoError(t, err)
	return task
}

// Sets that overlap save messages: the schedules are faster than those of clusters.
func TestFasterThanClusters(t *testing.T) {
	for _, row := range []struct {
		spec   string
		keys   [][2]string
		cycles router.Cycle
	}{
		{"complete:7", [][2]string{{"ports", "single"}, {"nic.channels", "1"}, {"startup", "1"}, {"hop", "4"}, {"flit", "1"}}, 13},
		{"torus:4x3", [][2]string{{"ports", "single"}, {"nic.channels", "links"}, {"startup", "3"}, {"hop", "2"}, {"flit", "1"}, {"buffer", "8"}}, 15},
		{"star:3", [][2]string{{"nic.channels", "1"}, {"startup", "1000"}, {"flit", "1"}}, 3004},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, 1)
		for _, k := range row.keys {
			require.NoError(t, j.Machine.Set(k[0], k[1]))
		}
		found := collectivetest.Run(t, plan.Allreduce, translations.Name, j)
		require.True(t, found.Delivered)
		require.Equal(t, row.cycles, found.Cycles, row.spec)
		require.Less(t, found.Cycles, collectivetest.Run(t, plan.Allreduce, "multi-leader", j).Cycles, row.spec)
	}
}

// Where neighbours change places, sums of pairs double as they do on a hypercube: there would be no such sums if all nodes looked in the same direction.
func TestMirroredRings(t *testing.T) {
	for _, row := range []struct {
		spec   string
		words  int
		keys   [][2]string
		cycles router.Cycle
	}{
		{"hypercube:4", 1024, [][2]string{{"ports", "single"}, {"startup", "1000"}}, 6051},
		{"torus:4x4", 1024, [][2]string{{"ports", "single"}, {"startup", "1000"}}, 6051}, // the same graph
		{"ring:8", 64, [][2]string{{"nic.channels", "links"}, {"startup", "100"}}, 431},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
		for _, k := range row.keys {
			require.NoError(t, j.Machine.Set(k[0], k[1]))
		}
		r := collectivetest.Run(t, plan.Allreduce, translations.Name, j)
		require.True(t, r.Delivered)
		require.Equal(t, row.cycles, r.Cycles, row.spec)
		collectivetest.RequireLog(t, r)
	}
}

// Pieces of a vector share a single port: while the channels of one are in their startups, the words of others leave. Whole vectors, doubled four times, take 185 cycles.
func TestPiecesFillTheTimeOfStartups(t *testing.T) {
	j := collectivetest.Equal(t, "hypercube:4", "wormhole", 0, 16)
	for _, k := range [][2]string{{"ports", "single"}, {"startup", "30"}, {"buffer", "8"}} {
		require.NoError(t, j.Machine.Set(k[0], k[1]))
	}
	r := collectivetest.Run(t, plan.Allreduce, translations.Name, j)
	require.True(t, r.Delivered)
	require.LessOrEqual(t, r.Cycles, router.Cycle(155))
	require.Greater(t, r.Plan.Fact("pieces"), router.Cycle(1))
	collectivetest.RequireLog(t, r)
}

// The same job has the same schedule.
func TestDependsOnTheSeedAlone(t *testing.T) {
	j := collectivetest.Equal(t, "torus:3x3", "wormhole", 0, 1)
	j.KeepList = true
	first, err := collective.Generate(t.Context(), plan.Allreduce, translations.Name, j)
	require.NoError(t, err)
	again, err := collective.Generate(t.Context(), plan.Allreduce, translations.Name, j)
	require.NoError(t, err)
	require.Equal(t, first.List, again.List)
}

func TestRefuses(t *testing.T) {
	for _, row := range []struct {
		preset, spec string
		words        int
		text         string
	}{
		{"store-forward", "ring:3", 1, "allreduce translations does not run on a store-forward machine (expected switching bufferless or wormhole)"},
		{"wormhole", "path:3", 1, "allreduce translations does not run on path:3 (expected a topology of: rings, tori, hypercubes, star, complete)"},
		{"wormhole", "ring:65", 1, "allreduce translations for 65 nodes (expected at most 64)"},
	} {
		j := collectivetest.Equal(t, row.spec, row.preset, 0, row.words)
		_, err := collective.Generate(t.Context(), plan.Allreduce, translations.Name, j)
		require.EqualError(t, err, row.text)
	}
}

// What a refusal expects is enough.
func TestWhatARefusalExpectsRuns(t *testing.T) {
	for _, row := range []struct {
		preset, spec string
		words        int
		keys         [][2]string
		want         string
		shorter      int         // words that are expected; 0: none
		nearer       [][2]string // keys that are
	}{
		{"wormhole", "ring:5", 400, [][2]string{{"nic.duplex", "half"}}, "vectors of at most 1 word", 1, nil},
		{"wormhole", "ring:5", 8, [][2]string{{"nic.duplex", "half"}}, "vectors of at most 1 word or a machine with hop 8 and buffer 9", 1, [][2]string{{"hop", "8"}, {"buffer", "9"}}},
		{"wormhole", "torus:3x5", 8, [][2]string{{"claim", "1"}, {"buffer", "3"}, {"ports", "all"}, {"nic.channels", "1"}}, "vectors of at most 1 word or a machine with hop 8, claim 0 and buffer 9", 1, [][2]string{{"hop", "8"}, {"claim", "0"}, {"buffer", "9"}}},
		{"bufferless", "hypercube:3", 8, [][2]string{{"nic.duplex", "half"}, {"flit", "2"}, {"hop", "3"}}, "vectors of at most 1 word or a machine with nic.duplex full", 1, [][2]string{{"nic.duplex", "full"}}},
		{"bufferless", "ring:5", 40, [][2]string{{"flit", "2"}}, "another algorithm", 0, nil},
		{"wormhole", "ring:5", 2, [][2]string{{"buffer", "1"}}, "a machine with hop 2 and buffer 3", 0, [][2]string{{"hop", "2"}, {"buffer", "3"}}},
	} {
		job := func(words int, keys ...[2]string) collective.Job {
			j := collectivetest.Equal(t, row.spec, row.preset, 0, words)
			for _, k := range append(slices.Clone(row.keys), keys...) {
				require.NoError(t, j.Machine.Set(k[0], k[1]))
			}
			return j
		}
		_, err := collective.Generate(t.Context(), plan.Allreduce, translations.Name, job(row.words))
		require.EqualError(t, err, fmt.Sprintf("translations: all nodes of %s send at the same time, and messages of %d words would be in each other's way (expected %s)", row.spec, row.words, row.want), row.spec)
		if row.shorter > 0 {
			_, err = collective.Generate(t.Context(), plan.Allreduce, translations.Name, job(row.shorter))
			require.NoError(t, err, row.want)
		}
		if row.nearer != nil {
			_, err = collective.Generate(t.Context(), plan.Allreduce, translations.Name, job(row.words, row.nearer...))
			require.NoError(t, err, row.want)
		}
	}
}

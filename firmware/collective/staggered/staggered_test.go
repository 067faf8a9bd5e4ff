// SPDX-License-Identifier: Apache-2.0

package staggered_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/staggered"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

var jobs = flag.Int("jobs", 30, "random jobs")

var kinds = []string{plan.Gossip, plan.ReduceScatter, plan.Allreduce}

// Random jobs arrive, in the time that was predicted, on machines of any kind, or are refused.
func TestRandomJobs(t *testing.T) {
	specs := []string{"ring:7", "ring:2", "path:5", "mesh:3x2", "mesh:1x1", "mesh:2x3x2", "torus:4x3", "twisted-torus:3x4,1", "hypercube:3", "star:3", "complete:5", "binary:2", "hub:4", "comb:2x2", "random-tree:9,3", "random:8,3,5", "debruijn:3"}
	planned := 0
	for seed := range uint64(*jobs) {
		random := rand.New(rand.NewPCG(seed, 0x73746167))
		j := collectivetest.Equal(t, specs[random.IntN(len(specs))], "wormhole", 0, random.IntN(60))
		kind := kinds[random.IntN(len(kinds))]
		if kind == plan.Gossip && random.IntN(3) == 0 {
			for v := range j.Lengths {
				j.Lengths[v] = random.IntN(9)
			}
		}
		if random.IntN(3) == 0 {
			j.Parts = 1 + random.IntN(5)
		}
		j.Machine, j.Effort = collectivetest.RandomTransferMachine(t, random), collectivetest.Effort()
		p, err := collective.Generate(t.Context(), kind, staggered.Name, j)
		if err != nil {
			var refused *input.Error
			require.ErrorAs(t, err, &refused)
			continue
		}
		planned++
		if j.Parts > 0 {
			require.EqualValues(t, j.Parts, collectivetest.Fact(t, p, "parts"))
		}
		collectivetest.RequireDelivery(t, p, fmt.Sprintf("seed %d: %s", seed, collectivetest.Describe(j)))
	}
	require.Greater(t, planned, *jobs/2)
}

// On meshes and irregular networks parts that overlap make long vectors faster than the same in one part, and than the other algorithms that need no search.
func TestPartsOverlap(t *testing.T) {
	for _, row := range []struct {
		spec   string
		length int
		other  string
		part   float64 // of the other's time, at most
	}{
		{"mesh:5x5", 2500, "scatter-gossip", 0.8}, {"mesh:6x4", 2400, "edge-disjoint", 0.75}, {"debruijn:4", 3200, "edge-disjoint", 0.8}, {"twisted-torus:5x4,2", 2000, "pipelined", 0.5},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.length)
		require.NoError(t, j.Machine.Set("startup", "1"))
		time := func(algorithm string, parts int) router.Cycle {
			j.Parts = parts
			p, err := collective.Generate(t.Context(), plan.Allreduce, algorithm, j)
			require.NoError(t, err)
			return p.Predicted.Least
		}
		found := time(staggered.Name, 0)
		require.Less(t, float64(found), 0.92*float64(time(staggered.Name, 1)), row.spec)
		require.Less(t, float64(found), row.part*float64(time(row.other, 0)), row.spec)
		require.GreaterOrEqual(t, time(staggered.Name, 3), found, row.spec)
	}
}

// Without startup, links of a mesh and of an irregular graph carry words nearly all the time.
func TestNearTheBound(t *testing.T) {
	for _, row := range []struct {
		kind, spec string
		length     int
		ratio      float64
	}{
		{plan.Allreduce, "mesh:4x4", 4096, 1.06}, {plan.Allreduce, "random:16,4,3", 4096, 1.05}, {plan.Gossip, "debruijn:4", 128, 1.05}, {plan.Gossip, "mesh:6x5", 60, 1.1}, {plan.ReduceScatter, "torus:5x4", 4000, 1.1}, {plan.ReduceScatter, "binary:3", 3000, 1.1},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.length)
		p, err := collective.Generate(t.Context(), row.kind, staggered.Name, j)
		require.NoError(t, err)
		require.Less(t, float64(p.Predicted.Least), row.ratio*float64(p.LowerBound()), row.spec)
	}
}

// Over long links units that go alone arrive nearly as early as their distance allows: no message waits until its last unit has come.
func TestLongLinks(t *testing.T) {
	for _, row := range []struct {
		kind, spec string
		length     int
		ratio      float64
	}{
		{plan.Gossip, "torus:6x6", 1, 1.01}, {plan.ReduceScatter, "torus:6x6", 36, 1.01}, {plan.Gossip, "mesh:6x5", 1, 1.01}, {plan.Gossip, "random:40,4,2", 2, 1.04},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.length)
		j.Machine.Hop, j.Machine.Buffer = 30, 32
		r := collectivetest.Run(t, row.kind, staggered.Name, j)
		require.LessOrEqual(t, float64(r.Cycles), row.ratio*float64(r.Plan.LowerBound()), row.spec)
	}
}

// A search whose limit is over has a plan all the same.
func TestLimit(t *testing.T) {
	for _, kind := range kinds {
		j := collectivetest.Equal(t, "mesh:5x4", "wormhole", 0, 40)
		j.Limit = time.Nanosecond
		p, err := collective.Generate(t.Context(), kind, staggered.Name, j)
		require.NoError(t, err)
		require.True(t, p.Stopped, kind)
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		require.True(t, r.Delivered, kind)
	}
}

func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		kind, spec, preset string
		parts              int
		want               string
	}{
		{plan.Allreduce, "mesh:41x25", "wormhole", 0, "allreduce staggered for 1025 nodes (expected at most 1024)"},
		{plan.Gossip, "mesh:3x3", "wormhole", 8, "8 parts of 7 flits on mesh:3x3 (expected 1 to 7)"},
		{plan.ReduceScatter, "mesh:3x3", "wormhole", 2, "2 parts of 1 flit on mesh:3x3 (expected 1 to 1)"},
	} {
		j := collectivetest.Equal(t, row.spec, row.preset, 0, 7)
		j.Parts = row.parts
		_, err := collective.Generate(t.Context(), row.kind, staggered.Name, j)
		require.ErrorContains(t, err, row.want, row.spec)
	}
	j := collectivetest.Equal(t, "path:100", "wormhole", 0, 1000)
	j.Parts = 1000
	_, err := collective.Generate(t.Context(), plan.Allreduce, staggered.Name, j)
	require.ErrorContains(t, err, "in 1000 parts: too many messages (expected at most 524288)")
}

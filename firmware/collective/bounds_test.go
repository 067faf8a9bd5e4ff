// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/internal/soak"
	"meshwright/router"
)

// boundJob draws a job for the bounds: startups up to 1000, blocks alike or not,
// and now and then packets.
func boundJob(t *testing.T, random *rand.Rand) collective.Job {
	j := collectivetest.RandomJob(t, random)
	j.Machine.Startup = []int{0, 1, 5, 20, 100, 1000}[random.IntN(6)]
	if random.IntN(4) > 0 {
		j.Lengths = slices.Repeat([]int{1 + random.IntN(random.IntN(40)+1)}, len(j.Lengths))
	}
	if random.IntN(4) > 0 {
		return j
	}
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	m.Switching = []machine.Switching{machine.StoreForward, machine.CutThrough}[random.IntN(2)]
	m.Startup, m.Flit = j.Machine.Startup, j.Machine.Flit
	m.Setup, err = rational.New(random.Int64N(40), 1+random.Int64N(3))
	require.NoError(t, err)
	if j.Machine = m; random.IntN(2) == 0 {
		j.Split = plan.BestSplit
	}
	return j
}

// uncombined are the algorithms whose messages go each by itself.
func uncombined(p *collective.Plan) bool {
	switch p.Collective {
	case "scatter":
		return p.Algorithm != "combining"
	case "gather":
		return true
	case "exchange":
		return p.Algorithm == "direct" || p.Algorithm == "timetable"
	}
	return false
}

// TestOneBoundAJob: whatever the algorithm, a job has one lower bound, and none
// is faster; those whose messages go by themselves keep the bound of these, too.
func TestOneBoundAJob(t *testing.T) {
	runs, met := map[string]int{}, map[string]int{}
	jobs := max(soak.Number[uint64](6, 30), *seeds/5)
	for seed := *firstSeed; seed < *firstSeed+jobs; seed++ {
		random := rand.New(rand.NewPCG(seed, 91))
		drawn := boundJob(t, random)
		nodes := drawn.Topology.Nodes()
		if nodes > soak.Number(9, 16) {
			continue
		}
		for _, kind := range plan.Kinds() {
			best, least, names := router.Cycle(0), router.Cycle(-1), 0
			for _, a := range collective.Table() {
				searches := a.Name == "timetable" || a.Collective == "exchange" && a.Name == "auto"
				if a.Collective != kind.Name || searches && nodes > 5 {
					continue // a search takes its time
				}
				job := fitted(t, a, drawn)
				r := boundRun(t, a, job)
				if r == nil {
					continue
				}
				p := r.Plan
				if least < 0 {
					alone, err := collective.Bound(t.Context(), kind.Name, job)
					require.NoError(t, err)
					require.Equal(t, p.Bound().Proof, alone.Proof, kind.Name)
					least = alone.Cycles
				}
				require.Equal(t, least, p.LowerBound(), "seed %d %s %s %s", seed, kind.Name, a.Name, collectivetest.Describe(drawn))
				require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), "seed %d %s %s %s", seed, kind.Name, a.Name, collectivetest.Describe(drawn))
				if uncombined(p) {
					require.GreaterOrEqual(t, r.Cycles, p.UncombinedBound(), "seed %d %s %s %s", seed, kind.Name, a.Name, collectivetest.Describe(drawn))
				}
				if names == 0 || r.Cycles < best {
					best = r.Cycles
				}
				names++
			}
			if names > 0 {
				runs[kind.Name]++
				if best == least {
					met[kind.Name]++
				}
			}
		}
	}
	t.Logf("jobs %v, of them met %v", runs, met)
	for _, kind := range plan.Kinds() {
		require.Greater(t, runs[kind.Name], int(jobs)/4, kind.Name)
		require.Positive(t, met[kind.Name], "%s: the bound is never met", kind.Name)
	}
}

// boundRun runs an algorithm; nil: it does not take the job.
func boundRun(t *testing.T, a collective.Algorithm, j collective.Job) *collective.Result {
	plan, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
	if err == nil {
		r, err := collective.Execute(t.Context(), plan)
		if err != nil && j.Machine.HeaderFlits() > 0 && strings.Contains(err.Error(), "too small for the header") {
			return nil // its messages have higher numbers than those of the others
		}
		require.NoError(t, err)
		require.NoError(t, r.Failure, "%s %s %s", a.Collective, a.Name, collectivetest.Describe(j))
		return r
	}
	var bad *input.Error
	require.True(t, errors.As(err, &bad), "%v", err)
	return nil
}

// quickPlans plans a job by each algorithm that takes it, but for auto, without searches.
func quickPlans(t *testing.T, j collective.Job) iter.Seq[*plan.Plan] {
	j.Limit = time.Nanosecond
	return func(yield func(*plan.Plan) bool) {
		for _, a := range collective.Table() {
			if a.Name == "auto" {
				continue
			}
			p, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
			if err != nil {
				var refused *input.Error
				require.ErrorAs(t, err, &refused)
				continue
			}
			if !yield(p) {
				return
			}
		}
	}
}

// A flit takes a half-duplex PE for its whole time, whichever links the flits before and after it use: no run with flits of several cycles is below its bound.
func TestSlowFlitsOfHalfDuplexPEsKeepTheirBounds(t *testing.T) {
	specs := []string{"torus:2x2", "hypercube:3", "complete:5", "ring:5", "mesh:3x2", "debruijn:3", "hub:5", "path:4"}
	runs := 0
	for seed := range soak.Number[uint64](8, 400) {
		random := rand.New(rand.NewPCG(seed, 0x736c6f77))
		j := collectivetest.Equal(t, specs[random.IntN(len(specs))], "wormhole", 0, 1+random.IntN(4))
		j.Machine.Duplex, j.Machine.Channels, j.Machine.Flit = machine.Half, 1, 2+random.IntN(3)
		j.Machine.Startup, j.Machine.Hop, j.Machine.Buffer = random.IntN(4), 1+random.IntN(3), 1+random.IntN(4)
		for p := range quickPlans(t, j) {
			r, err := collective.Execute(t.Context(), p)
			if err != nil || !r.Delivered {
				continue // worms that wait for one another in a circle, or collide
			}
			runs++
			name := fmt.Sprintf("seed %d: %s %s %s", seed, p.Collective, p.Algorithm, collectivetest.Describe(j))
			require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), name)
			if p.Predicted.Exact {
				require.Equal(t, p.Predicted.Least, r.Cycles, name)
			} else {
				require.LessOrEqual(t, p.Predicted.Least, r.Cycles, name)
			}
		}
	}
	require.Greater(t, runs, 100)
}

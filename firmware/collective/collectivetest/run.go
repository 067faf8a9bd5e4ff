// SPDX-License-Identifier: Apache-2.0

package collectivetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Run plans, executes and wants delivery.
func Run(t testing.TB, kind, algorithm string, j collective.Job) *collective.Result {
	t.Helper()
	plan, err := collective.Generate(t.Context(), kind, algorithm, j)
	require.NoError(t, err)
	r, err := collective.Execute(t.Context(), plan)
	require.NoError(t, err)
	require.NoError(t, r.Failure, Describe(j))
	require.Zero(t, r.CollisionCount)
	return r
}

// OnTrees are the algorithms that know all lengths and meet their bounds on trees.
var OnTrees = map[string]string{"scatter": "furthest-first", "gather": "nearest-first"}

// RequirePrediction checks that a time that was predicted came true.
func RequirePrediction(t *testing.T, r *collective.Result, name string) {
	if p := r.Plan.Predicted; p.Exact {
		require.Equal(t, p.Least, r.Cycles, name)
	} else {
		require.LessOrEqual(t, p.Least, r.Cycles, name)
	}
}

// RequireDelivery executes a plan. All words arrive, in the time that was predicted and not below the bound, and nothing else is sent.
func RequireDelivery(t *testing.T, p *plan.Plan, name string) {
	t.Helper()
	r, err := collective.Execute(t.Context(), p)
	require.NoError(t, err, name)
	require.True(t, r.Delivered, name)
	require.GreaterOrEqual(t, r.Cycles, p.LowerBound(), name)
	RequireLog(t, r)
	RequirePrediction(t, r, name)
}

// RequireLog checks that the plan sent what it says, and no more.
func RequireLog(t *testing.T, r *collective.Result) {
	messages, flits, last, quiet := 0, 0, router.Cycle(0), router.Cycle(0)
	for _, sent := range r.Log {
		quiet = max(quiet, sent.Arrival)
		if sent.Kind == router.Data {
			messages, flits, last = messages+1, flits+sent.Length, max(last, sent.Arrival)
		}
	}
	require.Equal(t, r.Plan.Messages, messages)
	require.Equal(t, r.Plan.Flits, flits)
	require.Equal(t, last, r.Cycles)
	require.Equal(t, quiet, r.Network.Quiet())
}

func Facts(p *collective.Plan) map[string]router.Cycle {
	known := map[string]router.Cycle{}
	for _, f := range p.Facts {
		known[f.Key] = f.Value
	}
	return known
}

// Fact returns the value of a plan's fact.
func Fact(t testing.TB, p *plan.Plan, key string) router.Cycle {
	t.Helper()
	for _, f := range p.Facts {
		if f.Key == key {
			return f.Value
		}
	}
	require.Failf(t, "no fact", "%s of %s", key, p.Algorithm)
	return 0
}

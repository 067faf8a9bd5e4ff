// SPDX-License-Identifier: Apache-2.0

package sat_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/sat"
)

// possible tries all values.
func possible(variables int, clauses [][]int) bool {
next:
	for values := range 1 << variables {
		for _, c := range clauses {
			holds := false
			for _, x := range c {
				holds = holds || (x > 0) == (values>>(max(x, -x)-1)&1 == 1)
			}
			if !holds {
				continue next
			}
		}
		return true
	}
	return false
}

// Random clauses about the density at which half of them can be true, with assumptions, several searches in a row.
func TestSearchAgreesWithAllValues(t *testing.T) {
	counts := map[sat.Verdict]int{}
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		variables := 4 + rng.IntN(9)
		draw := func() int { return (1 + rng.IntN(variables)) * (1 - 2*rng.IntN(2)) }
		var clauses [][]int
		s := sat.New(variables)
		for range int(float64(variables) * (2 + 3*rng.Float64())) {
			c := []int{draw(), draw(), draw()}[:1+min(2, rng.IntN(12))]
			clauses = append(clauses, c)
			s.Add(c...)
		}
		for range 4 {
			assumed := []int{draw(), draw()}[:rng.IntN(3)]
			all := clauses
			for _, x := range assumed {
				all = append(all[:len(all):len(all)], []int{x})
			}
			want := sat.Unsatisfiable
			if possible(variables, all) {
				want = sat.Satisfiable
			}
			require.Equal(t, want, s.Solve(1_000_000, assumed...), "seed %d", seed)
			for _, c := range all {
				holds := want == sat.Unsatisfiable || slices.ContainsFunc(c, s.Value)
				require.True(t, holds, "seed %d: %v", seed, c)
			}
			s.Suggest(draw())
			counts[want]++
		}
	}
	require.Greater(t, counts[sat.Satisfiable], 300)
	require.Greater(t, counts[sat.Unsatisfiable], 300)
}

// More pigeons than holes need thousands of conflicts: the bound ends the search, and a higher one finds the answer.
func TestBoundsAndForgetting(t *testing.T) {
	const holes = 8
	s := sat.New((holes + 1) * holes)
	in := func(pigeon, hole int) int { return 1 + pigeon*holes + hole }
	for pigeon := range holes + 1 {
		var somewhere []int
		for hole := range holes {
			somewhere = append(somewhere, in(pigeon, hole))
			for other := range pigeon {
				s.Add(-in(pigeon, hole), -in(other, hole))
			}
		}
		s.Add(somewhere...)
	}
	require.Equal(t, sat.Unknown, s.Solve(50))
	require.Equal(t, sat.Unsatisfiable, s.Solve(1_000_000))
}

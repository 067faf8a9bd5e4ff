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

// Searches behind a mark, one after the other: each defines variables of its own and assumes one of them. It answers as all values do,
// and nothing of it is left for the next one.
func TestSearchesBehindAMark(t *testing.T) {
	counts := map[sat.Verdict]int{}
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		variables := 3 + rng.IntN(5)
		draw := func(most int) int { return (1 + rng.IntN(most)) * (1 - 2*rng.IntN(2)) }
		var common [][]int
		s := sat.New(variables)
		for range 2 * variables {
			common = append(common, []int{draw(variables), draw(variables), draw(variables)})
			s.Add(common[len(common)-1]...)
		}
		s.Mark()
		for range 8 {
			clauses, most := common[:len(common):len(common)], variables
			for range 1 + rng.IntN(5) { // y is a and b
				a, b, y := draw(most), draw(most), most+1
				clauses, most = append(clauses, []int{-a, -b, y}, []int{a, -y}, []int{b, -y}), y
			}
			active := most + 1
			clauses = append(clauses, []int{-active, draw(most), draw(most)}, []int{-active, draw(most)})
			s.Grow(active)
			for _, c := range clauses[len(common):] {
				s.Add(c...)
			}
			want := sat.Unsatisfiable
			if possible(active, append(clauses, []int{active})) {
				want = sat.Satisfiable
			}
			require.Equal(t, want, s.Solve(1_000_000, active), "seed %d", seed)
			for _, c := range clauses {
				require.True(t, want == sat.Unsatisfiable || slices.ContainsFunc(c, s.Value), "seed %d: %v", seed, c)
			}
			counts[want]++
			s.Rewind()
		}
	}
	require.Greater(t, counts[sat.Satisfiable], 100)
	require.Greater(t, counts[sat.Unsatisfiable], 100)
}

// What a search behind a mark has learnt of the variables before it serves the next ones: after the first search, which proves that
// pigeons have too few holes, no other one needs a conflict more than a few.
func TestMarksKeepWhatWasLearnt(t *testing.T) {
	const holes = 6
	in := func(pigeon, hole int) int { return 1 + pigeon*holes + hole }
	free := (holes+1)*holes + 1 // a hole for everybody
	s := sat.New(free)
	for pigeon := range holes + 1 {
		somewhere := []int{free}
		for hole := range holes {
			somewhere = append(somewhere, in(pigeon, hole))
			for other := range pigeon {
				s.Add(-in(pigeon, hole), -in(other, hole))
			}
		}
		s.Add(somewhere...)
	}
	s.Mark()
	for conflicts := 100_000; conflicts > 0; conflicts /= 400 {
		s.Grow(free + 1)
		s.Add(-(free + 1), -free)
		require.Equal(t, sat.Unsatisfiable, s.Solve(conflicts, free+1))
		s.Rewind()
	}
}

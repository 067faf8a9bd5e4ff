// SPDX-License-Identifier: Apache-2.0

package certification_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
)

// labelledTree draws a tree of n nodes, all labelled ones equally likely, from
// its code (Prüfer): its depth is about sqrt(2 pi n).
func labelledTree(random *rand.Rand, n int) []int {
	code, degree := make([]int, n-2), make([]int, n)
	for i := range degree {
		degree[i] = 1
	}
	for i := range code {
		code[i] = random.IntN(n)
		degree[code[i]]++
	}
	parent := make([]int, n)
	parent[n-1] = -1
	next := 0 // no leaf below it is left but the one in hand
	for degree[next] != 1 {
		next++
	}
	leaf := next
	for _, v := range code {
		parent[leaf] = v
		if degree[v]--; degree[v] == 1 && v < next {
			leaf = v
			continue
		}
		for next++; degree[next] != 1; next++ {
		}
		leaf = next
	}
	parent[leaf] = n - 1
	return parent
}

// recursiveTree draws a tree of n nodes, each below a random earlier one: its
// depth is about e ln n.
func recursiveTree(random *rand.Rand, n int) []int {
	parent := make([]int, n)
	parent[0] = -1
	for i := 1; i < n; i++ {
		parent[i] = random.IntN(i)
	}
	return parent
}

// BenchmarkCertification gathers 1 to 8 words from every node of a tree of
// 100 000: generates the plan, runs it in the model, compares every word.
func BenchmarkCertification(b *testing.B) {
	for _, tree := range []struct {
		name string
		draw func(*rand.Rand, int) []int
	}{{"recursive", recursiveTree}, {"labelled", labelledTree}} {
		for _, algorithm := range certifications {
			b.Run(tree.name+"/"+algorithm, func(b *testing.B) {
				random := rand.New(rand.NewPCG(1, 19))
				const nodes = 100_000
				lengths := make([]int, nodes)
				for n := range lengths {
					lengths[n] = 1 + random.IntN(8)
				}
				j := certJob(b, algorithm, tree.draw(random, nodes), lengths)
				b.ReportAllocs()
				for b.Loop() {
					plan, err := collective.Generate(b.Context(), "gather", algorithm, j)
					require.NoError(b, err)
					r, err := collective.Execute(b.Context(), plan)
					require.NoError(b, err)
					require.NoError(b, r.Failure)
					b.ReportMetric(float64(r.Cycles), "cycles")
				}
			})
		}
	}
}

func TestLabelledTree(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 20))
	seen := map[[4]int]int{}
	for range 16000 {
		parent := labelledTree(random, 4)
		require.Equal(t, -1, parent[3])
		seen[[4]int(parent)]++
	}
	require.Len(t, seen, 16) // 4^(4-2), by Cayley
	for _, times := range seen {
		require.InDelta(t, 1000, times, 200)
	}
}

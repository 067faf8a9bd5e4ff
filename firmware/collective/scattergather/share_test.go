// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// leastSpan tries every way to divide the words of the nodes from n on.
func leastSpan(s *sharing, n int) router.Cycle {
	if n == len(s.ways) {
		return s.span()
	}
	node, least := router.NodeID(n), router.Cycle(1<<40)
	var divide func(i, left int)
	divide = func(i, left int) {
		if i == len(s.ways[n]) {
			if left == 0 {
				least = min(least, leastSpan(s, n+1))
			}
			return
		}
		for words := 0; words <= left; words++ {
			s.put(node, i, words)
			divide(i+1, left-words)
		}
		s.put(node, i, 0)
	}
	divide(0, s.task.Lengths[n])
	return least
}

func shareTask(t testing.TB, spec string, length func(n int) int) *plan.Task {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	m.Ports, m.Channels = machine.AllPort, machine.Links
	j := plan.Job{Topology: topo, Machine: m}
	for n := range topo.Nodes() {
		j.Lengths = append(j.Lengths, length(n))
	}
	task, err := plan.NewTask(t.Context(), j, plan.Kind{Name: plan.Scatter, Rooted: true, Holders: plan.AllButRoot})
	require.NoError(t, err)
	return task
}

// Without startup, no way to divide the words among the trees of a cover is faster.
func TestSharingIsOptimal(t *testing.T) {
	split := 0
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 31))
		nodes := 3 + random.IntN(4)
		edges := min(nodes-1+random.IntN(nodes), nodes*(nodes-1)/2)
		task := shareTask(t, fmt.Sprintf("random:%d,%.6f,%d", nodes, 2*float64(edges)/float64(nodes), seed), func(int) int { return random.IntN(5) })
		c, err := cover.Named(t.Context(), "partial-trees", task.Topology, 0, 0)
		require.NoError(t, err)
		s := newSharing(task, c, plan.Scatter)
		s.share(0)
		for n, parts := range s.parts {
			sum := 0
			for _, words := range parts {
				sum += words
			}
			require.Equal(t, task.Lengths[n], sum)
		}
		pieces, _ := s.dispatch(c)
		split += int(splitBlocks(task, pieces))
		require.Equal(t, leastSpan(newSharing(task, c, plan.Scatter), 0), s.span(), "seed %d", seed)
	}
	require.Positive(t, split)
}

func BenchmarkShare(b *testing.B) {
	for _, spec := range []string{"torus:32x32", "torus:64x64", "random:4000,6", "torus:100x100", "hypercube:12"} {
		random := rand.New(rand.NewPCG(1, 32))
		task := shareTask(b, spec, func(int) int { return random.IntN(100) })
		b.Run(spec, func(b *testing.B) {
			for b.Loop() {
				s, _, err := disjoint(task, plan.Scatter)
				require.NoError(b, err)
				b.ReportMetric(float64(s.span()), "cycles")
			}
		})
	}
}

func BenchmarkReserve(b *testing.B) {
	for _, spec := range []string{"torus:32x32", "torus:64x64", "random:4000,6"} {
		random := rand.New(rand.NewPCG(1, 32))
		task := shareTask(b, spec, func(int) int { return random.IntN(100) })
		b.Run(spec, func(b *testing.B) {
			for b.Loop() {
				r, _, err := reserve(task, plan.Scatter)
				require.NoError(b, err)
				b.ReportMetric(float64(r.end), "cycles")
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/transfer"
	"meshwright/schedule/bound"
)

func TestCrossesOnRingsAndTori(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, spec := range []string{"torus:3x3", "torus:4x4", "torus:8x8", "torus:9x9", "torus:4x8", "torus:5x7", "torus:4x4x4"} {
		for range 2 {
			startup, words := 50+random.IntN(2000), 1+random.IntN(20)
			topo, g := gridOf(t, spec)
			m := wormhole(t, startup)
			pace := stages.PaceOf(&m)
			x, time, ok := stages.BestCrosses(g, words, pace, math.MaxInt64)
			name := fmt.Sprintf("%s startup %d words %d %v", spec, startup, words, x)
			require.True(t, ok, name)
			lengths := equalLengths(topo.Nodes(), words)
			l, err := x.List(g, lengths, pace)
			require.NoError(t, err, name)
			requireGossip(t, name, l, lengths)
			timing, err := transfer.Predict(topo, m, l)
			require.NoError(t, err)
			require.Equal(t, time, timing.Cycles, name)
			require.GreaterOrEqual(t, time, bound.Gossip(topo, m, lengths).Cycles, name)
			for i := range l.Transfers {
				require.Equal(t, l.Transfers[i].Start, timing.Handed[i], name)
			}
			for i := range lengths {
				lengths[i] = random.IntN(5)
			}
			l, err = x.List(g, lengths, pace)
			require.NoError(t, err, name)
			requireGossip(t, name, l, lengths)
			requireStarts(t, name, topo, m, l)
		}
	}
}

// requireStarts wants every message to be handed over when its list says, not
// later because its channel or its words are not there yet.
func requireStarts(t *testing.T, name string, topo *topology.Topology, m machine.Machine, l *transfer.List) {
	t.Helper()
	timing, err := transfer.Predict(topo, m, l)
	require.NoError(t, err, name)
	for i := range l.Transfers {
		require.Equal(t, l.Transfers[i].Start, timing.Handed[i], "%s: transfer %d", name, i)
	}
}

// Buckets along an axis of two nodes have no meaning: a step that uses it sends all at once.
func TestCrossesWithAnAxisOfTwo(t *testing.T) {
	topo, g := gridOf(t, "torus:2x4x4")
	m := wormhole(t, 90)
	for _, buckets := range []int{1, 2, 4} {
		x := stages.Crosses{Buckets: buckets, Steps: [][]int{{1, 2, 1, 2, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 2, 1}}}
		pace := stages.PaceOf(&m)
		lengths := equalLengths(topo.Nodes(), 7)
		l, err := x.List(g, lengths, pace)
		require.NoError(t, err)
		requireGossip(t, fmt.Sprint(buckets), l, lengths)
		requireStarts(t, fmt.Sprint(buckets), topo, m, l)
		timing, err := transfer.Predict(topo, m, l)
		require.NoError(t, err)
		time, err := x.Time(g, 7, pace)
		require.NoError(t, err)
		require.Equal(t, time, timing.Cycles)
	}
}

// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/stages"
	"meshwright/firmware/transfer"
	"meshwright/internal/soak"
	"meshwright/schedule/bound"
)

func TestStridesOnRingsOfEverySize(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for n := 3; n <= 90; n += soak.Number(9, 1) {
		spec := fmt.Sprintf("ring:%d", n)
		requireStrides(t, spec, random.IntN(200), 1+random.IntN(20), random)
	}
}

func TestStridesOnTori(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, spec := range []string{"torus:3x3", "torus:4x4", "torus:8x8", "torus:9x9", "torus:4x8", "torus:5x7", "torus:6x12", "torus:4x4x4", "torus:3x5x4", "hypercube:4", "torus:2x5", "torus:2x6x2"} {
		for range 4 {
			requireStrides(t, spec, random.IntN(200), 1+random.IntN(20), random)
		}
	}
}

func TestStridesOnToriOfUnequalSides(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 6))
	colours := map[int]int{}
	for _, spec := range []string{"torus:3x20", "torus:20x3", "torus:4x16", "torus:16x4", "torus:2x15", "torus:15x2", "torus:9x5", "torus:5x30", "torus:24x7"} {
		for range 4 {
			s := requireStrides(t, spec, random.IntN(100), 1+random.IntN(40), random)
			if legs, ok := s.(stages.Legs); ok {
				colours[len(legs.Colours)]++
			}
		}
	}
	require.NotZero(t, colours[1], "one order")
	require.NotZero(t, colours[2], "both orders")
}

// A torus lying and standing takes the same time.
func TestStridesDoNotDependOnTheOrderOfTheSides(t *testing.T) {
	for _, startup := range []int{10, 500, 3000} {
		m := wormhole(t, startup)
		_, lying := gridOf(t, "torus:3x100")
		_, standing := gridOf(t, "torus:100x3")
		_, a, _ := stages.BestStrides(lying, 100, stages.PaceOf(&m))
		_, b, _ := stages.BestStrides(standing, 100, stages.PaceOf(&m))
		require.Equal(t, a, b)
	}
}

func requireStrides(t *testing.T, spec string, startup, words int, random *rand.Rand) stages.Form {
	topo, g := gridOf(t, spec)
	m := wormhole(t, startup)
	s, time, ok := stages.BestStrides(g, words, stages.PaceOf(&m))
	require.True(t, ok, spec)
	name := fmt.Sprintf("%s startup %d words %d %+v", spec, startup, words, s)
	lengths := equalLengths(topo.Nodes(), words)
	l, err := s.List(g, lengths, stages.PaceOf(&m))
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
	l, err = s.List(g, lengths, stages.PaceOf(&m))
	require.NoError(t, err, name)
	requireGossip(t, name, l, lengths)
	return s
}

// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective/stages"
	"meshwright/internal/soak"
)

func BenchmarkChoose(b *testing.B) {
	for _, spec := range []string{"ring:1024", "ring:4096", "ring:4095", "path:4096", "torus:64x64", "torus:16x16x16", "mesh:64x64"} {
		for _, startup := range []int{0, 160, 1600, 16000} {
			b.Run(fmt.Sprintf("%s/startup=%d", spec, startup), func(b *testing.B) {
				topo, _ := gridOf(b, spec)
				m := wormhole(b, startup)
				for b.Loop() {
					_, err := stages.Choose(topo, m, 16)
					require.NoError(b, err)
				}
			})
		}
	}
}

func TestChoiceForTheExampleOfThePaper(t *testing.T) {
	topo, _ := gridOf(t, "ring:1024")
	const words = 1000 // distances hardly count
	c, err := stages.Choose(topo, wormhole(t, 10*words), words)
	require.NoError(t, err)
	units := func(c stages.Candidate) float64 { return float64(c.Predicted) / words }
	require.InDelta(t, 8400, units(c.Approach1), 600)
	require.InDelta(t, 5632, units(c.Approach2), 10)
	require.InDelta(t, 2000, units(c.Bridgeheads), 250)
	require.Less(t, units(c.Best), 1200.)
	require.Less(t, c.Ratio(), 1.25)
}

// A torus lying and standing takes the same time.
func TestChoiceDoesNotDependOnTheOrderOfTheSides(t *testing.T) {
	for _, startup := range soak.Some(2, []int{10, 500, 3000, 20000}) {
		lying, _ := gridOf(t, "torus:4x64")
		standing, _ := gridOf(t, "torus:64x4")
		a, err := stages.Choose(lying, wormhole(t, startup), 100)
		require.NoError(t, err)
		b, err := stages.Choose(standing, wormhole(t, startup), 100)
		require.NoError(t, err)
		require.Equal(t, a.Best.Predicted, b.Best.Predicted, startup)
		require.Less(t, a.Ratio(), 2.4)
		require.Less(t, a.StepRatio(), 1.9)
	}
}

func TestNamesOfCandidates(t *testing.T) {
	topo, _ := gridOf(t, "torus:4x4")
	c, err := stages.Choose(topo, wormhole(t, 5), 3)
	require.NoError(t, err)
	require.Equal(t, "highdimgos(1)", c.Approach1.String()) // not the same as approach 2
	require.Equal(t, "highdimgos", c.Approach2.String())
}

func TestChoiceRefusesMachinesWithoutFormulas(t *testing.T) {
	topo, _ := gridOf(t, "ring:8")
	m := wormhole(t, 1)
	m.Channels = 1
	_, err := stages.Choose(topo, m, 1)
	require.EqualError(t, err, "no formulas for a gossip on a machine whose links do not work independently (expected ports all, nic.channels links, nic.duplex full)")
	m = wormhole(t, 1)
	m.Hop, m.Buffer = 8, 8
	_, err = stages.Choose(topo, m, 1)
	require.EqualError(t, err, "no formulas for a gossip on a machine with buffer 8 and hop 8 (expected buffer 9 or more, for the full rate)")
	m.Buffer = 9
	_, err = stages.Choose(topo, m, 1)
	require.NoError(t, err)
	m = wormhole(t, 1)
	m.Duplex = machine.Half
	_, err = stages.Choose(topo, m, 1)
	require.Error(t, err)
}

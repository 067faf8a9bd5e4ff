// SPDX-License-Identifier: Apache-2.0

package wave_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

var (
	icarusRuns    = flag.Int("icarus", 3, "random machines whose waveforms are compared with Icarus Verilog")
	verilatorRuns = flag.Int("verilator", 0, "random machines whose waveforms are compared with Verilator")
	firstSeed     = flag.Uint64("seed", 1, "seed of the first random machine")
)

// chatter sends random messages.
type chatter struct {
	rng  *rand.Rand
	net  *fabric.Network
	most int
	end  router.Cycle
}

func (c *chatter) Evaluate(s fabric.Signals) {
	nodes := c.net.Topology.Nodes()
	for from := range router.NodeID(nodes) {
		to := router.NodeID(c.rng.IntN(nodes))
		if s.Now() >= c.end || to == from || c.rng.Float64() > 0.1 || !s.CanSend(from, to, nil) {
			continue
		}
		words := make([]uint32, (1+c.rng.IntN(c.most))*c.net.Machine.Elements())
		for i := range words {
			words[i] = c.rng.Uint32() & (1<<c.net.Machine.Width - 1)
		}
		_, _ = s.Send(fabric.Message{Source: from, Destination: to, Kind: router.Kind(c.rng.IntN(4)), Tag: c.rng.Uint32N(50), Words: words})
	}
}

func (c *chatter) Update(fabric.Signals) {}

// randomRun records random messages on a random small machine.
func randomRun(t *testing.T, seed uint64) (*rtl.Recorder, *fabric.Network) {
	rng := rand.New(rand.NewPCG(seed, 5))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	topo, err := topology.Parse(pick("path:3", "ring:4", "mesh:2x2", "mesh:3x2", "torus:3x3", "hypercube:3"))
	require.NoError(t, err)
	m, err := machine.Preset(pick("wormhole", "wormhole", "store-forward", "bufferless"))
	require.NoError(t, err)
	settings := [][2]string{{"width", pick("8", "32", "64", "128")}, {"flit", pick("1", "2")}}
	if m.Switching == machine.Wormhole {
		settings = append(settings, [2]string{"vcs", pick("1", "2")}, [2]string{"ports", pick("all", "single")}, [2]string{"hop", pick("1", "2")},
			[2]string{"buffer", pick("1", "2", "5")}, [2]string{"nic.channels", pick("1", "links")}, [2]string{"links", pick("even", "even", "0-1,hop=4,flit=3")})
	}
	if m.PacketSwitched() {
		settings = append(settings, [2]string{"setup", pick("0", "1", "3/2")}, [2]string{"packet", "4"}, [2]string{"buffer", "9"})
	}
	for _, s := range settings {
		require.NoError(t, m.Set(s[0], s[1]))
	}
	if m.Width >= 64 {
		require.NoError(t, m.Set("header", pick("wires", "flit")))
	}
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	end := router.Cycle(40)
	if m.Switching == machine.Bufferless {
		end = 0 // the stress phase has flits, and collisions
	}
	n.Attach(&chatter{rng, n, 3, end})
	r := rtl.NewRecorder(n)
	for range 60 {
		n.Step()
	}
	_, err = r.Stress(t.Context(), 60, seed)
	require.NoError(t, err)
	return r, n
}

// The model's waveform and a simulator's are equal: the same signals have the same values in every cycle.
func agree(t *testing.T, seed uint64, simulator sim.Simulator) {
	r, n := randomRun(t, seed)
	rng := rand.New(rand.NewPCG(seed, 6))
	shown := func(router.NodeID) bool { return true }
	window := rtl.Window{First: 0, Last: math.MaxInt64}
	if rng.IntN(2) == 0 {
		shown = func(n router.NodeID) bool { return n%2 == 0 }
		window.First = router.Cycle(rng.IntN(60))
		window.Last = window.First + router.Cycle(rng.IntN(80))
	}
	r.Show(shown)
	dir := filepath.Join(t.TempDir(), "export")
	d, err := r.Export(dir)
	require.NoError(t, err)
	result, err := sim.Run(t.Context(), simulator, dir, sim.Options{Wave: &sim.Window{First: uint64(window.First), Last: uint64(window.Last)}})
	require.NoError(t, err)
	require.True(t, result.Pass, result.Line)

	waves := d.Waves(shown)
	want := bare(slices.Collect(waves.Model(r, window)))
	require.Greater(t, len(want), 30, "seed %d", seed)
	for _, tree := range []string{rtl.WaveRTL, rtl.WaveModel} {
		got := bare(changes(t, result.Wave, tree, waves))
		for i := range min(len(want), len(got)) {
			if want[i] != got[i] {
				require.Fail(t, "waveforms differ", "seed %d, %s, %s on %s\n%s\n%s", seed, tree, n.Machine.Name, n.Topology, named(waves, want[i]), named(waves, got[i]))
			}
		}
		require.Len(t, got, len(want), "seed %d", seed)
	}
}

func named(w *rtl.Waves, c rtl.Change) string {
	return fmt.Sprintf("cycle %d %v %s", c.Cycle, w.Probes[c.Probe].Path(), c.Value)
}

func TestWaveformsAgreeWithIcarus(t *testing.T) {
	for i := range *icarusRuns {
		agree(t, *firstSeed+uint64(i), sim.Icarus)
	}
}

func TestWaveformsAgreeWithVerilator(t *testing.T) {
	for i := range *verilatorRuns {
		agree(t, *firstSeed+uint64(i), sim.Verilator)
	}
}

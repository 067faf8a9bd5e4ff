// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"flag"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	networkfault "meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

var (
	wideIcarus    = flag.Int("wide.icarus", 4, "chips with wide words to compare in Icarus Verilog, at most 9")
	wideVerilator = flag.Int("wide.verilator", 0, "chips with wide words to compare in Verilator, at most 9")
)

// wideChips are all kinds of chips with the narrowest and the widest of wide words.
var wideChips = []struct{ preset, ports, code, width string }{
	{"wormhole", "all", "parity", "512"},
	{"bufferless", "single", "none", "512"},
	{"store-forward", "all", "secded", "64"},
	{"store-forward", "single", "parity", "512"},
	{"wormhole", "single", "secded", "64"},
	{"bufferless", "all", "none", "64"},
	{"store-forward", "all", "none", "256"},
	{"wormhole", "all", "secded", "128"},
	{"wormhole", "all", "secded", "512"},
}

// wideNetwork is a small loaded network with bits that links and buffers flip.
func wideNetwork(t *testing.T, k int) *fabric.Network {
	row := wideChips[k]
	topo, err := topology.Parse("mesh:2x2")
	require.NoError(t, err)
	m, err := machine.Preset(row.preset)
	require.NoError(t, err)
	for _, pair := range [][2]string{{"ports", row.ports}, {"buffer.code", row.code}, {"width", row.width}} {
		require.NoError(t, m.Set(pair[0], pair[1]))
	}
	faults := []string{"corrupt:0.3"}
	if m.PacketSwitched() {
		require.NoError(t, m.Set("packet", "3"))
	}
	if m.Switching != machine.Bufferless {
		faults = append(faults, "upset:0.7")
	}
	m.Faults, err = networkfault.Parse(faults, uint64(k))
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(uint64(k), 3))
	if m.Switching == machine.Bufferless {
		return rooted(t, topo, m, rng)
	}
	return load(t, topo, m, &chaos{rng: rng, rate: 0.2, most: 3, end: 50})
}

func compareWide(t *testing.T, k int, simulator sim.Simulator) {
	n := wideNetwork(t, k)
	r := rtl.NewRecorder(n)
	for range 80 {
		n.Step()
	}
	losses := n.Losses()
	require.Positive(t, losses.Flipped)
	require.Equal(t, n.Machine.Switching != machine.Bufferless, n.BufferErrors().Injected > 0)
	agree(t, uint64(k), n, r, simulator)
}

func TestWideWordsAgreeInIcarus(t *testing.T) {
	for k, row := range wideChips[:min(len(wideChips), *wideIcarus)] {
		t.Run(row.preset+row.ports+row.width, func(t *testing.T) {
			t.Parallel()
			compareWide(t, k, sim.Icarus)
		})
	}
}

func TestWideWordsAgreeInVerilator(t *testing.T) {
	for k := range wideChips[:min(len(wideChips), *wideVerilator)] {
		compareWide(t, k, sim.Verilator)
	}
}

// swapper swaps two elements of a flit of data in flight through the network.
type swapper struct{ done bool }

func (w *swapper) Evaluate(fabric.Signals) {}
func (w *swapper) Update(s fabric.Signals) {
	for o := range s.Offers() {
		if word := s.Word(o.Flit); !w.done && s.Worm(o.Flit).Kind == router.Data {
			word[0], word[1], w.done = word[1], word[0], true
		}
	}
}

// Two elements of a flit that change places in the model alone are a difference.
func TestElementsThatChangePlacesAreADifference(t *testing.T) {
	topo, err := topology.Parse("path:3")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	require.NoError(t, m.Set("width", "64"))
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	n.Attach(&once{fabric.Message{Source: 0, Destination: 2, Words: []uint32{1, 2, 3, 4}}})
	r := rtl.NewRecorder(n)
	n.Attach(&swapper{})
	for range 20 {
		n.Step()
	}
	dir := filepath.Join(t.TempDir(), "export")
	_, err = r.Export(dir)
	require.NoError(t, err)
	result, err := sim.Run(t.Context(), sim.Icarus, dir, sim.Options{})
	require.NoError(t, err)
	require.False(t, result.Pass)
	require.Contains(t, result.Line, "FAIL cycle=1 node=1")
}

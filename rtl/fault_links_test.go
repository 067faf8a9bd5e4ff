// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/code"
	networkfault "meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/rtl/sim"
)

var (
	faultyIcarus    = flag.Int("faulty.icarus", 3, "random machines with faults to compare in Icarus Verilog")
	faultyVerilator = flag.Int("faulty.verilator", 1, "random machines with faults to compare in Verilator")
)

// faultyMachine draws a machine of any switching, and faults of all kinds: a
// node or links that die in the middle of the run, some of them for a while, upsets of
// buffers with any code, and rates.
func faultyMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	draw := []draw{randomMachine, packetMachine}[seed%2]
	topo, m, rng := draw(t, seed)
	require.NoError(t, m.Set("header", "wires")) // faults do not flip bits of headers
	if model := machine.Routing([]string{"west-first", "north-last", "negative-first", "odd-even"}[seed/2%4]); m.Switching == machine.Wormhole && slices.Contains(machine.RoutingsOf(topo), string(model)) {
		m.Routing = model
	}
	links := topo.Links()
	var file strings.Builder
	for range rng.IntN(4) {
		l, from := links[rng.IntN(len(links))], rng.IntN(cycles)
		fmt.Fprintf(&file, "link,%d>%d,%d,%d\n", l.From, l.To, from, from+1+rng.IntN(cycles/2))
	}
	if rng.IntN(3) == 0 {
		fmt.Fprintf(&file, "node,%d,%d\n", rng.IntN(topo.Nodes()), rng.IntN(cycles))
	}
	for range rng.IntN(200) {
		l := links[rng.IntN(len(links))]
		fmt.Fprintf(&file, "drop,%d>%d,%d\n", l.From, l.To, rng.IntN(cycles))
		fmt.Fprintf(&file, "flip,%d>%d,%d,,%d\n", l.From, l.To, rng.IntN(cycles), rng.IntN(m.Width))
	}
	var upsets []string
	if m.Switching != machine.Bufferless {
		upsets = drawUpsets(t, topo, &m, rng, &file)
	}
	path := filepath.Join(t.TempDir(), "faults.csv")
	require.NoError(t, os.WriteFile(path, []byte(file.String()), 0o644))
	specs := append(upsets, path)
	if rng.IntN(2) == 0 {
		specs = append(specs, fmt.Sprintf("drop:%g", 0.2*rng.Float64()), fmt.Sprintf("corrupt:%g", 0.2*rng.Float64()))
	}
	var err error
	m.Faults, err = networkfault.Parse(specs, seed)
	require.NoError(t, err)
	return topo, m, rng
}

// drawUpsets draws a code of buffers, a rate of upsets, and rows of a file: of one bit
// up to four bits of a flit.
func drawUpsets(t *testing.T, topo *topology.Topology, m *machine.Machine, rng *rand.Rand, file *strings.Builder) []string {
	require.NoError(t, m.Set("buffer.code", string(code.Codes()[rng.IntN(3)])))
	links := topo.Links()
	for range rng.IntN(300) {
		l, cycle := links[rng.IntN(len(links))], rng.IntN(cycles)
		for range 1 + rng.IntN(2)*rng.IntN(4) {
			fmt.Fprintf(file, "upset,%d>%d,%d,,%d\n", l.From, l.To, cycle, rng.IntN(m.StoredBits()))
		}
	}
	return []string{fmt.Sprintf("upset:%g", float64(rng.IntN(2))*0.3*rng.Float64())}
}

func TestRandomMachinesWithFaultsAgreeInIcarus(t *testing.T) {
	compareMany(t, *faultyIcarus, *firstSeed, faultyMachine, sim.Icarus)
}

func TestRandomMachinesWithFaultsAgreeInVerilator(t *testing.T) {
	compareMany(t, *faultyVerilator, *firstSeed+1002, faultyMachine, sim.Verilator)
}

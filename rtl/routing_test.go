// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/rtl/sim"
)

var (
	routingIcarus    = flag.Int("routing.icarus", 2, "machines beyond dimension order to compare in Icarus Verilog")
	routingVerilator = flag.Int("routing.verilator", 1, "machines beyond dimension order to compare in Verilator")
)

// routedMachine draws a small network of wormhole chips with a routing beyond dimension order; the
// routings take turns.
func routedMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	rng := rand.New(rand.NewPCG(seed, 55))
	pick := picker(rng)
	routing := machine.Routing([]string{"yx", "negative-first", "o1turn", "valiant", "adaptive", "odd-even", "west-first", "north-last"}[seed%8])
	networks := []string{"ring:5", "mesh:3x2", "mesh:3x3", "torus:3x3", "mesh:2x2x2"}
	switch {
	case routing == machine.NegativeFirst:
		networks = []string{"mesh:3x3", "mesh:2x3x2", "path:4"}
	case routing.TurnModel():
		networks = []string{"mesh:3x3", "mesh:4x3", "mesh:3x4"}
	}
	topo, err := topology.Parse(pick(networks...))
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	set := func(key, value string) { require.NoError(t, m.Set(key, value)) }
	set("routing", string(routing))
	set("ports", pick("all", "all", "single"))
	set("nic.channels", pick("1", "links"))
	set("nic.duplex", pick("full", "full", "half"))
	set("hop", pick("1", "1", "2"))
	set("flit", pick("1", "1", "2"))
	set("width", pick("8", "32"))
	set("buffer", fmt.Sprint(1+rng.IntN(5)))
	set("vc.choice", pick("lane", "free"))
	switch {
	case routing == machine.Adaptive:
		set("vcs", pick("3", "4"))
	case routing.TurnModel():
		set("vcs", pick("1", "1", "2", "3"))
	default:
		set("vcs", pick("4", "4", "8"))
	}
	return topo, m, rng
}

func TestRoutingsAgreeInIcarus(t *testing.T) {
	compareMany(t, *routingIcarus, *firstSeed+3, routedMachine, sim.Icarus)
}

func TestRoutingsAgreeInVerilator(t *testing.T) {
	compareMany(t, *routingVerilator, *firstSeed+1000, routedMachine, sim.Verilator)
}

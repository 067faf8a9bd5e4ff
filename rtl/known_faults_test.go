// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	networkfault "meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/rtl/sim"
)

// aroundMachine draws a machine with buffers whose tables go around known faults. Messages for dead nodes are lost on the way.
func aroundMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	for {
		topo, m, rng := []draw{randomMachine, packetMachine}[seed%2](t, seed)
		require.NoError(t, m.Set("header", "wires"))
		m.Routing = machine.Table
		if rng.IntN(3) > 0 {
			m.Routing = machine.UpDown
		}
		var err error
		m.Faults, err = networkfault.Parse([]string{fmt.Sprintf("random:%d", 1+rng.IntN(3)), "known"}, seed)
		require.NoError(t, err)
		resolved, err := m.Resolve(topo)
		require.NoError(t, err)
		if around, err := fabric.NewAround(topo, resolved); err == nil && around != nil && m.Switching != machine.Bufferless {
			return topo, m, rng
		}
		seed += 1 << 20 // no buffers, or these faults part the network
	}
}

func TestTablesAroundKnownFaultsAgreeInIcarus(t *testing.T) {
	compareMany(t, *faultyIcarus, *firstSeed, aroundMachine, sim.Icarus)
}

func TestTablesAroundKnownFaultsAgreeInVerilator(t *testing.T) {
	compareMany(t, *faultyVerilator, *firstSeed+1002, aroundMachine, sim.Verilator)
}

// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"math/rand/v2"
	"testing"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/internal/soak"
	"meshwright/rtl/sim"
)

// tableMachine draws a machine with a table of the user's.
func tableMachine(t *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
	topo, m, rng := []draw{randomMachine, packetMachine}[seed%2](t, seed)
	m.Routing, m.Ways = machine.Table, collectivetest.OwnTable(t, topo, rng)
	return topo, m, rng
}

func TestTablesOfUsersAgreeInIcarus(t *testing.T) {
	compareMany(t, soak.Number(2, 40), *firstSeed, tableMachine, sim.Icarus)
}

func TestTablesOfUsersAgreeInVerilator(t *testing.T) {
	compareMany(t, 1, *firstSeed+1002, tableMachine, sim.Verilator)
}

// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/rtl/sim"
)

// notOfChips are the keys that say nothing of chips.
var notOfChips = []string{"watchdog"}

// keyed is a machine on which one key has another value.
type keyed struct {
	key, value string
	machine    machine.Machine
}

// alternatives lists the values of all keys one step away from those of some machines, which together give every number a value.
func alternatives(t *testing.T, topo *topology.Topology) (list []keyed) {
	for _, row := range []struct {
		preset   string
		settings [][2]string
	}{
		{"wormhole", [][2]string{{"startup", "2"}, {"width", "64"}, {"vcs", "2"}}},
		{"store-forward", [][2]string{{"startup", "2"}, {"width", "64"}, {"setup", "3/2"}, {"packet", "2"}, {"buffer", "8"}}},
		{"bufferless", [][2]string{{"width", "64"}}},
	} {
		m, err := machine.Preset(row.preset)
		require.NoError(t, err)
		for _, s := range row.settings {
			require.NoError(t, m.Set(s[0], s[1]))
		}
		for _, k := range machine.Keys() {
			for _, value := range k.Alternatives(&m) {
				other := m
				require.NoError(t, other.Set(k.Name, value))
				if _, err := other.Resolve(topo); err == nil && other.Switching == m.Switching {
					list = append(list, keyed{k.Name, value, other})
				}
			}
		}
	}
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	const slow = "0-1,hop=3 1>0,flit=2" // has no alternatives
	require.NoError(t, m.Set("links", slow))
	return append(list, keyed{"links", slow, m})
}

// Every key of a machine has hardware: with another value of the key Icarus Verilog agrees with the model. A soak takes all values
// on a larger network, otherwise one of each key runs.
func TestEveryKeyIsInTheVerilog(t *testing.T) {
	network := "path:3"
	if soak.On() {
		network = "mesh:2x2"
	}
	topo, err := topology.Parse(network)
	require.NoError(t, err)
	tried := map[string]bool{"switching": true} // the machines differ in it
	for _, name := range notOfChips {
		tried[name] = true
	}
	for i, x := range alternatives(t, topo) {
		if tried[x.key] && !soak.On() {
			continue
		}
		tried[x.key] = true
		t.Run(x.machine.Name+"/"+x.key+"="+x.value, func(t *testing.T) {
			t.Parallel()
			compare(t, uint64(i), func(_ *testing.T, seed uint64) (*topology.Topology, machine.Machine, *rand.Rand) {
				return topo, x.machine, rand.New(rand.NewPCG(seed, 55))
			}, sim.Icarus)
		})
	}
	for _, k := range machine.Keys() {
		require.True(t, tried[k.Name], k.Name)
	}
}

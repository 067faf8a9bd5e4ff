// SPDX-License-Identifier: Apache-2.0

package rtl_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

// Chips whose heads choose their virtual channels agree with the model in every cycle, whatever the routing, its classes and the flits' headers are.
func TestRoutingsWithAFreeChoiceAgree(t *testing.T) {
	for k, row := range soak.Some(5, []struct{ topology, settings string }{
		{"mesh:3x3", "vcs 4 buffer 2"},
		{"ring:5", "vcs 4 buffer 1"},
		{"mesh:3x2", "routing o1turn vcs 6 nic.channels links ports single"},
		{"ring:4", "routing valiant vcs 8 nic.duplex half"},
		{"twisted-torus:2x4", "routing source vcs 4 hop 2 nic.channels links"},
		{"debruijn:3", "routing updown vcs 2 claim 1"},
		{"torus:3x3", "routing yx vcs 6 header flit buffer.store ram"},
		{"mesh:2x3", "routing table vcs 3 flit 2 buffer.code secded"},
		{"hypercube:3", "vcs 5 links all,hop=4,flit=3 buffer 1"},
		{"mesh:3x3", "routing valiant vcs 4 claim 1 ports single"},
	}) {
		t.Run(row.topology+" "+row.settings, func(t *testing.T) {
			t.Parallel()
			topo, err := topology.Parse(row.topology)
			require.NoError(t, err)
			n := load(t, topo, settled(t, "wormhole", append([]string{"vc.choice", "free", "nic.channels", "1"}, strings.Fields(row.settings)...)),
				&chaos{rng: rand.New(rand.NewPCG(uint64(k), 8)), rate: 0.15, most: 9, end: 120})
			require.True(t, n.Machine.ChoosesChannels(topo))
			r := rtl.NewRecorder(n)
			for range 200 {
				n.Step()
			}
			agree(t, uint64(k), n, r, sim.Icarus)
		})
	}
}

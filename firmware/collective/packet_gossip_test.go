// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Gossips of packets with a single port, in times of a packet: around a ring one for each other node, along dimensions of two nodes
// as many as double the blocks.
func TestGossipsOfPacketsWithOnePort(t *testing.T) {
	const length, setup = 4, 2
	packet := func(flits int) router.Cycle { return router.Cycle(setup + flits) }
	for _, row := range []struct {
		spec, algorithm string
		want            router.Cycle
	}{
		{"mesh:4x4", "ring", 15 * packet(length)},
		{"star:4", "ring", 23 * packet(length)},
		{"complete:9", "ring", 8 * packet(length)},
		{"hypercube:3", "highdimgos", packet(length) + packet(2*length) + packet(4*length)},
		{"path:2", "approach2", packet(length)},
	} {
		for _, switching := range []machine.Switching{machine.StoreForward, machine.CutThrough} {
			j := collectivetest.Equal(t, row.spec, "store-forward", 0, length)
			require.NoError(t, j.Machine.Set("switching", string(switching)))
			require.NoError(t, j.Machine.Set("setup", "2"))
			p, err := collective.Generate(t.Context(), plan.Gossip, row.algorithm, j)
			require.NoError(t, err)
			r, err := collective.Execute(t.Context(), p)
			require.NoError(t, err)
			require.True(t, r.Delivered)
			require.Equal(t, row.want*router.Cycle(p.Machine.Ticks()), r.Cycles, "%s %s", row.spec, switching)
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package study

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

func TestAround(t *testing.T) {
	topo, err := topology.Parse("ring:5")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	m.Ports, m.Channels = machine.AllPort, machine.Links
	a := &Around{Topology: topo, Machine: m, Collectives: []string{"scatter", "allgather"}, Nodes: true, Links: true, Length: 1, Seed: 1}
	rows, err := a.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, rows, 2)
	var cycles []router.Cycle
	for _, one := range rows[0].Cases {
		cycles = append(cycles, one.Cycles)
	}
	// Without a node the ring is a path of 4: the root is at its end, or next to the end.
	require.Equal(t, []router.Cycle{4, 4, 3, 3, 4}, cycles[:5])
	require.Equal(t, "gossip", rows[1].Collective)
	require.Equal(t, "link 0-4", rows[1].Cases[6].Fault)
	for _, row := range rows {
		require.Len(t, row.Cases, 10)
		require.Equal(t, 10, row.Right())
		ratios := row.Ratios()
		require.GreaterOrEqual(t, ratios[0], 1.0)
		require.LessOrEqual(t, ratios[0], ratios[9])
	}
	a.Topology, err = topology.Parse("path:4")
	require.NoError(t, err)
	rows, err = a.Run(t.Context())
	require.NoError(t, err)
	for _, row := range rows { // the ends are no loss for the others; each link and the nodes between cut the path
		require.Equal(t, []string{"node 0", "node 3"}, []string{row.Cases[0].Fault, row.Cases[1].Fault})
		require.Equal(t, []int{2, 2, 5}, []int{len(row.Cases), row.Right(), row.Apart})
	}
}

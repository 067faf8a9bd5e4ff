// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// TestTurnsOfALine: on a path every block passes both ways, on a ring one way; two nodes exchange theirs.
func TestTurnsOfALine(t *testing.T) {
	for _, row := range []struct {
		spec  string
		node  int
		sends []int
		takes []int
	}{
		{"path:4", 0, []int{1, 0}, []int{0, 3}},
		{"path:4", 2, []int{3, 2}, []int{2, 1}},
		{"path:4", 3, []int{0, 1}, []int{3, 0}},
		{"ring:4", 1, []int{3}, []int{3}},
		{"path:2", 0, []int{1}, []int{1}},
		{"path:2", 1, []int{1}, []int{1}},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		task := &plan.Task{Job: plan.Job{Topology: topo}, Offset: make([]int, topo.Nodes()+1)}
		var sends, takes []int
		for _, s := range lineOf(task, router.NodeID(row.node), 0).turns(machine.Full) {
			sends, takes = append(sends, s.sends), append(takes, s.takes)
		}
		require.Equal(t, row.sends, sends, row)
		require.Equal(t, row.takes, takes, row)
	}
}

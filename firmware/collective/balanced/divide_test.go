// SPDX-License-Identifier: Apache-2.0

package balanced

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
)

func networkOf(t *testing.T, spec string) *network {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	task := &plan.Task{}
	task.Topology, task.Machine = topo, m
	n, err := newNetwork(task, 3, false)
	require.NoError(t, err)
	return n
}

var specs = []string{"ring:9", "ring:10", "torus:4x4", "torus:3x8", "torus:5x6", "torus:2x2x5", "torus:4x3x4", "twisted-torus:4x6,1", "hypercube:5", "star:5", "complete:6"}

// Of the nodes at a distance no side has more than it must: by Hall's theorem there are sides that are the only ones for so many nodes.
func TestSidesHaveAsFewNodesAsPossible(t *testing.T) {
	for _, spec := range specs {
		n := networkOf(t, spec)
		tree := n.newTree(3)
		for p := range tree.pieces {
			for d, layer := range n.layers[1:] {
				load := make([]int, len(n.sides))
				for _, y := range layer {
					load[tree.via[p*n.nodes+int(y)]]++
				}
				require.Equal(t, n.mostOfSide(layer), slices.Max(load), "%s, piece %d, distance %d", spec, p, d+1)
			}
		}
	}
}

// mostOfSide returns the most nodes that one of some sides must have, for any sides.
func (n *network) mostOfSide(layer []int32) (most int) {
	for set := uint(1); set < 1<<len(n.sides); set++ {
		only := 0
		for _, y := range layer {
			if !slices.ContainsFunc(n.may[y], func(k int32) bool { return set>>k&1 == 0 }) {
				only++
			}
		}
		sides := bits.OnesCount(set)
		most = max(most, (only+sides-1)/sides)
	}
	return most
}

// Each item comes from a neighbour that is nearer to its node, and goes on as far as its tree.
func TestTreesHaveShortestWays(t *testing.T) {
	for _, spec := range specs {
		n := networkOf(t, spec)
		tree := n.newTree(2)
		for p := range tree.pieces {
			furthest := int32(0)
			for y := range int32(n.nodes) {
				links := 0
				for x := y; x != 0; x = n.sides[tree.via[p*n.nodes+int(x)]].seen[x] {
					links++
				}
				require.Equal(t, n.distance[y], links, "%s, piece %d, node %d", spec, p, y)
				furthest = max(furthest, int32(links))
			}
			require.Equal(t, furthest, tree.behind[p*n.nodes], spec)
		}
	}
}

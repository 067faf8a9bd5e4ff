// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/memory"
)

// The size of a network is known from its spec.
func TestSizeOfIsThatOfTheNetwork(t *testing.T) {
	for _, spec := range []string{
		"path:7", "ring:5", "mesh:3x4", "torus:4x4x3", "hypercube:6", "mesh:2x2x2x2x2x2x2x2x2", "complete:20", "star:2", "star:6", "twisted-torus:4x8", "twisted-torus:6x5,2",
	} {
		topo, err := Parse(spec)
		require.NoError(t, err)
		nodes, ports := SizeOf(spec)
		require.EqualValues(t, topo.Nodes(), nodes, spec)
		require.EqualValues(t, topo.AllPorts(), ports, spec)
	}
	for _, spec := range []string{"hub:9", "binary:4", "comb:3x4", "random-tree:50,3", "recursive-tree:50", "debruijn:5", "random:30,4"} { // nearly: trees have two ports less
		topo, err := Parse(spec)
		require.NoError(t, err)
		nodes, ports := SizeOf(spec)
		require.InDelta(t, topo.Nodes(), nodes, 1, spec)
		require.GreaterOrEqual(t, ports, float64(topo.AllPorts()), spec)
		require.LessOrEqual(t, ports, float64(topo.AllPorts()+6), spec)
	}
	for _, spec := range []string{"", "mesh", "mesh:", "mesh:axb", "mesh:100000x100000", "hypercube:30", "random-tree:2000000000", "complete:100000", "random:8,NaN", "random:8,Inf", "random:8,-1", "tree:x.csv", "bogus:7", "mesh:0x0", "path:-1", "star:1", "star:10", "star:4.5", "twisted-torus:8"} {
		nodes, ports := SizeOf(spec)
		require.Zero(t, nodes, spec)
		require.Zero(t, ports, spec)
		require.Zero(t, memoryOf(spec), spec)
	}
}

// What is too large is refused before it is made, here or by Parse.
func TestLargeNetworksAreRefused(t *testing.T) {
	ctx := memory.With(t.Context(), 500*memory.MB)
	var large *memory.TooLarge
	for _, spec := range []string{"hypercube:22", "mesh:4x4x4x4x4x4x4x4x8x8", "complete:4096"} {
		_, err := ParseWithin(ctx, spec)
		require.True(t, errors.As(err, &large), "%s: %v", spec, err)
		require.Greater(t, large.Needed, 500*memory.MB)
	}
	for _, spec := range []string{"hypercube:30", "mesh:100000x100000", "random-tree:2000000000", "complete:100000", "mesh:9x9x9x9x9x9x9x9x9"} {
		_, err := ParseWithin(ctx, spec)
		require.Error(t, err, spec)
		require.False(t, errors.As(err, &large), spec)
	}
}

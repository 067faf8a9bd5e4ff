// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/memory"
)

// sized are networks whose size is known from their spec, by the kind of their form.
var sized = map[string][]string{
	"path": {"path:7"}, "ring": {"ring:5"}, "mesh": {"mesh:3x4", "mesh:2x2x2x2x2x2x2x2x2"}, "torus": {"torus:4x4x3"}, "twisted-torus": {"twisted-torus:4x8", "twisted-torus:6x5,2"},
	"hypercube": {"hypercube:6"}, "star": {"star:2", "star:6"}, "complete": {"complete:20"},
	"hub": {"hub:9"}, "binary": {"binary:4"}, "comb": {"comb:3x4"}, "random-tree": {"random-tree:50,3"}, "recursive-tree": {"recursive-tree:50"}, "debruijn": {"debruijn:5"}, "random": {"random:30,4"},
}

// The size of a network of every form, but for files, is known from its spec. A size of 0 would let
// ParseWithin make a network without a look at the memory.
func TestSizeOfIsThatOfTheNetwork(t *testing.T) {
	for _, f := range Listed() {
		if f.Arguments == "FILE" {
			continue
		}
		require.NotEmpty(t, sized[f.Kind], "%s has no network in the list sized of memory_test.go", f)
		for _, spec := range sized[f.Kind] {
			topo, err := Parse(spec)
			require.NoError(t, err)
			nodes, ports := SizeOf(spec)
			require.NotZero(t, nodes, "%s: sizeOf in memory.go does not know %s", spec, f.Kind)
			require.NotZero(t, memoryOf(spec), spec)
			if grid(f.Kind) || f.Kind == "complete" {
				require.EqualValues(t, topo.Nodes(), nodes, spec)
				require.EqualValues(t, topo.AllPorts(), ports, spec)
				continue
			}
			require.InDelta(t, topo.Nodes(), nodes, 1, spec) // nearly: trees have two ports less
			require.GreaterOrEqual(t, ports, float64(topo.AllPorts()), spec)
			require.LessOrEqual(t, ports, float64(topo.AllPorts()+6), spec)
		}
	}
}

// What has no size, or is no network, is left to Parse.
func TestSizeOfIsZeroWithoutASize(t *testing.T) {
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

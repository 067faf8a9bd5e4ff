// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
)

func parse(tb testing.TB, spec string) *topology.Topology {
	tb.Helper()
	t, err := topology.Parse(spec)
	require.NoError(tb, err)
	return t
}

// digits writes a number with so many bits, the highest first.
func digits(n, width int) string { return fmt.Sprintf("%0*b", width, n) }

// value reads them again.
func value(t *testing.T, text string) router.NodeID {
	var n int
	_, err := fmt.Sscanf(text, "%b", &n)
	require.NoError(t, err)
	return router.NodeID(n)
}

// The patterns by their definitions, on texts of bits and on coordinates.
var definitions = map[string]func(t *testing.T, at *topology.Topology, n router.NodeID) router.NodeID{
	"bitcomp": func(t *testing.T, at *topology.Topology, n router.NodeID) router.NodeID {
		text := digits(int(n), bits.Len(uint(at.Nodes()-1)))
		return value(t, strings.NewReplacer("0", "1", "1", "0").Replace(text))
	},
	"bitrev": func(t *testing.T, at *topology.Topology, n router.NodeID) router.NodeID {
		reversed := ""
		for _, digit := range digits(int(n), bits.Len(uint(at.Nodes()-1))) {
			reversed = string(digit) + reversed
		}
		return value(t, reversed)
	},
	"shuffle": func(t *testing.T, at *topology.Topology, n router.NodeID) router.NodeID {
		text := digits(int(n), bits.Len(uint(at.Nodes()-1)))
		return value(t, text[1:]+text[:1])
	},
	"transpose": func(_ *testing.T, at *topology.Topology, n router.NodeID) router.NodeID {
		c := at.Coordinates(n)
		half := len(c) / 2
		return at.At(append(append([]int(nil), c[half:]...), c[:half]...))
	},
	"tornado": func(_ *testing.T, at *topology.Topology, n router.NodeID) router.NodeID {
		c := at.Coordinates(n)
		for d, size := range at.Dims {
			c[d] = (c[d] + map[bool]int{true: size/2 - 1, false: size / 2}[size%2 == 0]) % size
		}
		return at.At(c)
	},
	"neighbor": func(_ *testing.T, at *topology.Topology, n router.NodeID) router.NodeID {
		c := at.Coordinates(n)
		for d, size := range at.Dims {
			c[d] = (c[d] + 1) % size
		}
		return at.At(c)
	},
}

// Every pattern of a fixed destination is a permutation, is what its definition says, and
// leaves out exactly the nodes that would send to themselves.
func TestPermutations(t *testing.T) {
	for name, specs := range map[string][]string{
		"bitcomp": {"mesh:8x8", "path:2", "debruijn:5"}, "bitrev": {"mesh:8x8", "torus:4x8", "hypercube:7"}, "shuffle": {"mesh:4x4", "ring:32"},
		"transpose": {"mesh:8x8", "torus:5x5", "hypercube:6", "mesh:3x2x3x2"}, "tornado": {"torus:8x8", "torus:5x4x3", "mesh:7x8"}, "neighbor": {"torus:8x8", "mesh:3x5", "ring:9"},
	} {
		for _, spec := range specs {
			at := parse(t, spec)
			p, err := ParsePattern(name, at)
			require.NoError(t, err, "%s on %s", name, spec)
			taken, sources := map[router.NodeID]bool{}, []router.NodeID{}
			for n := range router.NodeID(at.Nodes()) {
				to := p.(*permutation).to[n]
				require.Equal(t, definitions[name](t, at, n), to, "%s on %s, node %d", name, spec, n)
				require.False(t, taken[to], "%s on %s: two nodes send to %d", name, spec, to)
				taken[to] = true
				if to != n {
					sources = append(sources, n)
				}
			}
			if p.Sources() == nil {
				require.Len(t, sources, at.Nodes())
			} else {
				require.Equal(t, sources, p.Sources())
			}
		}
	}
}

// The first nodes of BookSim2's patterns on a network of 8x8.
func TestPatternsOfBookSim(t *testing.T) {
	for name, want := range map[string][]router.NodeID{
		"bitcomp": {63, 62, 61, 60}, "bitrev": {0, 32, 16, 48}, "shuffle": {0, 2, 4, 6}, "transpose": {0, 8, 16, 24}, "tornado": {27, 28, 29, 30}, "neighbor": {9, 10, 11, 12},
	} {
		p, err := ParsePattern(name, parse(t, "torus:8x8"))
		require.NoError(t, err)
		require.Equal(t, want, p.(*permutation).to[:4], name)
	}
}

// Random destinations are no node itself, and come as often as their shares say.
func TestRandomDestinations(t *testing.T) {
	at := parse(t, "mesh:4x4")
	for spec, shares := range map[string]map[router.NodeID]float64{
		"uniform":          {0: 1. / 15, 7: 1. / 15, 15: 1. / 15},
		"hotspot:7":        {7: 1, 0: 0},
		"hotspot:7,8@0.5":  {7: 0.25 + 0.5/15, 8: 0.25 + 0.5/15, 0: 0.5 / 15},
		"hotspot:5,3@0.25": {3: 0.125 + 0.125/15 + 0.75/15, 0: 0.125/15 + 0.75/15}, // 5 itself sends: its hot packets to itself are uniform
	} {
		p, err := ParsePattern(spec, at)
		require.NoError(t, err)
		from := router.NodeID(4)
		if spec == "hotspot:5,3@0.25" {
			from = 5
		}
		const draws = 100_000
		rng, seen := rand.New(rand.NewPCG(1, 2)), map[router.NodeID]float64{}
		for range draws {
			seen[p.Destination(from, rng)]++
		}
		require.Zero(t, seen[from])
		for node, share := range shares {
			require.InDelta(t, share, seen[node]/draws, 0.006, "%s to %d", spec, node)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for _, c := range []struct{ spec, on, want string }{
		{"transpose", "mesh:4x8", "transpose on mesh:4x8 (expected a square: mesh:AxA, torus:AxA, a hypercube of even dimension)"},
		{"transpose", "binary:3", "transpose on binary:3 (expected a square: mesh:AxA, torus:AxA, a hypercube of even dimension)"},
		{"bitcomp", "mesh:3x4", "bitcomp on mesh:3x4 with 12 nodes (expected a power of two)"},
		{"tornado", "star:4", "tornado on star:4 (expected a path, ring, mesh, torus or hypercube)"},
		{"tornado", "hypercube:3", "every node would send to itself (expected a pattern in which at least one node sends)"},
		{"uniform", "path:1", "traffic among 1 node (expected at least 2)"},
		{"uniform:3", "mesh:4x4", `pattern "uniform:3" (expected uniform alone)`},
		{"hotspot:", "mesh:4x4", "a hotspot without a node (expected hotspot:NODE[,NODE..][@SHARE])"},
		{"hotspot:16", "mesh:4x4", `"16" is not a node (expected 0 to 15)`},
		{"hotspot:3,3", "mesh:4x4", "hotspot 3 twice (expected each node once)"},
		{"hotspot:3@1.5", "mesh:4x4", `a hotspot's share of "1.5" (expected more than 0, at most 1)`},
		{"hotspot:3@NaN", "mesh:4x4", `a hotspot's share of "NaN" (expected more than 0, at most 1)`},
		{"permutation:", "mesh:4x4", "a permutation without a file (expected permutation:FILE)"},
		{"permutation:none.csv", "mesh:4x4", "none.csv: no such file or directory (expected a file that can be read)"},
		{"matrix:", "mesh:4x4", "a matrix without a file (expected matrix:FILE)"},
		{"matrix", "mesh:4x4", "a matrix without a file (expected matrix:FILE)"},
		{"matrix:none.csv", "mesh:4x4", "none.csv: no such file or directory (expected a file that can be read)"},
		{"tornadoo", "mesh:4x4", `unknown pattern "tornadoo" (expected ` + PatternForms() + "; did you mean tornado?)"},
	} {
		_, err := ParsePattern(c.spec, parse(t, c.on))
		require.EqualError(t, err, c.want, "%s on %s", c.spec, c.on)
	}
}

func TestPermutationFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0,1\n1,0\n", ""},
		{"destination,source\n0,1\n", ""},
		{"", "p.csv: no rows (expected rows of source,destination)"},
		{"0,1\n2,1\n", "p.csv:2: destination 1 has a row already, in line 1 (expected a permutation: each destination once)"},
		{"0,1\n0,2\n", "p.csv:2: source 0 has a row already, in line 1 (expected a permutation: one row a source)"},
		{"0,4\n", `p.csv:1: "4" is not a node (expected 0 to 3)`},
		{"0,0\n1,1\n", "p.csv: every node would send to itself (expected a pattern in which at least one node sends)"},
	} {
		_, err := scanPermutation([]byte(c.text), "p.csv", 4)
		if c.want == "" {
			require.NoError(t, err, c.text)
			continue
		}
		require.EqualError(t, err, c.want, c.text)
	}
}

// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
	"meshwright/router"
)

// Every listed pattern without an argument, but uniform, has a definition, and nothing else has one.
func TestEveryListedPatternHasADefinition(t *testing.T) {
	var want, have []string
	for _, f := range Patterns() {
		require.NotEmpty(t, f.About, f.Name)
		require.Contains(t, strings.Fields(PatternForms()), f.String())
		if f.Arguments == "" && f.Name != "uniform" {
			want = append(want, f.Name)
		}
	}
	for name := range definitions {
		have = append(have, name)
	}
	require.ElementsMatch(t, want, have, "the list definitions of pattern_test.go")
}

// Patterns that are files have one behind the colon.
func TestPatternFile(t *testing.T) {
	for spec, want := range map[string]string{"permutation:a.csv": "a.csv", "matrix:b:c": "b:c", "trace:-": "-", "matrix:": "", "matrix": ""} {
		file, ok := PatternFile(spec)
		require.True(t, ok, spec)
		require.Equal(t, want, file, spec)
	}
	for _, spec := range []string{"", "uniform", "hotspot:5", "file:a.csv"} {
		_, ok := PatternFile(spec)
		require.False(t, ok, spec)
	}
}

// On the smallest networks every listed pattern has destinations, or says why it has none.
func TestPatternsOnTheSmallestNetworks(t *testing.T) {
	swap := filepath.Join(t.TempDir(), "swap.csv")
	require.NoError(t, os.WriteFile(swap, []byte("0,1\n1,0\n"), 0o644))
	weights := filepath.Join(t.TempDir(), "weights.csv")
	require.NoError(t, os.WriteFile(weights, []byte("0,1,2\n"), 0o644))
	arguments := map[string]string{"hotspot": "0@0.5", "permutation": swap, "matrix": weights, traceName: swap}
	refused := map[string]string{ // on two nodes or more
		"transpose": "expected a square", "bitcomp": "expected a power of two", "bitrev": "expected a power of two", "shuffle": "expected a power of two",
		"tornado": "expected a path, ring", "neighbor": "expected a path, ring", traceName: "is a list of packets",
	}
	const asleep = "every node would send to itself"
	sent := map[string]bool{}
	for _, f := range Patterns() {
		spec := f.Name
		if f.Arguments != "" {
			require.Contains(t, arguments, f.Name, "the list arguments of this test")
			spec += ":" + arguments[f.Name]
		}
		for _, on := range []string{"path:1", "mesh:1x1", "complete:1", "path:2", "ring:2", "mesh:2x1", "torus:1x2", "hypercube:1", "star:2", "hub:2", "complete:2", "debruijn:1", "path:3", "mesh:2x2", "twisted-torus:2x3"} {
			topo := parse(t, on)
			p, err := ParsePattern(spec, topo)
			var bad *input.Error
			switch {
			case topo.Nodes() == 1:
				require.EqualError(t, err, "traffic among 1 node (expected at least 2)", "%s on %s", spec, on)
				continue
			case err != nil && !strings.Contains(err.Error(), asleep):
				require.NotEmpty(t, refused[f.Name], "%s on %s: %v", spec, on, err)
				require.ErrorContains(t, err, refused[f.Name], "%s on %s", spec, on)
				fallthrough
			case err != nil:
				require.True(t, errors.As(err, &bad), "%s on %s", spec, on)
				continue
			}
			sent[f.Name] = true
			senders := p.Sources()
			if senders == nil {
				for n := range router.NodeID(topo.Nodes()) {
					senders = append(senders, n)
				}
			}
			require.NotEmpty(t, senders, "%s on %s", spec, on)
			rng := rand.New(rand.NewPCG(1, 2))
			for _, from := range senders {
				for range 20 {
					to := p.Destination(from, rng)
					require.True(t, to >= 0 && int(to) < topo.Nodes() && to != from, "%s on %s: %d to %d", spec, on, from, to)
				}
			}
			r := measured(t, network(t, on, 2), &Load{Pattern: p, Rate: 0.2, Requests: sizes(t, "1"), Seed: 1}, Phases{WarmUp: 10, Measure: 100, Drain: 100})
			require.NotZero(t, r.Packets, "%s on %s", spec, on)
		}
	}
	for _, f := range Patterns() {
		require.Equal(t, f.Name != traceName, sent[f.Name], "%s sends on none of these networks", f.Name)
	}
}

// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
	"meshwright/router"
)

func TestMatrixFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0,1,1\n", ""},
		{"weight,source,destination\n2.5,0,1\n1e-300,0,2\n", ""},
		{"0,0,0\n0,1,3\n1,0,0\n", ""},
		{"0,1,1.7e308\n0,2,1.7e308\n", ""},
		{"", "m.csv: no rows (expected rows of source,destination,weight)"},
		{"source,destination,weight\n", "m.csv: no rows (expected rows of source,destination,weight)"},
		{"0,1\n", `m.csv:1: 2 columns (expected source,destination,weight)`},
		{"0,4,1\n", `m.csv:1: "4" is not a node (expected 0 to 3)`},
		{"0,1,1\n-1,2,1\n", `m.csv:2: "-1" is not a node (expected 0 to 3)`},
		{"0,1,-1\n", `m.csv:1: weight "-1" (expected a number of at least 0)`},
		{"0,1,NaN\n", `m.csv:1: weight "NaN" (expected a number of at least 0)`},
		{"0,1,inf\n", `m.csv:1: weight "inf" (expected a number of at least 0)`},
		{"0,1,1e999\n", `m.csv:1: weight "1e999" (expected a number of at least 0)`},
		{"0,1,\n", `m.csv:1: weight "" (expected a number of at least 0)`},
		{"2,2,1\n", "m.csv:1: node 2 sends to itself (expected two nodes, or the weight 0)"},
		{"0,1,0\n2,1,0\n", "m.csv: no weight above 0 (expected at least one)"},
		{"0,1,1\n0,2,1\n0,1,3\n", "m.csv:3: source 0 has a row for destination 1 already, in line 1 (expected one row for each pair)"},
		{"1,2,1\n0,2,1\n1,2,3\n0,2,1\n", "m.csv:3: source 1 has a row for destination 2 already, in line 1 (expected one row for each pair)"},
	} {
		_, err := scanMatrix([]byte(c.text), "m.csv", 4)
		if c.want == "" {
			require.NoError(t, err, c.text)
			continue
		}
		require.EqualError(t, err, c.want, c.text)
	}
}

// Packets go to destinations in proportion to the weights of their source; nodes without weights do not send.
func TestMatrixDestinations(t *testing.T) {
	p, err := scanMatrix([]byte("3,0,1\n0,1,2\n0,3,5\n0,2,0\n0,4,1\n3,2,1e-9\n1,0,7\n2,1,0\n4,1,1.7e308\n4,2,1.7e308\n"), "m.csv", 5)
	require.NoError(t, err)
	require.Equal(t, []router.NodeID{0, 1, 3, 4}, p.Sources())
	for from, shares := range map[router.NodeID][]float64{
		0: {0, 0.25, 0, 0.625, 0.125}, 1: {1, 0, 0, 0, 0}, 3: {1, 0, 0, 0, 0}, 4: {0, 0.5, 0.5, 0, 0},
	} {
		const draws = 100_000
		rng, seen := rand.New(rand.NewPCG(1, 2)), make([]float64, 5)
		for range draws {
			seen[p.Destination(from, rng)]++
		}
		for node, share := range shares {
			require.InDelta(t, share, seen[node]/draws, 0.006, "%d to %d", from, node)
			require.Equal(t, share == 0, seen[node] == 0, "%d to %d", from, node)
		}
	}
	whole, err := scanMatrix([]byte("0,1,1\n1,0,1\n"), "m.csv", 2)
	require.NoError(t, err)
	require.Nil(t, whole.Sources(), "all nodes send")
}

// The binary search draws what a walk over the weights draws.
func TestMatrixAgainstAWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		nodes := 2 + rng.IntN(20)
		weights := make([][]float64, nodes)
		var rows []weight
		for from := range weights {
			weights[from] = make([]float64, nodes)
			for to := range nodes {
				if to != from && rng.IntN(3) > 0 {
					weights[from][to] = float64(1+rng.IntN(9)) / 8
					rows = append(rows, weight{router.NodeID(from), router.NodeID(to), weights[from][to], len(rows)})
				}
			}
		}
		if len(rows) == 0 {
			continue
		}
		m := newMatrix(rows, nodes)
		for from, row := range weights {
			sum, many := 0.0, 0
			for _, w := range row {
				sum += w
				if w > 0 {
					many++
				}
			}
			if many < 2 { // draws nothing
				continue
			}
			for seed := range uint64(20) {
				at := rand.New(rand.NewPCG(seed, 5)).Float64() * sum
				want := slices.IndexFunc(row, func(w float64) bool { at -= w; return at < 0 })
				require.Equal(t, want, int(m.Destination(router.NodeID(from), rand.New(rand.NewPCG(seed, 5)))))
			}
		}
	}
}

// A matrix with one destination for each source is a permutation, packet by packet, whatever its weights.
func TestMatrixOfAPermutation(t *testing.T) {
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	var results []*Result
	for _, pattern := range []string{"permutation:" + write("p.csv", "0,3\n3,0\n1,2\n"), "matrix:" + write("m.csv", "0,3,9\n3,0,0.1\n1,2,1\n")} {
		l := load(t, pattern, "mesh:2x2", 0.3)
		r := measured(t, network(t, "mesh:2x2", 1), l, Phases{WarmUp: 100, Measure: 5000, Drain: 1000})
		require.Equal(t, 3, r.Sources)
		results = append(results, r)
	}
	require.Equal(t, results[0], results[1])
}

// Each source offers the rate, and its pairs get their shares of it.
func TestMatrixLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.csv")
	require.NoError(t, os.WriteFile(path, []byte("0,1,1\n0,2,3\n5,4,100\n"), 0o644))
	l := load(t, "matrix:"+path, "mesh:4x4", 0.4)
	r := measured(t, network(t, "mesh:4x4", 1), l, Phases{WarmUp: 1000, Measure: 100_000, Drain: 1000})
	require.Empty(t, r.Unstable)
	require.Equal(t, 2, r.Sources)
	rate := func(from, to router.NodeID) float64 { return float64(r.Pairs[Pair{from, to}].Generated) / 100_000 }
	require.Len(t, r.Pairs, 3)
	require.InDelta(t, 0.1, rate(0, 1), 0.01)
	require.InDelta(t, 0.3, rate(0, 2), 0.01)
	require.InDelta(t, 0.4, rate(5, 4), 0.01)
}

// A draw takes no memory.
func TestMatrixDrawsWithoutMemory(t *testing.T) {
	p, err := scanMatrix([]byte("0,1,1\n0,2,3\n0,3,1\n"), "m.csv", 4)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	require.Zero(t, testing.AllocsPerRun(100, func() { p.Destination(0, rng) }))
}

// A matrix is read or refused with a line, and the shares of what is read rise to 1.
func FuzzMatrix(f *testing.F) {
	for _, text := range []string{"0,1,1\n1,0,2\n", "source,destination,weight\n4,2,0.5\n4,3,1e308\n", "0,1,1\n0,1,1\n", "0,0,0\n", "0,1,-0\n", "a,b,c\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := scanMatrix(text, "m.csv", 5)
		if err != nil {
			require.True(t, errors.As(err, new(*input.Error)), "%v", err)
			return
		}
		m := p.(*matrix)
		for n := range 5 {
			shares := m.until[m.first[n]:m.first[n+1]]
			require.True(t, slices.IsSorted(shares) && (len(shares) == 0 || shares[len(shares)-1] == 1))
			require.False(t, slices.ContainsFunc(shares, math.IsNaN))
			require.NotContains(t, m.to[m.first[n]:m.first[n+1]], router.NodeID(n))
		}
	})
}

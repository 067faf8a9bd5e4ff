// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/stages"
)

func BenchmarkBestFactors(b *testing.B) {
	for _, row := range []struct {
		spec string
		best func(g stages.Grid) stages.Factors
	}{
		{"ring:4096", func(g stages.Grid) stages.Factors { m := wormhole(b, 1000); return stages.BestAxes(g, 16, 1, 0, &m) }},
		{"torus:64x64", func(g stages.Grid) stages.Factors {
			m := wormhole(b, 1000)
			return stages.BestDiagonal(g, 16, 2, 0, &m)
		}},
		{"torus:61x67", func(g stages.Grid) stages.Factors {
			m := wormhole(b, 1000)
			return stages.BestDiagonal(g, 16, 2, 0, &m)
		}},
		{"torus:16x16x16", func(g stages.Grid) stages.Factors {
			m := wormhole(b, 1000)
			return stages.BestDiagonal(g, 16, 3, 0, &m)
		}},
	} {
		b.Run(row.spec, func(b *testing.B) {
			_, g := gridOf(b, row.spec)
			for b.Loop() {
				row.best(g)
			}
		})
	}
}

func BenchmarkTorgosList(b *testing.B) {
	_, g := gridOf(b, "torus:64x64")
	for b.Loop() {
		l, err := stages.Diagonal{A: 4, B: 3}.List(g, equalLengths(4096, 16), 2)
		require.NoError(b, err)
		require.NotEmpty(b, l.Transfers)
	}
}

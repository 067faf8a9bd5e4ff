// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// What measuring costs beside BenchmarkSaturated8x8, which has the same load and measures nothing.
func BenchmarkMeasure8x8(b *testing.B) {
	n, l := network(b, "mesh:8x8", 1), load(b, "uniform", "mesh:8x8", 0.16)
	s, err := l.Source(n.Topology, 1)
	require.NoError(b, err)
	b.ReportAllocs()
	_, err = Measure(context.Background(), n, s, Phases{WarmUp: 10_000, Measure: b.N, Drain: 100_000}, Keep{})
	require.NoError(b, err)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cycles/s")
}

// SPDX-License-Identifier: Apache-2.0

package tolerant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
)

// BenchmarkBroadcastStar8 plans a broadcast of 70 words to the 40 320 nodes of star:8, a word in each message, and
// runs it in the model. It reports the seconds of both.
func BenchmarkBroadcastStar8(b *testing.B) {
	for b.Loop() {
		p := onStar(b, "star:8", 70, 1, "none")
		r, err := collective.Execute(b.Context(), p)
		require.NoError(b, err)
		require.NoError(b, r.Failure)
		b.ReportMetric(float64(p.Messages), "messages")
	}
}

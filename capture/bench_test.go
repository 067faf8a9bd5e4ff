// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
)

// BenchmarkCapture tells what a capture costs for each link crossing, beside
// the run itself.
func BenchmarkCapture(b *testing.B) {
	lines := randomScript(1024, 400, 60, 100, 1)
	for _, extension := range append(capture.Extensions(), "none") {
		b.Run(extension, func(b *testing.B) {
			crossings := uint64(0)
			for range b.N {
				net := network(b, "mesh:32x32", "wormhole", nil)
				net.Attach(newScript(lines))
				if extension != "none" {
					c, err := capture.Open(filepath.Join(b.TempDir(), "run"+extension), net, capture.Options{})
					require.NoError(b, err)
					net.Attach(c)
					require.NoError(b, net.Run(context.Background(), 1<<40))
					require.NoError(b, c.Close())
				} else {
					require.NoError(b, net.Run(context.Background(), 1<<40))
				}
				crossings = 0
				for _, u := range net.LinkUse() {
					crossings += u.Flits
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(crossings), "ns/crossing")
		})
	}
}

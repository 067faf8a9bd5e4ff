// SPDX-License-Identifier: Apache-2.0

package alltoall_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/router"
)

// On a hypercube of N nodes a dimension is a halving: log N steps in which
// every node sends N/2 blocks to a neighbour.
func TestHypercubeExchangeFormula(t *testing.T) {
	for dimensions := 1; dimensions <= 5; dimensions++ {
		for _, c := range [][3]int{{0, 1, 1}, {9, 1, 1}, {100, 2, 1}, {3, 1, 3}} {
			for _, words := range []int{1, 7} {
				j := collectivetest.Equal(t, fmt.Sprint("hypercube:", dimensions), "wormhole", 0, words)
				j.Machine.Startup, j.Machine.Flit, j.Machine.Hop, j.Colours = c[0], c[1], c[2], 1
				step := c[0] + 1<<(dimensions-1)*words*c[1] + c[2] - 1
				for _, algorithm := range []string{"dimensions", "logarithmic"} {
					require.Equal(t, router.Cycle(dimensions*step+1), collectivetest.Run(t, "exchange", algorithm, j).Cycles)
				}
			}
		}
	}
}

// Each algorithm has its range of startups.
func TestExchangesHaveTheirStartups(t *testing.T) {
	fastest := func(startup int) (best string) {
		least := router.Cycle(0)
		for _, algorithm := range []string{"direct", "dimensions", "logarithmic"} {
			j := collectivetest.Equal(t, "torus:6x6", "wormhole", 0, 4)
			j.Machine.Startup, j.Machine.Channels = startup, 1
			if r := collectivetest.Run(t, "exchange", algorithm, j); best == "" || r.Cycles < least {
				best, least = algorithm, r.Cycles
			}
		}
		return best
	}
	require.Equal(t, "direct", fastest(0))
	require.Equal(t, "dimensions", fastest(30))
	require.Equal(t, "logarithmic", fastest(1000))
}

func BenchmarkPlan(b *testing.B) {
	for _, row := range []struct {
		kind, algorithm, spec string
		words, startup        int
	}{
		{"broadcast", "auto", "torus:32x32", 1000, 0}, {"broadcast", "auto", "torus:32x32", 1000, 100}, {"allreduce", "scatter-gossip", "torus:32x32", 1024, 10},
		{"exchange", "dimensions", "torus:16x16", 4, 10}, {"exchange", "logarithmic", "torus:16x16", 4, 1000}, {"scatter", "combining", "torus:64x64", 16, 500},
	} {
		b.Run(fmt.Sprint(row), func(b *testing.B) {
			j := collectivetest.Equal(b, row.spec, "wormhole", 0, row.words)
			j.Machine.Startup = row.startup
			for b.Loop() {
				p, err := collective.Generate(b.Context(), row.kind, row.algorithm, j)
				require.NoError(b, err)
				for _, f := range p.Facts {
					if f.Key == "predicted_cycles" {
						b.ReportMetric(float64(f.Value), "cycles")
						b.ReportMetric(float64(f.Value)/float64(p.LowerBound()), "of-bound")
					}
				}
			}
		})
	}
}

// Half-duplex PEs send and receive in turn, flit by flit: a pair exchanges two messages in the time of both, and no PE waits for the end of a message.
func TestShiftsSharePorts(t *testing.T) {
	for _, row := range []struct {
		topology, ports, channels, startup string
		want                               router.Cycle
	}{
		{"complete:16", "all", "links", "30", 30 + 2*16},
		{"complete:8", "single", "1", "0", 2 * 7 * 16},
		{"hypercube:3", "all", "1", "0", 2*7*16 + 2},
		{"hypercube:3", "single", "1", "0", 303},
	} {
		j := collectivetest.Equal(t, row.topology, "wormhole", 0, 16)
		for key, value := range map[string]string{"ports": row.ports, "nic.channels": row.channels, "nic.duplex": "half", "startup": row.startup} {
			require.NoError(t, j.Machine.Set(key, value))
		}
		require.Equal(t, row.want, collectivetest.Run(t, "exchange", "shifts", j).Cycles, "%v", row)
	}
}

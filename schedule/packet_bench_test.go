// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// A scatter of packets to every node, the furthest first.
func BenchmarkPacketScatter(b *testing.B) {
	for _, row := range []struct {
		name    string
		parents func(i int, rng *rand.Rand) int // of node i+1
		nodes   int
		flits   int
	}{
		{"random tree of 100000 nodes", func(i int, rng *rand.Rand) int { return rng.IntN(i + 1) }, 100_000, 1},
		{"path of 1000 nodes", func(i int, _ *rand.Rand) int { return i }, 1000, 8},
	} {
		for _, setup := range []string{"1", "3/2"} {
			b.Run(fmt.Sprintf("%s, set-up %s", row.name, setup), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				parents := make([]int, row.nodes-1)
				depth := make([]int, row.nodes)
				byDepth := [][]int{}
				for i := range parents {
					parents[i] = row.parents(i, rng)
					depth[i+1] = depth[parents[i]] + 1
					for len(byDepth) <= depth[i+1] {
						byDepth = append(byDepth, nil)
					}
					byDepth[depth[i+1]] = append(byDepth[depth[i+1]], i+1)
				}
				topo, err := topology.Parse(treeFile(b, parents))
				require.NoError(b, err)
				var rows []Row
				for d := len(byDepth) - 1; d > 0; d-- {
					for _, n := range byDepth[d] {
						rows = append(rows, Row{Message: int32(len(rows) + 1), Destination: router.NodeID(n), Flits: row.flits})
					}
				}
				m, err := machine.Preset("store-forward")
				require.NoError(b, err)
				require.NoError(b, m.Set("setup", setup))
				m, err = m.FitPackets(row.flits)
				require.NoError(b, err)
				crossings, ticks := uint64(0), router.Cycle(0)
				for b.Loop() {
					n, err := fabric.New(topo, m)
					require.NoError(b, err)
					player, err := NewPlayer(n, &Schedule{Rows: rows})
					require.NoError(b, err)
					n.Attach(player)
					require.NoError(b, n.Run(b.Context(), 1<<40))
					ticks = n.Now()
					for _, u := range n.LinkUse() {
						crossings += u.Flits
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(crossings), "ns/crossing")
				b.ReportMetric(float64(ticks), "ticks")
			})
		}
	}
}

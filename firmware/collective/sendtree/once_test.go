// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/stages"
	"meshwright/firmware/transfer"
)

// Gossips made to come once each still come, and turned round they sum up.
func TestGossipsTurnedRoundSumUp(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, spec := range []string{"path:2", "path:7", "path:20", "ring:9", "ring:10", "mesh:4x4", "torus:4x4", "mesh:3x5", "hypercube:3"} {
		topo := parse(t, spec)
		g := stages.GridOf(topo)
		for name, method := range map[string]stages.Method{"centre": stages.ThroughCentre{}, "places": stages.PlaceByPlace{}, "circular": stages.Circular{A: 3, B: 1}} {
			t.Run(fmt.Sprint(spec, name), func(t *testing.T) {
				lengths, words := make([]int, topo.Nodes()), 0
				for n := range lengths {
					lengths[n] = random.IntN(4)
					words += lengths[n]
				}
				l, err := stages.Axes(g, lengths, 1, method)
				require.NoError(t, err)
				once := Once(l, lengths)
				_, flits := once.Messages()
				require.Equal(t, words*(len(lengths)-1), flits)

				want, areas := make([]int64, words), make([][]int64, len(lengths))
				from := 0
				for n := range areas {
					areas[n] = slices.Repeat([]int64{noWord}, words)
					for w := from; w < from+lengths[n]; w++ {
						want[w] = int64(w + 100)
						areas[n][w] = want[w]
					}
					from += lengths[n]
				}
				carry(t, once, areas)
				for n := range areas {
					require.Equal(t, want, areas[n])
				}

				for n := range areas {
					for w := range areas[n] {
						areas[n][w] = int64((n + 1) * (w + 1))
					}
				}
				carry(t, Then(ReduceScatter(once), once), areas)
				for n := range areas {
					for w, word := range areas[n] {
						require.EqualValues(t, (w+1)*len(lengths)*(len(lengths)+1)/2, word)
					}
				}
			})
		}
	}
}

// Pieces reach their nodes down a tree.
func TestPiecesReachTheirNodes(t *testing.T) {
	topo := parse(t, "mesh:4x5")
	lengths := []int{1, 0, 2, 3, 1, 0, 2, 3, 1, 0, 2, 3, 1, 0, 2, 3, 1, 0, 2, 3}
	l := Doubling(topo, wormhole(t, 9, 1, 1), 6, constant(3)).Pieces(lengths)
	areas := make([][]int64, len(lengths))
	for n := range areas {
		areas[n] = slices.Repeat([]int64{noWord}, 30)
	}
	for w := range areas[6] {
		areas[6][w] = int64(w)
	}
	carry(t, l, areas)
	from := 0
	for n, length := range lengths {
		for w := from; w < from+length; w++ {
			require.EqualValues(t, w, areas[n][w])
		}
		from += length
	}
	require.Equal(t, transfer.Put, l.Transfers[0].Op)
}

// SPDX-License-Identifier: Apache-2.0

package published

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

func on(t *testing.T, spec string) *topology.Topology {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

// The distances of Swing are those of its paper, figure 1: 1, -1, 3, -5, 11 from an even node, and
// the partner's partner is the node.
func TestSwingsPartners(t *testing.T) {
	const n = 32
	for step, want := range []int{1, 31, 3, 27, 11} {
		require.Equal(t, want, swing(0, step, n), "step %d", step)
		for place := range n {
			q := swing(place, step, n)
			require.NotEqual(t, place, q)
			require.Equal(t, place, swing(q, step, n), "step %d, place %d", step, place)
		}
	}
}

// Every pattern has partners in pairs, and cuts the words in pieces of which each node gets one; the
// halves that partners keep have no piece in common.
func TestPiecesAreHalved(t *testing.T) {
	for _, spec := range []string{"ring:2", "ring:16", "torus:4x4", "torus:8x4x2", "hypercube:4", "mesh:4x8", "path:7", "binary:3"} {
		for name, of := range map[string]apart{"xor": xor, "swing": swing} {
			for i, p := range patterns(on(t, spec), of, true) {
				s := findPieces(p)
				require.NotNil(t, s, "%s %s %d", spec, name, i)
				for k, peers := range p.peers {
					for n, q := range peers {
						if q == router.None {
							continue
						}
						require.EqualValues(t, n, peers[q])
						from, to := s.kept(k, router.NodeID(n))
						mine, _ := s.kept(k+1, router.NodeID(n))
						yours, _ := s.kept(k+1, q)
						require.ElementsMatch(t, []int{from, (from + to) / 2}, []int{mine, yours}, "%s %s step %d node %d", spec, name, k, n)
					}
				}
			}
		}
	}
}

// Partners that come back to each other too early leave no order of pieces.
func TestPatternsThatDoNotReachAll(t *testing.T) {
	same := []router.NodeID{1, 0, 3, 2}
	require.Nil(t, findPieces(pattern{peers: [][]router.NodeID{same, same}}))
}

// On machines whose links work at the same time, the patterns of a step use different links: those
// that begin with different dimensions, and the mirrored ones.
func TestPatternsUseAllLinksInStepZero(t *testing.T) {
	topo := on(t, "torus:8x8")
	links := map[[2]router.NodeID]bool{}
	for _, p := range patterns(topo, swing, true) {
		for n, q := range p.peers[0] {
			link := [2]router.NodeID{router.NodeID(n), q}
			require.False(t, links[link], "%v", link)
			links[link] = true
		}
	}
	require.Len(t, links, 4*64)
}

// A bucket's messages go to neighbours, and on a square torus no link carries two in a step.
func TestBucketsKeepApart(t *testing.T) {
	topo := on(t, "torus:4x4")
	l := bucketAllreduce(topo, 256, buckets(topo, true))
	used := map[[3]int]bool{}
	for _, x := range l.Transfers {
		_, near := topo.PortTo(x.From, x.To)
		require.True(t, near)
		key := [3]int{x.Step, int(x.From), int(x.To)}
		require.False(t, used[key], "%v", key)
		used[key] = true
	}
	require.Len(t, used, 12*4*16)
}

// Each node gets the words of a Bine tree once, and sends only what it has.
func TestBineTreesReachAll(t *testing.T) {
	for _, spec := range []string{"ring:8", "torus:8x4", "hypercube:5", "path:11"} {
		topo := on(t, spec)
		for root := range router.NodeID(topo.Nodes()) {
			p := patterns(topo, swing, false)[0]
			l := bineTree(p, root, topo.Nodes(), 3)
			step := map[router.NodeID]int{root: -1}
			for _, x := range l.Transfers {
				had, ok := step[x.From]
				require.True(t, ok && had < x.Step, "%s root %d: %d has nothing in step %d", spec, root, x.From, x.Step)
				require.NotContains(t, step, x.To)
				require.Equal(t, transfer.Set{{From: 0, To: 3}}, x.Out)
				step[x.To] = x.Step
			}
			require.Len(t, step, topo.Nodes())
		}
	}
}

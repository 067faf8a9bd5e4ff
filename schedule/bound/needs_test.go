// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomCosts are costs of all arcs between some nodes.
func randomCosts(g *rand.Rand, nodes int) []float64 {
	cost := make([]float64, nodes*nodes)
	for i := range cost {
		cost[i] = float64(g.IntN(20))
	}
	return cost
}

// costOf is what a word pays for some arcs.
func costOf(arcs []usedArc, cost []float64, nodes int) (sum float64) {
	for _, a := range arcs {
		sum += a.flits * cost[int(a.from)*nodes+int(a.to)]
	}
	return sum
}

// Messages at random, until all nodes have what they need, cost no less than the least: one word from one node to all, parts of a sum to one node, parts of a sum to all. The arcs that are cheap cost no less either, and what is exact costs that.
func TestNeedsAgainstRandomMessages(t *testing.T) {
	g := rand.New(rand.NewPCG(3, 9))
	for range 300 {
		nodes := 3 + g.IntN(3)
		cost, root := randomCosts(g, nodes), g.IntN(nodes)
		knows := make([]uint, nodes)
		spread, sums, shared := math.Inf(1), math.Inf(1), math.Inf(1)
		for range 200 {
			for n := range knows {
				knows[n] = 1 << n
			}
			// What a node can know without having been told is not paid for: so messages that bring nothing are left out.
			paid, done := 0.0, false
			for !done {
				u, v := g.IntN(nodes), g.IntN(nodes)
				if knows[u]&^knows[v] == 0 {
					continue
				}
				knows[v] |= knows[u]
				paid += cost[u*nodes+v]
				done = true
				for _, k := range knows {
					done = done && k == 1<<nodes-1
				}
				if knows[root] == 1<<nodes-1 {
					sums = min(sums, paid)
				}
				told := true
				for _, k := range knows {
					told = told && k>>root&1 == 1
				}
				if told {
					spread = min(spread, paid)
				}
			}
			shared = min(shared, paid)
		}
		for _, row := range []struct {
			name  string
			needs needs
			found float64
			exact bool
		}{
			{"spread", newSpreadTrees(nodes), spread, true},
			{"sums", newSumTrees(nodes), sums, true},
			{"shared", newSharedSums(nodes), shared, false},
			{"ways", &ownWays{nodes}, math.Inf(1), true},
		} {
			least, arcs := row.needs.least(root, cost), costOf(row.needs.arcs(root, cost), cost, nodes)
			require.LessOrEqual(t, least, row.found, row.name)
			require.GreaterOrEqual(t, arcs, least, row.name)
			if row.exact {
				require.InDelta(t, least, arcs, 1e-9, row.name)
			}
		}
	}
}

// The routes of an all-to-all are as cheap as those that Floyd and Warshall find.
func TestOwnWaysAreTheCheapest(t *testing.T) {
	g := rand.New(rand.NewPCG(4, 9))
	for range 100 {
		nodes := 3 + g.IntN(8)
		cost, root := randomCosts(g, nodes), g.IntN(nodes)
		far := append([]float64(nil), cost...)
		for k := range nodes {
			for u := range nodes {
				for v := range nodes {
					far[u*nodes+v] = min(far[u*nodes+v], far[u*nodes+k]+far[k*nodes+v])
				}
			}
		}
		sum := 0.0
		for v := range nodes {
			if v != root {
				sum += far[root*nodes+v]
			}
		}
		require.InDelta(t, sum, (&ownWays{nodes}).least(root, cost), 1e-9)
	}
}

// The routes over links are as cheap as the cheapest of all walks, which Bellman and Ford find link by link.
func TestRoadsAreTheCheapest(t *testing.T) {
	g := rand.New(rand.NewPCG(5, 9))
	for range 60 {
		nodes, states := 2+g.IntN(6), 1+g.IntN(2)
		things := make([]thing, 40)
		for i := range things {
			things[i].price = float64(g.IntN(30))
		}
		any := func() int32 { return int32(g.IntN(len(things)+1)) - 1 }
		var list []road
		for u := range int32(nodes) {
			for v := range int32(nodes) {
				if u != v && (v == (u+1)%int32(nodes) || g.IntN(2) == 0) {
					list = append(list, road{u, v, any(), any(), [2]int32{any(), any()}, [2]int32{any(), any()}, [2]int32{any(), any()}})
				}
			}
		}
		r := newRoads(nodes, states, list)
		r.find(things)
		for u := range int32(nodes) {
			for v := range int32(nodes) {
				if u == v {
					continue
				}
				require.InDelta(t, cheapestWalk(list, states, things, u, v), r.cost[int(u)*nodes+int(v)], 1e-9)
				for i := range things {
					things[i].used = 0
				}
				r.use(things, u, v, 1)
				paid := 0.0
				for _, x := range things {
					paid += x.used * x.price
				}
				require.InDelta(t, r.cost[int(u)*nodes+int(v)], paid, 1e-9, "what is used is what is paid for")
			}
		}
	}
}

// cheapestWalk is the price of the cheapest walk of links from u to v.
func cheapestWalk(list []road, states int, things []thing, u, v int32) float64 {
	at := make([]float64, len(list)) // the price up to a link, its own things included but for those of the chip behind it
	link := func(x *road, z int) float64 {
		return price(things, x.passes[0]) + price(things, x.passes[1]) + price(things, x.leave[z])
	}
	best := math.Inf(1)
	for i := range list {
		at[i] = math.Inf(1)
		if x := &list[i]; x.from == u {
			at[i] = price(things, x.out) + link(x, sends)
		}
	}
	for range 2 * len(list) {
		for i := range list {
			for j := range list {
				for z := range states {
					if list[i].to == list[j].from {
						at[j] = min(at[j], at[i]+price(things, list[i].arrive[z])+link(&list[j], z))
					}
				}
			}
		}
	}
	for i := range list {
		if x := &list[i]; x.to == v {
			best = min(best, at[i]+price(things, x.arrive[states-1])+price(things, x.in))
		}
	}
	return best
}

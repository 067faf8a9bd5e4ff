// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/plan"
	"meshwright/router"
)

func exchangeOf(t testing.TB, spec string, lengths ...int) *plan.Task {
	return taskOf(t, plan.Exchange, spec, "100", lengths...)
}

func trafficOf(t testing.TB, task *plan.Task, rounds int) *traffic {
	n, err := newNetwork(task, false)
	require.NoError(t, err)
	return newTraffic(n, rounds)
}

// again is the same form, made anew from its messages and routes.
func (t *traffic) again() *traffic {
	a := newTraffic(t.network, t.rounds)
	copy(a.to, t.to)
	a.spread(a.rounds - 1)
	for block, k := range t.losts {
		if u, v := t.ends(int32(block)); k == none && u != v && t.all>>u&1 == 1 {
			a.put(int32(block), t.wayOf(int32(block)))
		}
	}
	return a
}

func requireSameTraffic(t *testing.T, want, got *traffic) {
	require.Equal(t, want.to, got.to)
	require.Equal(t, want.words, got.words)
	require.Equal(t, want.ways, got.ways)
	require.Equal(t, want.reach, got.reach)
	require.Equal(t, want.loads, got.loads)
	require.Equal(t, want.used, got.used)
	require.ElementsMatch(t, want.lost, got.lost)
	for i := range want.blocks {
		require.ElementsMatch(t, want.blocks[i], got.blocks[i])
	}
	require.InDelta(t, want.cost(), got.cost(), 1e-6*got.cost())
}

// Loads, words and reach are those of the messages and routes, after each change and after it is undone.
func TestTrafficFollowsFromChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	x := trafficOf(t, exchangeOf(t, "mesh:3x3", 3, 0, 5), 3)
	x.scatter(random)
	for range 300 {
		before := x.again()
		if moves := x.moves(nil, random); len(moves) > 0 && random.IntN(2) == 0 {
			x.redirect(moves)
		} else if block := random.Int32N(81); x.losts[block] == none && x.wayOf(block)[0] != none {
			x.leadAgain(block)
		} else {
			continue
		}
		requireSameTraffic(t, x.again(), x)
		if random.IntN(2) == 0 {
			x.undo()
			requireSameTraffic(t, before, x)
		}
	}
}

// A block without a route is one to whose destination no messages of the rounds lead.
func TestBlocksAreLostOnlyWithoutAWay(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	for range 20 {
		x := trafficOf(t, exchangeOf(t, "torus:4x3", 2), 2)
		x.scatter(random)
		for source := range int32(x.nodes) {
			has := uint64(1) << source
			for r := range x.rounds {
				next := has
				for i, s := range x.slots {
					if has>>s.owner&1 == 1 {
						next |= 1 << x.to[r*len(x.slots)+i]
					}
				}
				has = next
			}
			for v := range int32(x.nodes) {
				if v != source {
					require.Equal(t, has>>v&1 == 0, x.losts[source*int32(x.nodes)+v] != none)
				}
			}
		}
	}
}

// The cheapest route of a block raises the cost no more than any other one does.
func TestCheapestWay(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	x := trafficOf(t, exchangeOf(t, "mesh:2x3", 4), 3)
	x.scatter(random)
	var ways func(block, at int32, way []int32, visit func(way []int32))
	ways = func(block, at int32, way []int32, visit func(way []int32)) {
		if len(way) == x.rounds {
			if _, to := x.ends(block); at == to {
				visit(way)
			}
			return
		}
		ways(block, at, append(way, none), visit)
		for _, s := range x.slotsOf[at] {
			i := int32(len(way)*len(x.slots)) + s
			if x.to[i] != none {
				ways(block, x.to[i], append(way, i), visit)
			}
		}
	}
	looked := 0
	for block, k := range x.losts {
		from, to := x.ends(int32(block))
		if from == to || k != none {
			continue
		}
		looked++
		x.leadAgain(int32(block))
		cost, own := x.cost(), slices.Clone(x.wayOf(int32(block)))
		ways(int32(block), from, nil, func(way []int32) {
			x.take(int32(block))
			x.put(int32(block), way)
			require.GreaterOrEqual(t, x.cost(), cost-1e-6*cost, "block %d: %v is cheaper than %v", block, way, own)
		})
		x.take(int32(block))
		x.put(int32(block), own)
	}
	require.Greater(t, looked, 20, "of 30 blocks")
}

// Messages bring every block from its source to its destination, each from the node at which it is.
func TestExchangeBringsAllBlocks(t *testing.T) {
	for _, spec := range []string{"path:2", "ring:5", "mesh:3x4", "binary:3", "random:12,3,4", "complete:7"} {
		task := exchangeOf(t, spec, 1, 4)
		booked := 0
		require.NoError(t, Exchange(task, 1<<40, func(list []Bundle) router.Cycle {
			booked++
			nodes := len(task.Lengths)
			at := make([]int32, nodes*nodes)
			for b := range at {
				at[b] = int32(b / nodes)
			}
			for _, m := range list {
				require.NotEqual(t, m.From, m.To)
				for _, b := range m.Blocks {
					require.Equal(t, m.From, at[b], "%s: block %d", spec, b)
					at[b] = m.To
				}
			}
			for b := range at {
				require.Equal(t, int32(b%nodes), at[b], "%s: block %d", spec, b)
			}
			return router.Cycle(len(list))
		}))
		require.Equal(t, numbers+longer, booked, spec)
	}
}

// Long searches follow only if a short one comes near the known time.
func TestExchangeEndsWithoutHope(t *testing.T) {
	booked := 0
	require.NoError(t, Exchange(exchangeOf(t, "ring:5", 2), 100, func([]Bundle) router.Cycle {
		booked++
		return 126
	}))
	require.Equal(t, numbers, booked)
}

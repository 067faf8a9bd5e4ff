// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// randomTree hangs every node below an earlier one; span 1 makes a path.
func randomTree(t testing.TB, random *rand.Rand, n, span int) *Tree {
	t.Helper()
	parent := make([]int, n)
	parent[0] = -1
	for v := 1; v < n; v++ {
		parent[v] = v - 1 - random.IntN(min(v, span))
	}
	tree, err := NewTree(parent)
	require.NoError(t, err)
	return tree
}

func pathOf(t testing.TB, n int) *Tree {
	return randomTree(t, rand.New(rand.NewPCG(0, 0)), n, 1)
}

func randomBursts(random *rand.Rand, n, count, most int) []Burst {
	bursts := make([]Burst, count)
	for i := range bursts {
		flits := 1 + random.IntN(most)
		bursts[i] = Burst{1 + random.IntN(n-1), flits, 1 + random.IntN(flits)}
	}
	return bursts
}

// twin runs a scatter tick by tick, as the rules have it, and returns the
// arrivals and the most flits that a node held at the start of a tick.
func twin(tree *Tree, packets []Packet, c clock) (arrivals []Ticks, buffer int) {
	type sending struct {
		packet int
		timer  int64
		flits  int64
	}
	arrivals = make([]Ticks, len(packets))
	queue := make([][]int, tree.Nodes())
	held := make([]int, tree.Nodes())
	active := make([]*sending, tree.Nodes())
	for i := range packets {
		queue[tree.root] = append(queue[tree.root], i)
	}
	left := len(packets)
	for tick := int64(0); left > 0; tick++ {
		type crossing struct{ from, packet int }
		var complete []crossing
		for v := range queue {
			if active[v] == nil && len(queue[v]) > 0 {
				active[v] = &sending{queue[v][0], c.setup + c.flit - 1, int64(packets[queue[v][0]].Flits)}
				queue[v] = queue[v][1:]
			}
		}
		for v, s := range active {
			if s == nil {
				continue
			}
			if s.timer > 0 {
				s.timer--
				continue
			}
			s.timer = c.flit - 1
			s.flits--
			if v != tree.Root() {
				held[v]--
			}
			if next := step(tree, v, packets[s.packet].Node); next != packets[s.packet].Node {
				held[next]++
			}
			if s.flits == 0 {
				complete = append(complete, crossing{v, s.packet})
				active[v] = nil
			}
		}
		for _, x := range complete {
			next := step(tree, x.from, packets[x.packet].Node)
			if next == packets[x.packet].Node {
				arrivals[x.packet] = Ticks(tick + 1)
				left--
			} else {
				queue[next] = append(queue[next], x.packet)
			}
		}
		for _, h := range held {
			buffer = max(buffer, h)
		}
	}
	return arrivals, buffer
}

// step is the child of v on the way to a node.
func step(tree *Tree, v, to int) int {
	for int(tree.parent[to]) != v {
		to = int(tree.parent[to])
	}
	return to
}

func TestScatterIsThatOfEveryTick(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 5))
		n := 2 + random.IntN(8)
		tree := randomTree(t, random, n, 1+random.IntN(4))
		beta := ratio(t, random.Int64N(9), 1+random.Int64N(4))
		bursts := randomBursts(random, n, 1+random.IntN(8), 12)
		plan, err := Evaluate(tree, bursts, beta)
		require.NoError(t, err)
		packets := plan.Packets()
		o, err := Scatter(tree, packets, beta)
		require.NoError(t, err)
		arrivals, buffer := twin(tree, packets, clockOf(beta))
		require.Equal(t, arrivals, o.Arrival, "seed %d", seed)
		require.Equal(t, buffer, o.Buffer, "seed %d", seed)
		require.Equal(t, plan.Ticks, o.Completion, "seed %d", seed)
		largest := 0
		for _, p := range packets {
			largest = max(largest, p.Flits)
		}
		require.LessOrEqual(t, o.Buffer, largest, "Tsai, theorem 6")
	}
}

func TestGatherBackwardsIsAsFast(t *testing.T) {
	slower := 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 6))
		n := 2 + random.IntN(9)
		tree := randomTree(t, random, n, 1+random.IntN(4))
		beta := ratio(t, random.Int64N(9), 1+random.Int64N(4))
		plan, err := Evaluate(tree, randomBursts(random, n, 1+random.IntN(8), 12), beta)
		require.NoError(t, err)
		dispatch, err := plan.Gather(tree, beta)
		require.NoError(t, err)
		o, err := Gather(tree, dispatch, beta)
		require.NoError(t, err)
		if o.Completion > plan.Ticks {
			slower++
			if slower < 4 {
				t.Log(seed, plan.Ticks, o.Completion, tree.parent, beta, plan.Packets(), dispatch)
			}
		}
	}
	t.Log(slower)
	require.Zero(t, slower)
}

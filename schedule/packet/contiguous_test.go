// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/rational"
)

// vectors calls visit for all values of so many digits from 1 to m.
func vectors(digits, m int, visit func([]int)) {
	vector := make([]int, digits)
	for i := range vector {
		vector[i] = 1
	}
	for {
		visit(vector)
		i := 0
		for ; i < digits; i++ {
			if vector[i]++; vector[i] <= m {
				break
			}
			vector[i] = 1
		}
		if i == digits {
			return
		}
	}
}

// furthestOf is the furthest-first scatter of m flits to each of nodes, in
// rising order, with a number of packets for each.
func furthestOf(t testing.TB, nodes []int, m int, packets []int, beta rational.Rational) *Plan {
	t.Helper()
	tree := pathOf(t, nodes[len(nodes)-1]+1)
	bursts := make([]Burst, len(nodes))
	for i, v := range nodes {
		bursts[len(nodes)-1-i] = Burst{v, m, packets[i]}
	}
	plan, err := Evaluate(tree, bursts, beta)
	require.NoError(t, err)
	return plan
}

func TestOneSplitForContiguousNodesIsOptimal(t *testing.T) {
	for _, text := range []string{"0", "1/4", "1", "3/2", "5", "20"} {
		beta, err := rational.Parse(text)
		require.NoError(t, err)
		for s := 1; s <= 5; s++ {
			for last := s; last <= s+3; last++ {
				var nodes []int
				for v := s; v <= last; v++ {
					nodes = append(nodes, v)
				}
				for m := 1; m <= 6; m++ {
					least := Ticks(1 << 60)
					vectors(len(nodes), m, func(r []int) {
						least = min(least, furthestOf(t, nodes, m, r, beta).Ticks)
					})
					choice, err := ScatterContiguous(int64(m), int64(s), int64(last), beta)
					require.NoError(t, err)
					same := make([]int, len(nodes))
					for i := range same {
						same[i] = int(choice.Packets)
					}
					plan := furthestOf(t, nodes, m, same, beta)
					require.Equal(t, least, plan.Ticks, "m=%d nodes=%v beta=%v", m, nodes, beta)
					require.Zero(t, plan.Time().Cmp(choice.Time), "the formula")
				}
			}
		}
	}
}

// followed dispatches the messages of nodes s..t nearest first, each so that
// it follows the one before without a gap, larger packets first.
func followed(s, t, m, r int, beta rational.Rational) []Dispatch {
	c := clockOf(beta)
	split, _ := EvenSplit(int64(m), int64(r))
	message := int64(r)*c.setup + int64(m)*c.flit
	hop := c.cost(split.Flits)
	var dispatch []Dispatch
	for v := s; v <= t; v++ {
		// The root takes message v from s*hop - hop + (v-s)*message on; its first packet needs v-1 hops to there.
		at := int64(v-s)*message - int64(v-s)*hop
		for _, size := range split.Sizes() {
			dispatch = append(dispatch, Dispatch{Packet{v, size}, Ticks(at)})
		}
	}
	return dispatch
}

func TestGatherOfContiguousNodes(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 13))
		s, m := 1+random.IntN(6), 1+random.IntN(30)
		last := s + random.IntN(6)
		beta := ratio(t, random.Int64N(20), 1+random.Int64N(4))
		tree := pathOf(t, last+1)
		c := clockOf(beta)
		for r := 1; r <= m; r++ {
			o, err := Gather(tree, followed(s, last, m, r, beta), beta)
			require.NoError(t, err)
			n := int64(last - s + 1)
			want := n*(int64(r)*c.setup+int64(m)*c.flit) + int64(s-1)*c.cost(int64((m+r-1)/r))
			require.Equal(t, want, int64(o.Completion), "seed %d: nodes %d..%d, %d packets of %d flits, beta %v", seed, s, last, r, m, beta)
		}
		choice, err := ScatterContiguous(int64(m), int64(s), int64(last), beta)
		require.NoError(t, err)
		o, err := Gather(tree, followed(s, last, m, int(choice.Packets), beta), beta)
		require.NoError(t, err)
		require.Zero(t, choice.Time.Cmp(o.Time()))
	}
}

func TestGroupsAreOptimal(t *testing.T) {
	for seed := range uint64(250) {
		random := rand.New(rand.NewPCG(seed, 14))
		m := 1 + random.IntN(6)
		beta := ratio(t, random.Int64N(12), 1+random.Int64N(4))
		var groups []Group
		var nodes []int
		at, left := int64(1), 5
		for range 1 + random.IntN(3) {
			from := at + random.Int64N(5)
			count := 1 + random.IntN(2)
			if count > left {
				break
			}
			left -= count
			groups = append(groups, Group{from, from + int64(count) - 1})
			for v := range count {
				nodes = append(nodes, int(from)+v)
			}
			at = from + int64(count)
		}
		least := Ticks(1 << 60)
		vectors(len(nodes), m, func(r []int) {
			least = min(least, furthestOf(t, nodes, m, r, beta).Ticks)
		})
		choice, err := Groups(int64(m), groups, beta)
		require.NoError(t, err)
		var packets []int
		for i, g := range groups {
			for range g.To - g.From + 1 {
				packets = append(packets, int(choice.Packets[i]))
			}
		}
		plan := furthestOf(t, nodes, m, packets, beta)
		require.Equal(t, least, plan.Ticks, "seed %d: m=%d %v beta=%v", seed, m, groups, beta)
		require.Zero(t, plan.Time().Cmp(choice.Time), "seed %d", seed)
	}
}

func TestGroupsOfOne(t *testing.T) {
	random := rand.New(rand.NewPCG(15, 1))
	for range 200 {
		m, s := 1+random.Int64N(100_000), 1+random.Int64N(1000)
		last := s + random.Int64N(100)
		beta := ratio(t, random.Int64N(2000), 1+random.Int64N(100))
		one, err := ScatterContiguous(m, s, last, beta)
		require.NoError(t, err)
		all, err := Groups(m, []Group{{s, last}}, beta)
		require.NoError(t, err)
		require.Zero(t, one.Time.Cmp(all.Time))
	}
}

func TestGroupsInputs(t *testing.T) {
	beta := ratio(t, 1, 1)
	for _, row := range []struct {
		m      int64
		groups []Group
		fault  string
	}{
		{0, []Group{{1, 2}}, "0 flits (expected 1 to 1000000000000000000)"},
		{1, nil, "no group (expected at least one)"},
		{1, []Group{{0, 2}}, "nodes 0..2 (expected rising numbers from 1 to 1000000000000000000)"},
		{1, []Group{{5, 7}, {1, 5}}, "groups 1..5 and 5..7 overlap (expected groups without common nodes)"},
		{Most, []Group{{5, 7}}, "1 group, 1000000000000000000 flits a message: more than can be searched (expected smaller messages, groups or distances)"},
	} {
		_, err := Groups(row.m, row.groups, beta)
		require.EqualError(t, err, row.fault)
	}
}

func ExampleGroups() {
	beta, _ := rational.Parse("4")
	choice, _ := Groups(60, []Group{{1, 2}, {10, 11}, {40, 40}}, beta)
	fmt.Println(choice.Packets, choice.Time.RatString(), "cycles")
	// Output:
	// [1 5 15] 432 cycles
}

func BenchmarkGroups(b *testing.B) {
	beta := ratio(b, 7, 2)
	for b.Loop() {
		_, _ = Groups(1_000_000_000, []Group{{1, 20}, {100, 101}, {3000, 3005}}, beta)
	}
}

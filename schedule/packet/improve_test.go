// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"meshwright/internal/rational"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule/bound"
)

func TestImproveIsNearTheOptimum(t *testing.T) {
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "nodes\tspan\tmessages\tbeta\tfurthest\tworst\tunbroken\tworst\timproved\tworst\tmet\tbound\tworst\t")
	for _, span := range []int{1, 3, 100} {
		for _, text := range soak.Some(3, []string{"3/2", "1/2", "4"}) {
			beta, err := rational.Parse(text)
			require.NoError(t, err)
			q, err := Compare(context.Background(), Sample{Seed: 1, Cases: 20, Nodes: 16, Span: span, Messages: 6, Flits: 5, Beta: beta, Steps: 10000})
			require.NoError(t, err)
			fmt.Fprintf(out, "%d\t%d\t%d\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%d/%d\t%.4f\t%.4f\t\n", q.Nodes, q.Span, q.Messages, text,
				q.Furthest.Mean, q.Furthest.Worst, q.Unbroken.Mean, q.Unbroken.Worst, q.Improved.Mean, q.Improved.Worst, q.Met, q.Cases, q.Bound.Mean, q.Bound.Worst)
			require.LessOrEqual(t, q.Improved.Worst, q.Furthest.Worst)
			require.Less(t, q.Improved.Mean, 1.003)
			require.GreaterOrEqual(t, q.Improved.Worst, 1.0)
		}
	}
	require.NoError(t, out.Flush())
	t.Log("\n" + table.String())
}

// TestImproveOnTwoChains: with long messages on both chains the best schedules
// take turns with packets that fall in size, down to the last.
func TestImproveOnTwoChains(t *testing.T) {
	for _, row := range []struct{ b, q, ticks, least int64 }{{2, 1, 442, 424}, {1, 2, 829, 817}} {
		tree, lengths := fork(t)
		lengths[3], lengths[7] = 200, 200
		plan, err := Improve(context.Background(), tree, lengths, ratio(t, row.b, row.q), Effort{Seed: 1, Steps: 2_000_000})
		require.NoError(t, err)
		require.LessOrEqual(t, int64(plan.Ticks), row.ticks)
		require.False(t, plan.Optimal)
		low, err := bound.PacketTree(parents(tree), lengths, router.Cycle(row.b), router.Cycle(row.q))
		require.NoError(t, err)
		require.EqualValues(t, row.least, low)
		o, err := Scatter(tree, plan.Packets(), ratio(t, row.b, row.q))
		require.NoError(t, err)
		require.Equal(t, plan.Ticks, o.Completion)
	}
}

// TestBackwards: what is built from its end sends every flit once.
func TestBackwards(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 33))
		tree, lengths := largeCase(t, seed, 2+random.IntN(30), 1+random.IntN(30), 1+random.IntN(300))
		c := clockOf(ratio(t, random.Int64N(5), 1+random.Int64N(3)))
		m, err := messagesOf(tree, lengths, c)
		require.NoError(t, err)
		k := climb{engine: newEngine(tree, c), random: random}
		sent := make([]int, len(lengths))
		for _, b := range k.backwards(m, c.cost(1+random.Int64N(500))) {
			require.True(t, 1 <= b.Packets && b.Packets <= b.Flits, "%v", b)
			sent[b.Node] += b.Flits
		}
		require.Equal(t, lengths, sent)
	}
}

func largeCase(t testing.TB, seed uint64, n, span, most int) (*Tree, []int) {
	random := rand.New(rand.NewPCG(seed, 16))
	tree := randomTree(t, random, n, span)
	lengths := make([]int, n)
	for v := 1; v < n; v++ {
		lengths[v] = 1 + random.IntN(most)
	}
	return tree, lengths
}

func TestImproveLargeTrees(t *testing.T) {
	for _, row := range soak.Some(3, []struct{ n, span, most int }{{101, 10, 100000}, {1001, 1, 100}, {1001, 1000, 100}, {1001, 4, 100}}) {
		tree, lengths := largeCase(t, 1, row.n, row.span, row.most)
		beta := ratio(t, 5, 2)
		plan, err := Improve(context.Background(), tree, lengths, beta, Effort{Steps: 100})
		require.NoError(t, err)
		again, err := Improve(context.Background(), tree, lengths, beta, Effort{Steps: 100})
		require.NoError(t, err)
		require.Equal(t, plan, again, "the same seed")
		first, err := FurthestFirst(tree, lengths, beta)
		require.NoError(t, err)
		require.LessOrEqual(t, plan.Ticks, first.Ticks)
		low, err := bound.PacketTree(parents(tree), lengths, router.Cycle(beta.Num()), router.Cycle(beta.Den()))
		require.NoError(t, err)
		require.GreaterOrEqual(t, int64(plan.Ticks), int64(low))
		o, err := Scatter(tree, plan.Packets(), beta)
		require.NoError(t, err)
		require.Equal(t, plan.Ticks, o.Completion)
		sent := make([]int, len(lengths))
		for _, p := range plan.Packets() {
			sent[p.Node] += p.Flits
		}
		require.Equal(t, lengths, sent)
		t.Logf("%+v: furthest %.4f, improved %.4f of the bound %d", row, float64(first.Ticks)/float64(low), float64(plan.Ticks)/float64(low), low)
	}
}

func parents(tree *Tree) []int {
	parent := make([]int, tree.nodes())
	for v, p := range tree.parent {
		parent[v] = int(p)
	}
	return parent
}

func TestImproveStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tree, lengths := largeCase(t, 1, 1001, 4, 100)
	plan, err := Improve(ctx, tree, lengths, ratio(t, 1, 1), Effort{})
	require.NoError(t, err)
	first, err := FurthestFirst(tree, lengths, ratio(t, 1, 1))
	require.NoError(t, err)
	require.Equal(t, first.Ticks, plan.Ticks)
}

func TestCompareInputs(t *testing.T) {
	_, err := Compare(context.Background(), Sample{Cases: 1, Nodes: 3, Span: 1, Messages: 3, Flits: 1})
	require.EqualError(t, err, "1 cases, 3 nodes, span 1, 3 messages, 1 flits (expected 1 or more of each, and more nodes than messages)")
}

func BenchmarkImprove(b *testing.B) {
	for _, span := range []int{1, 4, 1000} {
		b.Run(fmt.Sprintf("1000 messages, span %d", span), func(b *testing.B) {
			tree, lengths := largeCase(b, 1, 1001, span, 100)
			for b.Loop() {
				plan, err := Improve(context.Background(), tree, lengths, ratio(b, 5, 2), Effort{})
				require.NoError(b, err)
				first, _ := FurthestFirst(tree, lengths, ratio(b, 5, 2))
				low, _ := bound.PacketTree(parents(tree), lengths, 5, 2)
				b.ReportMetric(float64(plan.Ticks)/float64(low), "improved/bound")
				b.ReportMetric(float64(first.Ticks)/float64(low), "furthest/bound")
			}
		})
	}
}

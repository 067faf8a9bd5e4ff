// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/memory"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
)

func TestCheckSums(t *testing.T) {
	const (
		chain    = "1,2,1,2,0,,2 2,1,0,2,2,,1-2"   // to node 0 of a path of three
		back     = " 3,0,1,2,4,,* 4,1,2,2,6,,*"    // and back
		halves   = "1,0,1,1,0,,0@1 2,1,0,1,0,,1@0" // a reduce-scatter of two
		doubling = "1,0,1,2,0,,0 2,1,0,2,0,,1 3,2,3,2,0,,2 4,3,2,2,0,,3 5,0,3,2,2,,0-1 6,3,0,2,2,,2-3 7,1,2,2,2,,0-1 8,2,1,2,2,,2-3"
	)
	for _, row := range []struct {
		name, net, text string
		goal            Goal
		want            []string
	}{
		{"reduce", "path:3", chain, Goal{Kind: Reduce}, nil},
		{"the sum at the source", "path:3", strings.ReplaceAll(chain, "1-2", "*"), Goal{Kind: Reduce}, nil},
		{"to the middle", "path:3", "1,2,1,2,0,,2 2,0,1,2,5,,0", Goal{Kind: Reduce, Root: 1}, nil},
		{"allreduce", "path:3", chain + back, Goal{Kind: Allreduce}, nil},
		{"pairs exchange sums", "ring:4", doubling, Goal{Kind: Allreduce}, nil},
		{"a sum comes before the own one is sent", "ring:4", strings.Replace(doubling, "5,0,3,2,2", "5,0,3,2,9", 1), Goal{Kind: Allreduce}, nil},
		{"the sum at the source has too much by then", "ring:4", strings.Replace(doubling, "5,0,3,2,2,,0-1", "5,0,3,2,9,,*", 1), Goal{Kind: Allreduce}, nil}, // it replaces
		{"reduce-scatter", "path:2", halves, Goal{Kind: ReduceScatter}, nil},
		{"a block before another comes, which goes behind it", "path:3", "1,2,1,2,0,,2 2,1,0,2,0,,1 3,1,0,2,2,,2", Goal{Kind: Reduce}, nil},
		{"parts apart", "path:3", "1,2,1,1,0,,2@0 2,2,1,1,1,,2@1 3,1,0,1,1,,1-2@0 4,1,0,1,2,,*@1", Goal{Kind: Reduce}, nil},
		{"parts together", "path:3", "1,2,1,1,0,,2@0 2,2,1,1,1,,2@1 3,1,0,2,2,,*", Goal{Kind: Reduce}, nil},
		{"other sums in one message", "path:3", "1,2,1,1,0,,2@0 2,1,0,2,1,,1-2@0+1@1 3,2,1,1,1,,2@1 4,1,0,1,3,,2@1", Goal{Kind: Reduce}, nil},
		{"the whole sum again", "path:3", chain + back + " 5,0,1,2,8,,0-2", Goal{Kind: Allreduce}, nil},

		{"too early", "path:3", strings.Replace(chain, "2,2,,1-2", "2,1,,1-2", 1), Goal{Kind: Reduce}, []string{"fault 1 row 1 node 1 block 2 sent 1 has 2"}},
		{"too early for a sum that is named by nothing", "path:3", "1,2,1,2,0,,2 2,1,0,2,1,,*", Goal{Kind: Reduce}, []string{"fault 3 row -1 node 0 block 2 sent MAX has 0"}},
		{"a part too early", "path:3", "1,2,1,1,0,,2@0 2,2,1,1,1,,2@1 3,1,0,2,1,,1-2", Goal{Kind: Reduce}, []string{"fault 1 row 2 node 1 block 2@1 sent 1 has 2"}},
		{"never", "path:3", "2,1,0,2,2,,1-2", Goal{Kind: Reduce}, []string{"fault 2 row 0 node 1 block 2 sent 2 has 0"}},
		{"lacking", "path:4", "1,1,0,2,0,,1", Goal{Kind: Reduce}, []string{"fault 3 row -1 node 0 block 2-3 sent MAX has 0"}},
		{"lacking a part", "path:2", "1,1,0,1,0,,1@0", Goal{Kind: Reduce}, []string{"fault 3 row -1 node 0 block 1@1 sent MAX has 0"}},
		{"no piece", "path:2", "1,0,1,1,0,,0@1", Goal{Kind: ReduceScatter}, []string{"fault 3 row -1 node 0 block 1@0 sent MAX has 0"}},
		{"flits", "path:3", strings.Replace(chain, "2,2,,1-2", "4,2,,1-2", 1), Goal{Kind: Reduce}, []string{"fault 0 row 1 node 1 block 1-2 sent 2 has 0"}},
		{"twice", "path:3", chain + " 3,2,1,2,4,,2 4,1,0,2,9,,2", Goal{Kind: Reduce}, []string{"fault 5 row 2 node 1 block 2 sent 4 has 6", "fault 5 row 3 node 0 block 2 sent 9 has 11"}},
		{"twice in a part", "path:3", chain + " 3,1,0,1,9,,1@1", Goal{Kind: Reduce}, []string{"fault 5 row 2 node 0 block 1@1 sent 9 has 10"}},
		{"its own again", "path:3", chain + " 3,0,1,2,4,,0 4,1,0,2,9,,0", Goal{Kind: Reduce}, []string{"fault 5 row 3 node 0 block 0 sent 9 has 11"}},
		{"only in a sum", "path:4", "1,3,2,2,0,,3 2,2,1,2,2,,2-3 3,1,0,2,9,,1+3 4,1,0,2,11,,2", Goal{Kind: Reduce}, []string{"fault 4 row 2 node 1 block 3 sent 9 has 0", "fault 4 row 3 node 1 block 2 sent 11 has 0"}},
		{"a sum that is not its own", "path:2", "1,1,0,2,0,,0", Goal{Kind: Reduce}, []string{"fault 2 row 0 node 1 block 0 sent 0 has 0", "fault 3 row -1 node 0 block 1 sent MAX has 0"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := judged(t, row.net, row.text, row.goal, 2)
			require.NoError(t, err)
			requireViolations(t, row.want, r)
		})
	}
}

func TestFaultsOfFormInSums(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"pairs", "1,0,1,2,0,,0>1", "s.csv:1: message 1: block 0>1 (expected the node of the block, such as 4; pairs are for an all-to-all)"},
		{"a block twice", "1,0,1,2,0,,0+1+0", "s.csv:1: message 1: block 0 twice (expected each block once)"},
		{"a word twice", "1,0,1,2,0,,0@0-1+0@1", "s.csv:1: message 1: block 0@1 twice (expected each block once)"},
		{"the sum and a block", "1,0,1,2,0,,*+1@0", "s.csv:1: message 1: * beside other blocks (expected it alone, as it is the whole sum at the source)"},
		{"a block and the sum", "1,0,1,2,0,,1+*@1", "s.csv:1: message 1: * beside other blocks (expected it alone, as it is the whole sum at the source)"},
		{"the sum twice", "1,0,1,2,0,,*@0+*@0", "s.csv:1: message 1: * beside other blocks (expected it alone, as it is the whole sum at the source)"},
		{"words beyond the vector", "1,0,1,2,0,,*@1-2", "s.csv:1: message 1: block *@1-2 (expected words from 0 to 1, in blocks of 2 flits)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := judged(t, "path:2", row.text, Goal{Kind: Allreduce}, 2)
			require.EqualError(t, err, row.want)
		})
	}
	_, err := judged(t, "path:2", "1,0,1,2,0,,*", Goal{Kind: Gossip}, 2)
	require.EqualError(t, err, "s.csv:1: message 1: block * (expected the node of the block, such as 4; * is for a reduce, allreduce or reduce-scatter)")
}

// A violation of the whole vector is one, however many parts it has.
func TestSumsOfManyParts(t *testing.T) {
	text := "1,1,0,1,0,,1@0"
	for k := range 999 {
		text += fmt.Sprintf(" %d,1,0,1,%d,,1@%d", k+2, k+1, k+1)
	}
	r, err := judged(t, "path:3", text, Goal{Kind: Reduce}, 1000)
	require.NoError(t, err)
	require.Equal(t, 1, r.Violations)
	require.Equal(t, "2", r.First[0].Block)
}

// A check of sums obeys the limit on memory, and ends when its context does.
func TestSumsEndEarly(t *testing.T) {
	s, err := schedule.Parse("s.csv", strings.NewReader("1,1,0,1,0,,*"))
	require.NoError(t, err)
	at, g := Times{Sent: []router.Cycle{0}, Has: []router.Cycle{1}}, Goal{Kind: Reduce, Nodes: 5000}
	var large *memory.TooLarge
	_, err = Check(memory.With(t.Context(), 1<<20), s, g, 1, at)
	require.ErrorAs(t, err, &large)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Check(ctx, s, g, 1, at)
	require.ErrorIs(t, err, context.Canceled)
}

// randomSum makes a sum along random trees, one for each part of the vector. A node sends up the sum of its subtree, by its blocks or as what it has,
// or sends its own block at once and what comes behind it. In an allreduce the sum goes back.
func randomSum(net *topology.Topology, g Goal, length int, rng *rand.Rand) *schedule.Schedule {
	s := &schedule.Schedule{File: "s.csv"}
	send := func(from, to router.NodeID, first, words int, due router.Cycle, spans ...schedule.Span) router.Cycle {
		row := schedule.Row{Message: int32(len(s.Rows)), Line: len(s.Rows) + 1, Source: from, Destination: to, Flits: words, Dispatch: due + router.Cycle(rng.IntN(3))}
		for _, span := range spans {
			if words < length || rng.IntN(2) == 0 {
				span = span.Words(first, words)
			}
			row.Blocks = append(row.Blocks, span)
		}
		s.Rows = append(s.Rows, row)
		return row.Dispatch + router.Cycle(words)
	}
	type come struct {
		at  router.Cycle
		who []router.NodeID
	}
	spans := func(who []router.NodeID) (all []schedule.Span) {
		for _, n := range who {
			all = append(all, schedule.BlockOf(n))
		}
		return all
	}
	for first := 0; first < length; {
		root, end := g.Root, first+1+rng.IntN(length-first)
		if g.Kind == ReduceScatter {
			for n := range router.NodeID(g.Nodes) {
				if from, to := Piece(n, g.Nodes, length); from <= first && first < to {
					root, end = n, to
				}
			}
		}
		words := end - first
		order, parent := randomTree(net, root, rng)
		here := make([][]come, g.Nodes)
		for _, n := range slices.Backward(order[1:]) {
			ready, who := router.Cycle(0), []router.NodeID{n}
			for _, c := range here[n] {
				ready, who = max(ready, c.at), append(who, c.who...)
			}
			up := &here[parent[n]]
			switch rng.IntN(3) {
			case 0:
				*up = append(*up, come{send(n, parent[n], first, words, ready, spans(who)...), who})
			case 1:
				*up = append(*up, come{send(n, parent[n], first, words, ready, schedule.SumOf()), who})
			default:
				*up = append(*up, come{send(n, parent[n], first, words, 0, schedule.BlockOf(n)), who[:1]})
				for _, c := range here[n] {
					*up = append(*up, come{send(n, parent[n], first, words, c.at, spans(c.who)...), c.who})
				}
			}
		}
		if g.Kind == Allreduce {
			at := make([]router.Cycle, g.Nodes)
			for _, c := range here[root] {
				at[root] = max(at[root], c.at)
			}
			for _, n := range order[1:] {
				whole := []schedule.Span{schedule.SumOf(), {From: 0, Last: router.NodeID(g.Nodes - 1)}}
				at[n] = send(parent[n], n, first, words, at[parent[n]], whole[rng.IntN(2)])
			}
		}
		first = end
	}
	return s
}

// randomTree grows a tree from a root: the nodes in the order in which it reaches them, and the parent of each.
func randomTree(net *topology.Topology, root router.NodeID, rng *rand.Rand) (order, parent []router.NodeID) {
	order, parent = []router.NodeID{root}, make([]router.NodeID, net.Nodes())
	links := slices.Collect(slices.Values(net.Links()))
	for len(order) < net.Nodes() {
		l := links[rng.IntN(len(links))]
		if slices.Contains(order, l.From) && !slices.Contains(order, l.To) {
			parent[l.To] = l.From
			order = append(order, l.To)
		}
	}
	return order, parent
}

// adds plays a sum between neighbours cycle by cycle, for one word after the other. To know whether a node can make a sum it tries
// all selections of what it has. It does not look beyond the first violation.
func adds(g Goal, s *schedule.Schedule, length int) bool {
	carries := func(r *schedule.Row, word int) (who uint, own, any bool) {
		for _, text := range strings.Split(r.Blocks.String(), "+") {
			nodes, part, cut := strings.Cut(text, "@")
			from, last := 0, length-1
			if cut {
				from, last = ends(part)
			}
			if word < from || word > last || text == "" {
				continue
			}
			if any = true; nodes == "*" {
				own = true
				continue
			}
			for n, last := ends(nodes); n <= last; n++ {
				who |= 1 << n
			}
		}
		return who, own, any
	}
	for i := range s.Rows {
		r, words := &s.Rows[i], 0
		for w := range length {
			if _, _, any := carries(r, w); any {
				words++
			}
		}
		if words != r.Flits {
			return false
		}
	}
	last := router.Cycle(0)
	for i := range s.Rows {
		last = max(last, s.Rows[i].Dispatch+router.Cycle(s.Rows[i].Flits))
	}
	all := uint(1)<<g.Nodes - 1
	for w := range length {
		type carried struct {
			who      uint
			own, any bool
		}
		var rows []carried
		for i := range s.Rows {
			who, own, any := carries(&s.Rows[i], w)
			rows = append(rows, carried{who, own, any})
		}
		has, sum, under := make([][]uint, g.Nodes), make([]uint, g.Nodes), make([]uint, len(s.Rows))
		for n := range has {
			has[n], sum[n] = []uint{1 << n}, 1<<n
		}
		for now := router.Cycle(0); now <= last; now++ {
			var tails []int
			for i := range s.Rows {
				if r := &s.Rows[i]; r.Dispatch+router.Cycle(r.Flits) == now && under[i] != 0 {
					tails = append(tails, i)
				}
			}
			slices.SortStableFunc(tails, func(a, b int) int { return cmp.Compare(bits.OnesCount(under[a]), bits.OnesCount(under[b])) })
			for _, i := range tails {
				to := s.Rows[i].Destination
				if sum[to]&under[i] != 0 && sum[to]&^under[i] != 0 {
					return false // some would count twice
				}
				sum[to] |= under[i]
				has[to] = append(has[to], under[i])
			}
			for i := range s.Rows {
				r := &s.Rows[i]
				if r.Dispatch != now || !rows[i].any {
					continue
				}
				if under[i] = rows[i].who; rows[i].own {
					under[i] = sum[r.Source]
				}
				if !makes(has[r.Source], under[i]) {
					return false
				}
			}
		}
		for n := range router.NodeID(g.Nodes) {
			needs := true
			switch g.Kind {
			case Reduce:
				needs = n == g.Root
			case ReduceScatter:
				needs = length*int(n)/g.Nodes <= w && w < length*int(n+1)/g.Nodes
			}
			if needs && sum[n] != all {
				return false
			}
		}
	}
	return true
}

func ends(text string) (from, last int) {
	if n, _ := fmt.Sscanf(text, "%d-%d", &from, &last); n == 1 {
		last = from
	}
	return from, last
}

// makes reports whether some of the sums that a node has, without a node in two of them, are a sum.
func makes(has []uint, sum uint) bool {
	if sum == 0 {
		return true
	}
	return len(has) > 0 && (has[0]&^sum == 0 && makes(has[1:], sum&^has[0]) || makes(has[1:], sum))
}

// mutateSum changes a schedule: a message is dropped, earlier, later, doubled, goes elsewhere, has other flits, the blocks of another, one less, or one more.
func mutateSum(net *topology.Topology, s *schedule.Schedule, length int, rng *rand.Rand) {
	at := rng.IntN(len(s.Rows))
	r := &s.Rows[at]
	r.Blocks = slices.Clone(r.Blocks)
	span := rng.IntN(len(r.Blocks))
	switch rng.IntN(9) {
	case 0:
		s.Rows = slices.Delete(s.Rows, at, at+1)
	case 1:
		r.Dispatch = max(0, r.Dispatch-1-router.Cycle(rng.IntN(4)))
	case 2:
		r.Dispatch += 1 + router.Cycle(rng.IntN(9))
	case 3:
		again := *r
		again.Message, again.Dispatch = int32(len(s.Rows)), r.Dispatch+router.Cycle(rng.IntN(9))
		s.Rows = append(s.Rows, again)
	case 4:
		links := net.Links()
		l := links[rng.IntN(len(links))]
		r.Source, r.Destination = l.From, l.To
	case 5:
		r.Flits += 1 - 2*rng.IntN(2)
	case 6:
		other := &s.Rows[rng.IntN(len(s.Rows))]
		r.Blocks, other.Blocks = other.Blocks, r.Blocks
		r.Flits, other.Flits = other.Flits, r.Flits
	case 7:
		if len(r.Blocks) > 1 {
			r.Blocks = slices.Delete(r.Blocks, span, span+1)
		} else if r.Flits > 1 { // short of a part
			first := 0
			if r.Blocks[0].Part {
				first = int(r.Blocks[0].First)
			}
			r.Flits--
			r.Blocks[0] = r.Blocks[0].Words(first, r.Flits)
		}
	case 8:
		n := router.NodeID(rng.IntN(net.Nodes()))
		if b := &r.Blocks[span]; !b.Sum && !slices.ContainsFunc(r.Blocks, func(b schedule.Span) bool { return b.From <= n && n <= b.Last }) {
			more := *b
			more.From, more.Last = n, n
			r.Blocks = append(r.Blocks, more)
		}
	}
}

// Random sums are found right, and a change of one is found exactly where the play of it finds it.
func TestRandomSums(t *testing.T) {
	found, harmless := map[Fault]int{}, 0
	for seed := range soak.Number(150, 20000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 78))
		spec := []string{"path:2", "path:5", "ring:6", "mesh:3x3", "star:3", "hypercube:3"}[rng.IntN(6)]
		net, err := topology.Parse(spec)
		require.NoError(t, err)
		g := Goal{Kind: Reduce + Kind(rng.IntN(3)), Nodes: net.Nodes(), Root: router.NodeID(rng.IntN(net.Nodes()))}
		length := 1 + rng.IntN(5)
		s := randomSum(net, g, length, rng)
		check := func() *Report {
			r, err := Check(t.Context(), s, g, length, timesOn(net, s))
			require.NoError(t, err)
			return r
		}
		require.True(t, adds(g, s, length), "seed %d", seed)
		require.Empty(t, check().First, "seed %d", seed)
		for range 10 {
			good := slices.Clone(s.Rows)
			mutateSum(net, s, length, rng)
			if len(s.Rows) > 0 {
				want, r := adds(g, s, length), check()
				require.Equal(t, want, r.OK, "seed %d, a %s on %s: %v", seed, g.Kind, spec, r.First)
				if want {
					harmless++
				}
				for _, v := range r.First {
					found[v.Fault]++
				}
			}
			s.Rows = good
		}
	}
	for _, fault := range []Fault{Flits, Early, Missing, Lacking, Mixed, Twice} {
		require.Greater(t, found[fault], 10, "fault %d", fault)
	}
	require.Greater(t, harmless, 100)
}

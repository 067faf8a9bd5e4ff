// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
)

// judged follows a schedule on a path or a ring without buffers and startups: a message of L flits over d links that is dispatched in
// cycle T can be sent on in cycle T + d + L - 1.
func judged(t *testing.T, spec, text string, g Goal, length int) (*Report, error) {
	net, err := topology.Parse(spec)
	require.NoError(t, err)
	s, err := schedule.Parse("s.csv", strings.NewReader(strings.ReplaceAll(text, " ", "\n")))
	require.NoError(t, err)
	require.NoError(t, s.Validate(net))
	g.Nodes = net.Nodes()
	return Check(t.Context(), s, g, length, timesOn(net, s))
}

func timesOn(net *topology.Topology, s *schedule.Schedule) Times {
	var at Times
	for i := range s.Rows {
		r := &s.Rows[i]
		far := topology.BreadthFirst(net, r.Source).Depth[r.Destination]
		at.Sent = append(at.Sent, r.Dispatch)
		at.Has = append(at.Has, r.Dispatch+router.Cycle(far)+router.Cycle(r.Flits)-1)
	}
	return at
}

func (v Violation) short() string {
	return fmt.Sprintf("fault %d row %d node %d block %s sent %d has %d", v.Fault, v.Row, v.Node, v.Block, v.Sent, v.Has)
}

func TestCheck(t *testing.T) {
	const (
		gossip2 = "1,0,1,2,0,,0 2,1,0,2,0,,1"
		chain   = "1,0,1,2,0,,0 2,2,1,2,0,,2 3,1,2,4,2,,0-1 4,1,0,4,2,,1-2"
	)
	for _, row := range []struct {
		name, net, text string
		goal            Goal
		want            []string
	}{
		{"gossip of two", "path:2", gossip2, Goal{Kind: Gossip}, nil},
		{"gossip of three, as early as can be", "path:3", chain, Goal{Kind: Gossip}, nil},
		{"a cycle too early", "path:3", strings.Replace(chain, "4,2,,0-1", "4,1,,0-1", 1), Goal{Kind: Gossip}, []string{"fault 1 row 2 node 1 block 0 sent 1 has 2"}},
		{"flits", "path:2", strings.Replace(gossip2, "2,0,,1", "3,0,,1", 1), Goal{Kind: Gossip}, []string{"fault 0 row 1 node 1 block 1 sent 0 has 0"}},
		{"never", "path:3", "1,0,1,2,0,,0 3,1,2,4,2,,0-1 4,1,0,4,2,,1-2", Goal{Kind: Gossip}, []string{"fault 2 row 2 node 1 block 2 sent 2 has 0", "fault 3 row -1 node 1 block 2 sent MAX has 0"}},
		{"lacking", "path:3", "1,0,1,2,0,,0 2,2,1,2,0,,2 3,1,2,4,2,,0-1", Goal{Kind: Gossip}, []string{"fault 3 row -1 node 0 block 1 sent MAX has 0", "fault 3 row -1 node 0 block 2 sent MAX has 0"}},
		{"each the other's block", "path:2", "1,0,1,2,0,,1 2,1,0,2,9,,0", Goal{Kind: Gossip}, []string{"fault 2 row 0 node 0 block 1 sent 0 has 0", "fault 2 row 1 node 1 block 0 sent 9 has 0", "fault 3 row -1 node 0 block 1 sent MAX has 0", "fault 3 row -1 node 1 block 0 sent MAX has 0"}},
		{"gather", "path:3", "1,1,0,2,0,,1 2,2,0,2,2,,2", Goal{Kind: Gather}, nil},
		{"gather to the middle", "path:3", "1,0,1,2,0,,0 2,2,1,2,2,,2", Goal{Kind: Gather, Root: 1}, nil},
		{"scatter", "path:3", "1,0,1,4,0,,1-2 2,1,2,2,4,,2", Goal{Kind: Scatter}, nil},
		{"no block of the root in a scatter", "path:2", "1,0,1,2,0,,1 2,0,1,2,2,,0", Goal{Kind: Scatter}, []string{"fault 2 row 1 node 0 block 0 sent 2 has 0"}},
		{"broadcast in parts", "path:3", "1,0,1,1,0,,0@0 2,0,1,1,1,,0@1 3,1,2,1,1,,0@0 4,1,2,1,2,,0@1", Goal{Kind: Broadcast}, nil},
		{"a part too early", "path:3", "1,0,1,1,0,,0@0 2,0,1,1,1,,0@1 3,1,2,2,1,,0", Goal{Kind: Broadcast}, []string{"fault 1 row 2 node 1 block 0@1 sent 1 has 2"}},
		{"a part is lacking", "path:2", "1,0,1,1,0,,0@0", Goal{Kind: Broadcast}, []string{"fault 3 row -1 node 1 block 0@1 sent MAX has 0"}},
		{"all words are one block", "path:3", "1,0,1,1,0,,0@0 2,0,1,1,1,,0@1", Goal{Kind: Broadcast}, []string{"fault 3 row -1 node 2 block 0 sent MAX has 0"}},
		{"exchange with a relay", "path:3", "1,0,1,4,0,,0>1-2 2,1,0,2,0,,1>0 3,1,2,4,4,,0-1>2 4,2,1,4,0,,2>0-1 5,1,0,2,5,,2>0", Goal{Kind: Exchange}, nil},
		{"exchange of other pairs", "path:2", "1,0,1,2,0,,1>0 2,1,0,2,0,,1>0", Goal{Kind: Exchange}, []string{"fault 1 row 0 node 0 block 1>0 sent 0 has 2", "fault 3 row -1 node 1 block 0>1 sent MAX has 0"}},
		{"a row without blocks carries none", "path:2", gossip2 + " 3,0,1,9,9", Goal{Kind: Gossip}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := judged(t, row.net, row.text, row.goal, 2)
			require.NoError(t, err)
			requireViolations(t, row.want, r)
		})
	}
}

// requireViolations compares all violations of a report.
func requireViolations(t *testing.T, want []string, r *Report) {
	var got []string
	for _, v := range r.First {
		got = append(got, strings.ReplaceAll(v.short(), fmt.Sprint(int64(Never)), "MAX"))
	}
	require.Equal(t, want, got)
	require.Equal(t, len(want) == 0, r.OK)
	require.Equal(t, len(want), r.Violations)
}

func TestFaultsOfForm(t *testing.T) {
	for _, row := range []struct {
		name, text, want string
		kind             Kind
	}{
		{"no column", "1,0,1,2,0", "s.csv: nothing says what the messages carry (expected a column blocks: the nodes whose blocks a message carries, such as 0-3+7)", Gossip},
		{"pairs", "1,0,1,2,0,,0>1", "s.csv:1: message 1: block 0>1 (expected the node of the block, such as 4; pairs are for an all-to-all)", Gossip},
		{"no pairs", "1,0,1,2,0,,0", "s.csv:1: message 1: block 0 (expected the block of a node for another, such as 0>4, in an all-to-all)", Exchange},
		{"twice", "1,0,1,4,0,,0-1+1", "s.csv:1: message 1: block 1 twice (expected each block once)", Gossip},
		{"a word twice", "1,0,1,3,0,,0+0@1", "s.csv:1: message 1: block 0@1 twice (expected each block once)", Gossip},
		{"words beyond the block", "1,0,1,2,0,,0@1-2", "s.csv:1: message 1: block 0@1-2 (expected words from 0 to 1, in blocks of 2 flits)", Gossip},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := judged(t, "path:2", row.text, Goal{Kind: row.kind}, 2)
			require.EqualError(t, err, row.want)
		})
	}
}

// Only the first violations are kept, all are counted.
func TestManyViolations(t *testing.T) {
	r, err := judged(t, "path:90", "1,0,1,1,0,,0", Goal{Kind: Gossip}, 1)
	require.NoError(t, err)
	require.Equal(t, 90*89-1, r.Violations)
	require.Len(t, r.First, listed)
	require.Equal(t, router.NodeID(0), r.First[0].Node)
	require.Equal(t, router.NodeID(11), r.First[listed-1].Node)
}

// greedy makes an all-gather in rounds: in each, every node sends each neighbour some blocks that it has and the neighbour does not. A
// message is dispatched a random time after its blocks are there.
func greedy(net *topology.Topology, length int, rng *rand.Rand) *schedule.Schedule {
	nodes := net.Nodes()
	has := make([][]router.Cycle, nodes) // by node and block: since when; -1: not
	for n := range has {
		has[n] = slices.Repeat([]router.Cycle{-1}, nodes)
		has[n][n] = 0
	}
	s := &schedule.Schedule{File: "s.csv"}
	for done := false; !done; {
		done = true
		for _, l := range net.Links() {
			var blocks schedule.Blocks
			var due router.Cycle
			for b := range nodes {
				if has[l.From][b] >= 0 && has[l.To][b] < 0 && rng.IntN(3) > 0 {
					blocks, due = blocks.Join(schedule.BlockOf(router.NodeID(b))), max(due, has[l.From][b])
				}
			}
			if done = done && !slices.Contains(has[l.To], -1); blocks == nil {
				continue
			}
			row := schedule.Row{Message: int32(len(s.Rows)), Source: l.From, Destination: l.To, Flits: blocks.Flits(length), Dispatch: due + router.Cycle(rng.IntN(3)), Blocks: blocks, Line: len(s.Rows) + 1}
			for i := range blocks {
				for b := range blocks[i].All() {
					has[l.To][b] = row.Dispatch + router.Cycle(row.Flits)
				}
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}

// legal plays an all-gather between neighbours cycle by cycle, with sets of blocks. It does not look beyond the first violation.
func legal(net *topology.Topology, s *schedule.Schedule, length int) bool {
	nodes := net.Nodes()
	has := make([]map[router.NodeID]bool, nodes)
	last := router.Cycle(0)
	for n := range has {
		has[n] = map[router.NodeID]bool{router.NodeID(n): true}
	}
	for i := range s.Rows {
		last = max(last, s.Rows[i].Dispatch+router.Cycle(s.Rows[i].Flits))
	}
	for now := router.Cycle(0); now <= last; now++ {
		for i := range s.Rows { // tails: over one link
			if r := &s.Rows[i]; r.Dispatch+router.Cycle(r.Flits) == now {
				for b := range blocksOf(r) {
					has[r.Destination][b] = true
				}
			}
		}
		for i := range s.Rows {
			r := &s.Rows[i]
			if r.Dispatch != now {
				continue
			}
			blocks := blocksOf(r)
			if r.Flits != length*len(blocks) {
				return false
			}
			for b := range blocks {
				if !has[r.Source][b] {
					return false
				}
			}
		}
	}
	for n := range has {
		if len(has[n]) != nodes {
			return false
		}
	}
	return true
}

func blocksOf(r *schedule.Row) map[router.NodeID]bool {
	set := make(map[router.NodeID]bool)
	for _, text := range strings.Split(r.Blocks.String(), "+") {
		var from, last router.NodeID
		if n, _ := fmt.Sscanf(text, "%d-%d", &from, &last); n == 1 {
			last = from
		}
		for b := from; b <= last; b++ {
			set[b] = true
		}
	}
	return set
}

// mutate changes a schedule: a message is dropped, earlier or later, goes elsewhere, has other flits, blocks of another or one less.
func mutate(net *topology.Topology, s *schedule.Schedule, length int, rng *rand.Rand) {
	at := rng.IntN(len(s.Rows))
	r := &s.Rows[at]
	switch rng.IntN(7) {
	case 0:
		s.Rows = slices.Delete(s.Rows, at, at+1)
	case 1:
		r.Dispatch = max(0, r.Dispatch-1-router.Cycle(rng.IntN(4)))
	case 2:
		r.Dispatch += 1 + router.Cycle(rng.IntN(9))
	case 3:
		links := net.Links()
		l := links[rng.IntN(len(links))]
		r.Source, r.Destination = l.From, l.To
	case 4:
		r.Flits += 1 - 2*rng.IntN(2)
	case 5:
		other := &s.Rows[rng.IntN(len(s.Rows))]
		r.Blocks, other.Blocks = other.Blocks, r.Blocks
		r.Flits, other.Flits = other.Flits, r.Flits
	case 6:
		var fewer schedule.Blocks
		all := blocksOf(r)
		without := rng.IntN(len(all))
		for b := range router.NodeID(net.Nodes()) {
			if all[b] {
				if without--; without != -1 {
					fewer = fewer.Join(schedule.BlockOf(b))
				}
			}
		}
		if fewer != nil {
			r.Blocks, r.Flits = fewer, fewer.Flits(length)
		}
	}
}

// Random all-gathers are found right, and a change of one is found exactly where the play of it finds it.
func TestRandomGossips(t *testing.T) {
	found, harmless := 0, 0
	for seed := range soak.Number(300, 20000) {
		rng := rand.New(rand.NewPCG(uint64(seed), 77))
		spec := []string{"path:2", "path:5", "ring:6", "mesh:3x3", "star:3", "hypercube:3"}[rng.IntN(6)]
		net, err := topology.Parse(spec)
		require.NoError(t, err)
		length := 1 + rng.IntN(4)
		s := greedy(net, length, rng)
		check := func() *Report {
			r, err := Check(t.Context(), s, Goal{Kind: Gossip, Nodes: net.Nodes()}, length, timesOn(net, s))
			require.NoError(t, err)
			return r
		}
		require.True(t, legal(net, s, length), "seed %d", seed)
		require.True(t, check().OK, "seed %d", seed)
		for range 10 {
			good := slices.Clone(s.Rows)
			mutate(net, s, length, rng)
			want, r := legal(net, s, length), check()
			require.Equal(t, want, r.OK, "seed %d on %s: %v", seed, spec, r.First)
			if want {
				harmless++
			} else {
				found++
			}
			s.Rows = good
		}
	}
	require.Greater(t, found, 1000)
	require.Greater(t, harmless, 100)
}

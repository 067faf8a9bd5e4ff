// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// networkOf prepares a search of a collective of vectors.
func networkOf(t *testing.T, kind, spec string, m machine.Machine, words int) *network {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	k, err := plan.KindOf(kind)
	require.NoError(t, err)
	task, err := plan.NewTask(t.Context(), plan.Job{Topology: topo, Machine: m, Lengths: slices.Repeat([]int{words}, topo.Nodes())}, k)
	require.NoError(t, err)
	n, err := newNetwork(task)
	require.NoError(t, err)
	return n
}

// In a rota each span keeps the others' time free, around the period, and leaves no more gaps in which none fits than there is room for.
func TestTurnsInARota(t *testing.T) {
	for _, row := range []struct {
		busy     []span
		room     router.Cycle
		at, wait router.Cycle
	}{
		{nil, 0, 7, 0},
		{[]span{{0, 3}}, 9, 1, 2},         // until it is free
		{[]span{{0, 3}}, 9, 3, 0},         // just behind
		{[]span{{5, 3}}, 9, 3, 5},         // it would end too late
		{[]span{{9, 3}}, 9, 1, 1},         // goes on in cycles 0 and 1 of the next period
		{[]span{{0, 3}}, 9, 4, 0},         // a gap of a cycle,
		{[]span{{0, 3}}, 0, 4, 2},         // for which there is no room: the next one fits behind 3 others
		{[]span{{0, 3}, {6, 3}}, 1, 3, 0}, // the only gap is that of cycle 9
		{[]span{{0, 3}, {7, 3}}, 1, 3, 0}, // or cycle 6,
		{[]span{{0, 3}, {7, 3}}, 0, 3, 1}, // for which there is no room
	} {
		r := &rotas{busy: [][]span{row.busy}, room: []router.Cycle{row.room}, period: 10}
		require.Equal(t, row.wait, r.wait(0, row.at, 3), "%v", row)
	}
}

// The messages of all pieces never meet, and each node sends what it has.
func TestPiecesThatRepeatNeverMeet(t *testing.T) {
	made := 0
	for seed := range uint64(60) {
		g := rand.New(rand.NewPCG(seed, 0x726f7461))
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		for _, key := range [][]string{{"ports", "single", "all"}, {"nic.channels", "1", "links"}, {"nic.duplex", "full", "half"}, {"startup", "0", "1", "7", "40"}, {"hop", "1", "4"}, {"flit", "1", "3"}, {"buffer", "4", "9"}} {
			require.NoError(t, m.Set(key[0], key[1+g.IntN(len(key)-1)]))
		}
		kind := []string{plan.Broadcast, plan.Reduce, plan.Allreduce}[g.IntN(3)]
		n := networkOf(t, kind, []string{"random-tree:14,7", "mesh:4x4", "comb:3x4", "hypercube:3", "path:7"}[g.IntN(5)], m, 2+g.IntN(20))
		known, err := n.known()
		require.NoError(t, err)
		f := &form{parts: 1 + g.IntN(n.most), periodic: true, slack: g.IntN(slacks + 1)}
		for range 1 + g.IntN(2) {
			f.trees = append(f.trees, treeOf(known[g.IntN(len(known))]))
		}
		timer := newTimer(n)
		one := timer.schedule(f, never)
		if one == nil {
			continue // a gap for each message is not found
		}
		made++
		turns, best := timer.inTurn(&found{f, one}), timer.repeated(&found{f, one})
		require.LessOrEqual(t, turns.made.cycles, one.cycles)
		require.LessOrEqual(t, best.made.cycles, turns.made.cycles)
		for _, x := range []*found{turns, best} {
			require.False(t, x.form.periodic)
			require.Len(t, x.made.messages, f.parts*len(one.messages)/min(int(f.lanes()), f.parts))
			requireBooked(t, n, x)
		}
		require.Nil(t, timer.schedule(f, one.cycles-1), "the limit")
	}
	require.Greater(t, made, 30)
}

// requireBooked books all messages of a schedule in their cycles, and follows the words of each piece.
func requireBooked(t *testing.T, n *network, x *found) {
	list := slices.Clone(x.made.messages)
	sums := map[message]bool{}
	for _, m := range list[:x.made.sums] {
		sums[m] = true
	}
	slices.SortStableFunc(list, func(a, b message) int { return int(a.handed - b.handed) })
	book, has := newTimer(n).forwards, map[[2]int32]router.Cycle{}
	lacks := map[[2]int32]int{}
	for m := range sums {
		lacks[[2]int32{m.to, m.piece}]++
	}
	for _, m := range list {
		r := n.piece(m.piece, x.form.parts)
		handed, whole, ok := book.ReserveAt(router.NodeID(m.from), n.Route(m.from, m.to), r.To-r.From, m.handed)
		require.True(t, ok, "%v meets another one", m)
		require.Equal(t, [2]router.Cycle{m.handed, m.whole}, [2]router.Cycle{handed, whole})
		from, to := [2]int32{m.from, m.piece}, [2]int32{m.to, m.piece}
		require.GreaterOrEqual(t, m.handed, has[from], "what it sends has come")
		require.Zero(t, lacks[from], "all sums have come")
		has[to] = max(has[to], m.whole)
		if sums[m] {
			lacks[to]--
		}
		require.Less(t, m.whole, x.made.cycles)
	}
}

// An allreduce goes on from its two best starts, or twice from the best one if no other is near it.
func TestPromisingStarts(t *testing.T) {
	start := func(cycles router.Cycle) *found { return &found{&form{}, &schedule{cycles: cycles}} }
	a, b, c := start(80), start(90), start(91)
	for _, row := range []struct{ list, want []*found }{
		{[]*found{c, a, b}, []*found{a, b}}, {[]*found{c, a}, []*found{a, a}}, {[]*found{b}, []*found{b, b}},
	} {
		got := promising(row.list)
		require.Len(t, got, 2)
		require.Same(t, row.want[0], got[0])
		require.Same(t, row.want[1], got[1])
	}
}

// When the search of a task has ended, no more forms are tried than it takes for a plan.
func TestTheEndOfTheSearch(t *testing.T) {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	n := networkOf(t, plan.Broadcast, "comb:3x4", m, 24)
	trees, err := n.known()
	require.NoError(t, err)
	starts, err := n.starts(trees)
	require.NoError(t, err)
	require.NotEmpty(t, n.repeating(starts))
	ended, end := context.WithCancel(t.Context())
	end()
	n.Search = ended
	require.Empty(t, n.repeating(starts))
	sums := networkOf(t, plan.Allreduce, "comb:3x4", m, 24)
	sums.Search = ended
	both, err := sums.halves()
	require.NoError(t, err)
	require.NotNil(t, both)
}

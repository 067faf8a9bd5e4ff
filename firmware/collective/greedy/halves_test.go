// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// allreduceOn returns the network of an allreduce.
func allreduceOn(t *testing.T, spec string, words int, change func(m *machine.Machine)) *network {
	t.Helper()
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	change(&m)
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	kind, err := plan.KindOf(plan.Allreduce)
	require.NoError(t, err)
	task, err := plan.NewTask(t.Context(), plan.Job{Topology: topo, Machine: m, Lengths: slices.Repeat([]int{words}, topo.Nodes()), Seed: 1}, kind)
	require.NoError(t, err)
	n, err := newNetwork(task)
	require.NoError(t, err)
	return n
}

// What another search has found is enough when the search of the task is over: no half grows any more.
func TestHalvesEndWithTheSearch(t *testing.T) {
	n := allreduceOn(t, "torus:9x8", 16, func(m *machine.Machine) { m.Startup = 10 })
	over, end := context.WithCancel(t.Context())
	forms := n.forms()
	forms[0].begin(4)
	require.NotNil(t, forms[0].best)
	end()
	n.Search = over
	for _, cycles := range n.draftTimes(forms[0], openEnd, int(never)) {
		require.Equal(t, never, cycles)
	}
	h := newHalves(n, forms[0].roots, 16, 1)
	h.begin(4)
	require.Nil(t, h.best)
}

// Schedules that another one has beaten are given up.
func TestBeatenSchedulesAreGivenUp(t *testing.T) {
	task := allreduceOn(t, "torus:9x8", 16, func(m *machine.Machine) { m.Startup = 10 }).Task
	p, err := grownVector(task, task.LowerBound())
	require.NoError(t, err)
	require.Nil(t, p)
	kind, err := plan.KindOf(plan.Gossip)
	require.NoError(t, err)
	task, err = plan.NewTask(t.Context(), task.Job, kind)
	require.NoError(t, err)
	p, err = grownGossip(task, task.LowerBound())
	require.NoError(t, err)
	require.Nil(t, p)
}

// Every pair is an allreduce whose messages do not meet: when it has grown, after parts have grown anew, and when its gaps are closed.
func TestHalvesAreAllreduces(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0x68616c766573))
	specs := []string{"path:7", "mesh:2x4", "ring:6", "random-tree:8,3", "star:3", "random:9,3,4", "comb:3x2", "complete:5"}
	for _, spec := range specs {
		n := allreduceOn(t, spec, 1+random.IntN(12), func(m *machine.Machine) {
			m.Startup, m.Hop, m.Flit = random.IntN(15), 1+random.IntN(3), 1+random.IntN(2)
			m.Ports = []machine.Regime{machine.AllPort, machine.SinglePort}[random.IntN(2)]
			m.Duplex = []machine.Duplex{machine.Full, machine.Half}[random.IntN(2)]
			m.Channels = []int{1, machine.Links}[random.IntN(2)]
		})
		forms := n.forms()
		require.NotEmpty(t, forms)
		times := n.draftTimes(forms[0], openEnd, int(never))
		for _, h := range forms {
			h.sortDrafts(times)
			h.begin(1 << 14)
			requireAllreduce(t, h, h.best)
			before := h.best.cycles
			h.best = h.regrown(h.best, 1<<14, true)
			requireAllreduce(t, h, h.best)
			requireAllreduce(t, h, h.best.turned())
			h.finish(1 << 14)
			requireAllreduce(t, h, h.best)
			require.LessOrEqual(t, h.best.cycles, before)
		}
	}
}

// requireAllreduce books all messages, and follows for each piece whose words the nodes have added up.
func requireAllreduce(t *testing.T, h *halves, p *pair) {
	t.Helper()
	s := h.schedule(p)
	messages := slices.Clone(s.messages)
	slices.SortStableFunc(messages, func(a, b message) int { return cmp.Compare(a.handed, b.handed) })
	book := booking.NewBook(h.Topology, h.booked).Stalling()
	everyone := uint64(1)<<h.nodes - 1
	sums := make([][]uint64, len(h.pieces)) // by piece and node: the nodes in its sum, as bits
	for piece := range sums {
		for v := range h.nodes {
			sums[piece] = append(sums[piece], 1<<v)
		}
	}
	type sent struct {
		message
		of []uint64 // by piece of the message
	}
	var arriving []sent
	arrive := func(until router.Cycle) {
		slices.SortStableFunc(arriving, func(a, b sent) int { return cmp.Compare(a.whole, b.whole) })
		for len(arriving) > 0 && arriving[0].whole <= until {
			for i, piece := range arriving[0].pieces {
				to := &sums[piece][arriving[0].to]
				if arriving[0].sum {
					require.Zero(t, *to&arriving[0].of[i], "a node is counted twice")
					*to |= arriving[0].of[i]
				} else {
					require.Equal(t, everyone, arriving[0].of[i], "a result is not complete")
					*to = everyone
				}
			}
			arriving = arriving[1:]
		}
	}
	last := router.Cycle(0)
	for _, m := range messages {
		arrive(m.handed)
		words, x := 0, sent{message: m}
		for _, piece := range m.pieces {
			words += h.pieces[piece].To - h.pieces[piece].From
			x.of = append(x.of, sums[piece][m.from])
		}
		from, route := router.NodeID(m.from), h.Route(m.from, m.to)
		require.Equal(t, m.handed, book.Earliest(from, route, words, m.handed), "messages meet")
		_, whole := book.Reserve(from, route, words, m.handed)
		require.Equal(t, m.whole, whole)
		arriving, last = append(arriving, x), max(last, whole+1)
	}
	arrive(last)
	for _, list := range sums {
		for _, of := range list {
			require.Equal(t, everyone, of)
		}
	}
	require.Equal(t, last, s.cycles)
}

// Roots are the nodes in the middle.
func TestCentralNodesComeFirst(t *testing.T) {
	for _, row := range []struct {
		spec string
		want []int32
	}{
		{"path:5", []int32{2, 1, 3, 0, 4}},
		{"hub:4", []int32{0, 1, 2, 3}},
		{"comb:3x1", []int32{1, 0, 2, 4, 3, 5}}, // nodes 0, 1 and 2 stand in a row, with nodes 3, 4 and 5 beside them
	} {
		n := allreduceOn(t, row.spec, 1, func(*machine.Machine) {})
		require.Equal(t, row.want, n.central(), row.spec)
	}
}

// No form has fewer pieces than roots, and the numbers of pieces of a root differ.
func TestFormsDiffer(t *testing.T) {
	for _, words := range []int{1, 2, 5, 16, 300} {
		n := allreduceOn(t, "mesh:3x3", words, func(*machine.Machine) {})
		seen := map[[2]int]bool{}
		for _, h := range n.forms() {
			roots := slices.Clone(h.roots)
			slices.Sort(roots)
			form := [2]int{len(slices.Compact(roots)), len(h.pieces)}
			require.False(t, seen[form], form)
			seen[form] = true
			require.LessOrEqual(t, form[0], form[1])
			require.Len(t, h.drafts, len(n.forms()[0].drafts))
		}
		require.True(t, seen[[2]int{1, 1}])
	}
}

// Drafts that were fast in another form come first; others keep their order.
func TestDraftsAreSorted(t *testing.T) {
	h := allreduceOn(t, "path:4", 4, func(*machine.Machine) {}).forms()[0]
	h.drafts = []draft{{size: 1}, {size: 2}, {size: 3}, {size: 4}}
	h.sortDrafts([]router.Cycle{9, 7, never, 7})
	require.Equal(t, []draft{{size: 2}, {size: 4}, {size: 1}, {size: 3}}, h.drafts)
}

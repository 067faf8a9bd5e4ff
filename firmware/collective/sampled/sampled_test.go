// SPDX-License-Identifier: Apache-2.0

package sampled

import (
	"fmt"
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

// kinds are what is planned.
var kinds = []string{plan.Broadcast, plan.Reduce, plan.Allreduce, plan.Gossip, plan.ReduceScatter}

// task is a random task of a kind on a small network.
func task(t *testing.T, kind string, random *rand.Rand) *plan.Task {
	t.Helper()
	specs := []string{"path:7", "mesh:2x4", "ring:6", "random-tree:8,3", "hypercube:4", "random:12,3,4", "comb:3x2", "complete:5", "path:2"}
	topo, err := topology.Parse(specs[random.IntN(len(specs))])
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	pick := func(key string, values ...string) { require.NoError(t, m.Set(key, values[random.IntN(len(values))])) }
	pick("ports", "all", "single")
	pick("nic.channels", "1", "links")
	pick("nic.duplex", "full", "half")
	pick("startup", "0", "1", "12")
	pick("hop", "1", "3")
	pick("flit", "1", "2")
	pick("buffer", "1", "4", "16")
	j := plan.Job{Topology: topo, Machine: m, Lengths: slices.Repeat([]int{1 + random.IntN(20)}, topo.Nodes()), Seed: 1}
	if kind == plan.Gossip {
		for v := range j.Lengths {
			j.Lengths[v] = random.IntN(4)
		}
	}
	k, err := plan.KindOf(kind)
	require.NoError(t, err)
	task, err := plan.NewTask(t.Context(), j, k)
	require.NoError(t, err)
	return task
}

// Every draft, and each that keeps a part of a schedule, is a schedule in which messages do not meet, bring what their senders have, and bring everything everywhere, every word of a sum once.
func TestDraftsAreSchedules(t *testing.T) {
	grown := 0
	for seed := range uint64(24) {
		random := rand.New(rand.NewPCG(seed, 0x6472616674))
		k := task(t, kinds[seed%uint64(len(kinds))], random)
		n, err := newNetwork(k)
		require.NoError(t, err)
		if n.nodes == 1 || n.total == 0 {
			continue
		}
		var at *schedule
		for _, f := range n.families() {
			for _, drafts := range f {
				for _, d := range drafts {
					s, _ := n.grow(d, never, 1<<40)
					require.NotNil(t, s)
					n.follow(t, s)
					at, grown = s, grown+1
				}
			}
		}
		for range 10 {
			d := n.varied(at.by, random)
			d.size, d.roots = at.by.size, at.by.roots
			d.base, d.until, d.sums = at, 1+router.Cycle(random.Int64N(int64(at.cycles))), random.IntN(2) == 0
			s, _ := n.grow(d, never, 1<<40)
			n.follow(t, s)
			require.NotEmpty(t, n.kept(at, s, d), "%s", k.Kind.Name)
			at, grown = s, grown+1
		}
	}
	require.Greater(t, grown, 300)
}

// kept are what both schedules have, of the messages before the cycle up to which one kept those of the other.
func (n *network) kept(was, is *schedule, d draft) (list []string) {
	list = []string{"the cycle before the first message"}
	check := func(a, b []message, until router.Cycle) {
		for _, m := range a {
			if m.handed < until && slices.ContainsFunc(b, func(x message) bool { return fmt.Sprint(x) == fmt.Sprint(m) }) {
				list = append(list, fmt.Sprint(m))
			} else if m.handed < until {
				list = nil
				return
			}
		}
	}
	switch {
	case len(was.sums) == 0:
		check(was.out, is.out, d.until)
	case !d.sums:
		check(was.sums, is.sums, d.until)
	default:
		if check(was.sums, is.sums, never); list != nil {
			check(was.out, is.out, d.until)
		}
	}
	return list
}

// follow books the messages of a schedule as they truly go, and follows their words.
func (n *network) follow(t *testing.T, s *schedule) {
	t.Helper()
	_, from := n.cut(&s.by)
	book := booking.NewBook(n.Topology, n.Machine).Stalling()
	all := turned(s.sums, s.ends)
	sums := len(all)
	all = append(all, s.out...)
	for _, m := range all {
		words := 0
		for _, p := range m.pieces {
			words += s.pieces[p].To - s.pieces[p].From
		}
		w := n.way(m.from, m.to, false)
		_, whole, ok := book.ReserveAt(w.source, w.route, words, m.handed)
		require.True(t, ok, "meets another")
		require.Equal(t, m.whole, whole)
		require.Less(t, whole, s.cycles)
	}
	for p := range int32(len(s.pieces)) {
		root, at := from[p].node, router.Cycle(0)
		if sums > 0 {
			at = n.followSum(t, all[:sums], p, root)
		}
		if n.Kind.Name == plan.Reduce || n.Kind.Name == plan.ReduceScatter {
			continue
		}
		has := slices.Repeat([]router.Cycle{never}, n.nodes)
		has[root] = at
		for _, m := range s.out {
			if slices.Contains(m.pieces, p) {
				require.LessOrEqual(t, has[m.from], m.handed, "node %d sends what it does not have", m.from)
				require.Equal(t, never, has[m.to], "node %d gets a piece twice", m.to)
				has[m.to] = m.whole
			}
		}
		require.Less(t, slices.Max(has), never, "a node lacks something")
	}
}

// followSum follows a piece to its root: every other node sends its sum once, behind all that it gets. It returns when the sum is complete.
func (n *network) followSum(t *testing.T, messages []message, p, root int32) (complete router.Cycle) {
	t.Helper()
	sent := slices.Repeat([]router.Cycle{never}, n.nodes)
	for _, m := range messages {
		if slices.Contains(m.pieces, p) {
			require.Equal(t, never, sent[m.from], "node %d sends a sum twice", m.from)
			sent[m.from] = m.handed
		}
	}
	require.Equal(t, never, sent[root])
	for _, m := range messages {
		if slices.Contains(m.pieces, p) {
			require.LessOrEqual(t, m.whole, sent[m.to], "node %d does not wait for a sum", m.to)
			if m.to == root {
				complete = max(complete, m.whole)
			}
		}
	}
	sent[root] = 0
	require.Less(t, slices.Max(sent), never, "a node does not send")
	return complete
}

// The search is a function of the job and its seed.
func TestSearchAgain(t *testing.T) {
	for i, kind := range kinds {
		var cycles []router.Cycle
		for range 2 {
			p, err := Plan(task(t, kind, rand.New(rand.NewPCG(uint64(i), 0x616761696e))))
			require.NoError(t, err)
			cycles = append(cycles, p.Predicted.Least)
		}
		require.Equal(t, cycles[0], cycles[1], kind)
	}
}

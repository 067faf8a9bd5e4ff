// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
)

// taskOf is a job on a machine with a channel for each link; lengths are used again and again.
func taskOf(t testing.TB, collective, spec, startup string, lengths ...int) *plan.Task {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	require.NoError(t, m.Set("startup", startup))
	kind, err := plan.KindOf(collective)
	require.NoError(t, err)
	all := make([]int, topo.Nodes())
	for v := range all {
		all[v] = lengths[v%len(lengths)]
	}
	task, err := plan.NewTask(t.Context(), plan.Job{Topology: topo, Machine: m, Lengths: all, Seed: 1}, kind)
	require.NoError(t, err)
	return task
}

// networkOf is that of an all-gather with blocks of some words.
func networkOf(t testing.TB, spec string, words int) *network {
	n, err := newNetwork(taskOf(t, plan.Gossip, spec, "10", words), false)
	require.NoError(t, err)
	return n
}

// requireSame tells apart forms of which the same follows.
func requireSame(t *testing.T, whole, f *form) {
	require.Equal(t, whole.to, f.to)
	require.Equal(t, whole.known, f.known)
	require.Equal(t, whole.brings, f.brings)
	require.Equal(t, whole.loads, f.loads)
	require.Equal(t, whole.used, f.used)
	require.Equal(t, whole.lacks, f.lacks)
	require.InDelta(t, whole.cost(), f.cost(), 1e-6*f.cost())
}

// requireFollows changes a form at random. What follows from a change is what follows from the whole form, and what was before if the change is undone.
func requireFollows(t *testing.T, f *form, random *rand.Rand) {
	f.scatter(random)
	for range 500 {
		before := f.clone()
		f.change(f.moves(nil, random))
		requireSame(t, f.clone(), f)
		if random.IntN(2) == 0 {
			f.undo()
			requireSame(t, before, f)
		}
	}
}

func TestFollowsFromChanges(t *testing.T) {
	requireFollows(t, newForm(networkOf(t, "mesh:3x3", 4), 3, nil), rand.New(rand.NewPCG(1, 1)))
}

// A message brings what its sender had before the round, no piece comes twice, and nobody keeps back what only he has.
func TestMessagesBringWhatLacks(t *testing.T) {
	n, random := networkOf(t, "torus:3x3", 1), rand.New(rand.NewPCG(2, 2))
	for range 50 {
		f := newForm(n, 3, nil)
		f.scatter(random)
		for r := range f.rounds {
			known, then := f.known[r*n.nodes:], f.known[(r+1)*n.nodes:]
			got, offered := make([]uint64, n.nodes), make([]uint64, n.nodes)
			for i, s := range n.slots {
				v, set := f.to[r*len(n.slots)+i], f.brings[r*len(n.slots)+i]
				require.Zero(t, set&^known[s.owner], "a piece that its sender does not have")
				require.Zero(t, set&(known[v]|got[v]), "a piece that comes twice")
				got[v] |= set
				offered[v] |= known[s.owner]
			}
			for v := range n.nodes {
				require.Equal(t, known[v]|offered[v], then[v])
				require.Equal(t, known[v]|got[v], then[v])
			}
		}
	}
}

// Messages with the same to offer share it evenly.
func TestMessagesShareEvenly(t *testing.T) {
	n := networkOf(t, "complete:4", 1)
	f := newForm(n, 2, nil)
	send := func(round int, from, to int32) int32 {
		i := int32(round*len(n.slots)) + n.slotOf[n.pair(from, to)]
		f.change([]move{{i, to}})
		return i
	}
	send(0, 1, 2)
	send(0, 2, 1)
	a, b := send(1, 1, 0), send(1, 2, 0)
	require.Equal(t, 1, bits.OnesCount64(f.brings[a]))
	require.Equal(t, 1, bits.OnesCount64(f.brings[b]))
	require.Equal(t, uint64(1|2|4), f.known[2*n.nodes])
}

// What no round brings comes at last, each piece from the nearest node that has it.
func TestTheRestIsSentAtLast(t *testing.T) {
	n := networkOf(t, "path:3", 2)
	f := newForm(n, 1, nil)
	require.Equal(t, 6, f.lacks)
	require.Len(t, f.messages(), 6)
	s := newClock(n).schedule(f, never)
	for _, m := range s.messages {
		require.Equal(t, 1, bits.OnesCount64(m.pieces))
		require.Equal(t, m.handed+n.model.UntilWhole(n.Links(m.from, m.to), 2), m.whole)
	}
}

// On large networks with short startups other algorithms are faster.
func TestWeak(t *testing.T) {
	for _, row := range []struct {
		spec  string
		words int
		weak  bool
	}{
		{"mesh:4x4", 100, false},
		{"mesh:4x5", 6, false},
		{"mesh:4x5", 7, true},
	} {
		require.Equal(t, row.weak, Weak(networkOf(t, row.spec, row.words).Task), "%s, %d words", row.spec, row.words)
	}
}

// Two forms are promising: the best one, and that with a round less and the same symmetries, unless it lacks much.
func TestPromisingForms(t *testing.T) {
	n := networkOf(t, "mesh:2x3", 1)
	some := func(rounds, slots int, m *images) *result {
		f := newForm(n, rounds, m)
		for i := range f.to {
			if i < slots {
				f.change([]move{{int32(i), f.slots[i%len(f.slots)].near[0]}})
			}
		}
		return &result{form: f}
	}
	none, good := some(3, 1, nil), some(4, 1000, nil)
	require.Less(t, good.form.cost(), none.form.cost())
	require.Equal(t, []*result{good, good}, n.promising([]*result{none, good, some(5, 1000, nil)}))
	almost := some(3, 1000, nil)
	almost.form.lacks = good.form.lacks + 1
	require.Less(t, good.form.cost(), almost.form.cost())
	require.Equal(t, []*result{good, almost}, n.promising([]*result{none, almost, good}))
	almost.form.images = n.symmetric()[0]
	require.Equal(t, []*result{good, good}, n.promising([]*result{none, almost, good}))
	almost.form.lacks = 0
	require.Equal(t, []*result{good, almost}, n.promising([]*result{none, almost, good}), "the best without symmetries, and the best")
}

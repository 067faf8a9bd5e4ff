// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/fault"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// planned plans a collective, and returns its schedule as well.
func planned(t *testing.T, kind, spec string, words, copies int) (*plan.Plan, *Replay) {
	t.Helper()
	task := taskOf(t, kind, spec, 0, words, copies)
	p, err := map[string]func(*plan.Task) (*plan.Plan, error){
		plan.Broadcast: Broadcast, plan.Scatter: Scatter, plan.Gossip: Gossip, plan.Exchange: Exchange,
	}[kind](task)
	require.NoError(t, err)
	r, err := NewReplay(p)
	require.NoError(t, err)
	require.Equal(t, copies, r.Copies())
	return p, r
}

// A broadcast is replayed as its schedule says, step by step.
func TestReplayFollowsTheSchedule(t *testing.T) {
	for _, spec := range []string{"mesh:3x4", "torus:4x3", "hypercube:3", "star:4", "random:9,3"} {
		for copies := 1; copies <= 2; copies++ {
			task := taskOf(t, plan.Broadcast, spec, 0, 3, copies)
			for _, s := range broadcastsOf(t, task) {
				p, err := s.plan()
				require.NoError(t, err)
				r, err := NewReplay(p)
				require.NoError(t, err)
				player := r.Player()
				for seed := range uint64(20) {
					set := draw(task, seed, fault.Random{Count: 1 + int(seed%3), Nodes: true})
					dead := map[router.NodeID]bool{}
					for _, f := range set {
						dead[f.From] = true
					}
					want := Account{Fewest: copies}
					for n, got := range carried(t, s, dead) {
						node := router.NodeID(n)
						if node == task.Root || dead[node] {
							continue
						}
						want.Live++
						short := Short{Node: node}
						counts := copiesOf(got)
						for m, message := range s.messages {
							want.Fewest = min(want.Fewest, counts[int32(m)])
							if counts[int32(m)] == 0 {
								short.Missing++
								short.FromLive++
								short.Words += message.words.To - message.words.From
							}
						}
						if short.Missing > 0 {
							want.Nodes = append(want.Nodes, short)
						}
					}
					require.Equal(t, want, player.Account(set), "%s %v", spec, dead)
					require.Equal(t, len(want.Nodes) > 0, player.Failed([][]fault.Fault{set}) == 1)
				}
			}
		}
	}
}

// draw draws faults that spare node 0.
func draw(t *plan.Task, seed uint64, among fault.Random) []fault.Fault {
	all := fault.Candidates(t.Topology, among, 0)
	random := rand.New(rand.NewPCG(seed, 5))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), among.Count)]
}

// Sets that are replayed together do not touch one another.
func TestSetsAreReplayedTogether(t *testing.T) {
	for _, kind := range []string{plan.Broadcast, plan.Scatter, plan.Gossip, plan.Exchange} {
		p, r := planned(t, kind, "star:4", 2, 2)
		task := taskOf(t, kind, "star:4", 0, 2, 2)
		require.Equal(t, 24, len(p.PEs))
		var sets [][]fault.Fault
		for seed := range uint64(50) {
			sets = append(sets, draw(task, seed, fault.Random{Count: 3, Nodes: true, Links: true}))
		}
		player := r.Player()
		failed := player.Failed(sets)
		require.NotZero(t, failed)
		for i, set := range sets {
			require.Equal(t, failed>>i&1, player.Failed([][]fault.Fault{set}), "%s set %d", kind, i)
			fromLive := false
			for _, n := range player.Account(set).Nodes {
				fromLive = fromLive || n.FromLive > 0
			}
			require.Equal(t, failed>>i&1 == 1, fromLive)
		}
		require.Zero(t, failed>>len(sets))
	}
}

// Withstands is the greatest number of faults of which all sets are survived, by trying all sets.
func TestWithstandsAgainstAllSets(t *testing.T) {
	for _, row := range []struct {
		kind, spec string
		most       int // copies
	}{
		{plan.Broadcast, "mesh:3x3", 2}, {plan.Broadcast, "torus:3x3", 4}, {plan.Broadcast, "ring:5", 2}, {plan.Broadcast, "hypercube:3", 3},
		{plan.Broadcast, "complete:4", 3}, {plan.Broadcast, "random:9,3", 2}, {plan.Broadcast, "debruijn:3", 1}, {plan.Broadcast, "star:3", 2},
		{plan.Scatter, "mesh:3x3", 2}, {plan.Scatter, "random:9,3", 2}, {plan.Gossip, "mesh:3x2", 2}, {plan.Gossip, "hypercube:3", 3}, {plan.Exchange, "ring:4", 2},
	} {
		for copies := 1; copies <= row.most; copies++ {
			_, r := planned(t, row.kind, row.spec, 1, copies)
			task := taskOf(t, row.kind, row.spec, 0, 1, copies)
			for _, among := range []fault.Random{{Nodes: true}, {Links: true}, {Nodes: true, Links: true}} {
				all := fault.Candidates(task.Topology, among, spareOf(row.kind))
				require.Equal(t, survivedByAll(r, all), r.Withstands(among.Nodes, among.Links), "%s %s %d copies %v", row.kind, row.spec, copies, among)
			}
		}
	}
}

func spareOf(kind string) router.NodeID {
	if kind == plan.Gossip || kind == plan.Exchange {
		return router.None
	}
	return 0
}

// survivedByAll tries sets of rising size, up to four faults.
func survivedByAll(r *Replay, all []fault.Fault) int {
	player := r.Player()
	var fails func(from, left int, set []fault.Fault) bool
	fails = func(from, left int, set []fault.Fault) bool {
		if left == 0 {
			return player.Failed([][]fault.Fault{set}) != 0
		}
		for i := from; i < len(all); i++ {
			if fails(i+1, left-1, append(set, all[i])) {
				return true
			}
		}
		return false
	}
	for size := 0; size <= 4; size++ {
		if fails(0, size, nil) {
			return size - 1
		}
	}
	return Any
}

func TestOnlyPlansInCopiesAreReplayed(t *testing.T) {
	task := taskOf(t, plan.Broadcast, "path:3", 0, 1, 1)
	task.Ctx = context.Background()
	p := task.NewPlan()
	p.Algorithm = "tree"
	_, err := NewReplay(p)
	require.EqualError(t, err, "algorithm tree: its messages do not travel in copies (expected edst)")
}

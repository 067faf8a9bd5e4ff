// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// randomList makes transfers of random words among random nodes.
func randomList(random *rand.Rand, t *topology.Topology, words int) *transfer.List {
	l := &transfer.List{Nodes: t.Nodes()}
	for range 1 + random.IntN(30) {
		one := transfer.Transfer{
			Step: random.IntN(6), From: router.NodeID(random.IntN(l.Nodes)), To: router.NodeID(random.IntN(l.Nodes)),
			Op: transfer.Op(random.IntN(2)), Out: randomSet(random, words),
		}
		if random.IntN(2) == 0 {
			one.In = fitting(random, one.Out.Words(), words)
		}
		l.Transfers = append(l.Transfers, one)
	}
	return l
}

func randomSet(random *rand.Rand, words int) transfer.Set {
	s := transfer.Set{}
	for range random.IntN(4) {
		from := random.IntN(words)
		s = append(s, plan.Range{From: from, To: from + random.IntN(words-from+1)})
	}
	return s
}

// fitting is a set of so many words.
func fitting(random *rand.Rand, count, words int) transfer.Set {
	s := transfer.Set{}
	for count > 0 {
		k := min(count, 1+random.IntN(words))
		from := random.IntN(words - k + 1)
		s = append(s, plan.Range{From: from, To: from + k})
		count -= k
	}
	return s
}

// carryOut carries out a list of transfers in blocks, without any network.
func carryOut(l *transfer.List, blocks [][]uint32, elements int) {
	for step := range 6 {
		sent := map[int][]uint32{}
		for _, local := range []bool{true, false} {
			for i, t := range l.Transfers {
				if t.Step != step || (t.From == t.To) != local {
					continue
				}
				for _, r := range t.Out {
					sent[i] = append(sent[i], blocks[t.From][r.From*elements:r.To*elements]...)
				}
				if local {
					put(blocks[t.To], t, sent[i], elements)
				}
			}
		}
		for i, t := range l.Transfers {
			if t.Step == step && t.From != t.To {
				put(blocks[t.To], t, sent[i], elements)
			}
		}
	}
}

func put(block []uint32, t transfer.Transfer, words []uint32, elements int) {
	for _, r := range t.Places() {
		for k := r.From * elements; k < r.To*elements; k, words = k+1, words[1:] {
			if t.Op == transfer.Add {
				block[k] += words[0]
			} else {
				block[k] = words[0]
			}
		}
	}
}

// TestTransfersDoWhatTheyMean runs random lists as firmware: as early as can be
// on wormhole machines, and by timetable on machines without buffers, where
// nothing may collide and the time is the one predicted.
func TestTransfersDoWhatTheyMean(t *testing.T) {
	specs := []string{"path:5", "ring:6", "mesh:3x3", "torus:3x4", "hypercube:3", "complete:5", "binary:2", "torus:4x2"}
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 5))
		topo, err := topology.Parse(specs[random.IntN(len(specs))])
		require.NoError(t, err)
		const words = 12
		l := randomList(random, topo, words)
		m := collectivetest.RandomTransferMachine(t, random)
		timed := m.Switching == machine.Bufferless
		if l.Sync = !timed && random.IntN(2) == 0; timed {
			require.NoError(t, transfer.Timetable(topo, m, l))
		}
		start, end := make([][]uint32, l.Nodes), make([][]uint32, l.Nodes)
		for n := range start {
			for range words * m.Elements() {
				start[n] = append(start[n], random.Uint32())
			}
			end[n] = append([]uint32(nil), start[n]...)
		}
		carryOut(l, end, m.Elements())
		job, err := plan.NewTask(context.Background(), plan.Job{Topology: topo, Machine: m, Lengths: make([]int, l.Nodes)}, plan.Kind{Name: plan.Gossip})
		require.NoError(t, err)
		p, err := job.TransferPlan(l, func(n router.NodeID) plan.Block { return plan.Block{Words: end[n], Start: start[n]} })
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		name := fmt.Sprintf("seed %d on %s, %s", seed, topo, m.Describe())
		require.NoError(t, r.Failure, "%s: %v", name, r.Collisions)
		timing, err := transfer.Predict(topo, m, l)
		require.NoError(t, err)
		if timed {
			require.Equal(t, timing.Cycles, r.Cycles, name)
		} else {
			require.LessOrEqual(t, timing.Cycles, r.Cycles, name)
		}
	}
}

// Blocks are made once a node, not once a transfer: an exchange in rounds has
// thousands of transfers and long blocks.
func TestTransferPlanMakesEveryBlockOnce(t *testing.T) {
	topo, err := topology.Parse("torus:3x3")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	job, err := plan.NewTask(t.Context(), plan.Job{Topology: topo, Machine: m, Lengths: make([]int, topo.Nodes())}, plan.Kind{Name: plan.Exchange})
	require.NoError(t, err)
	l := &transfer.List{Nodes: topo.Nodes()}
	for i := range 50 {
		l.Transfers = append(l.Transfers, transfer.Transfer{From: 0, To: router.NodeID(1 + i%8), Out: transfer.Set{{From: 0, To: 1}}})
	}
	made := make([]int, topo.Nodes())
	_, err = job.TransferPlan(l, func(n router.NodeID) plan.Block {
		made[n]++
		return plan.Block{Words: make([]uint32, 1)}
	})
	require.NoError(t, err)
	for n, times := range made {
		require.Equal(t, 1, times, "node %d", n)
	}
}

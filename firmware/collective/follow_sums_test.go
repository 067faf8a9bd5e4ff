// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/flow"
)

// Runs of all algorithms that sum up, on random machines: the words in each message are the sums of the blocks that its row names, and
// the schedule is its collective by the times of the run.
func TestSumsAreWhatMessagesName(t *testing.T) {
	named := map[string]int{}
	for _, a := range Table() {
		kind, err := plan.KindOf(a.Collective)
		require.NoError(t, err)
		if goal := kind.Goal(1, 0); !goal.Sums() {
			continue
		}
		for seed := range soak.Number(4, 60) {
			rng := rand.New(rand.NewPCG(uint64(seed), 5))
			job := randomSum(t, rng)
			what := fmt.Sprintf("%s %s on %s, length %d, seed %d", a.Collective, a.Name, job.Topology, job.Lengths[0], seed)
			p, err := Generate(t.Context(), a.Collective, a.Name, job)
			if err != nil {
				continue // not for this job
			}
			words := &arriving{words: map[int32][]uint32{}}
			r, err := Execute(t.Context(), p, func(n *fabric.Network) error { n.Attach(words); return nil })
			require.NoError(t, err, what)
			require.NoError(t, r.Failure, what)
			s := schedule.FromLog(r.Network, false)
			p.NameBlocks(s, r.Log)
			if !s.HasBlocks() {
				continue
			}
			named[a.Collective]++
			words.require(t, p, s, r.Log, what)
			report, err := flow.Check(t.Context(), s, kind.Goal(job.Topology.Nodes(), job.Root), job.Lengths[0], timesOf(&p.Machine, r.Log))
			require.NoError(t, err, what)
			require.Empty(t, report.First, what)
		}
	}
	require.Greater(t, named[plan.Reduce], 20)
	require.Greater(t, named[plan.Allreduce], 30)
	require.Greater(t, named[plan.ReduceScatter], 20)
}

func randomSum(t *testing.T, rng *rand.Rand) Job {
	specs := []string{"path:2", "path:5", "ring:6", "ring:9", "mesh:3x2", "mesh:4x3", "torus:4x4", "hypercube:3", "hypercube:4", "star:3", "complete:5", "debruijn:3"}
	topo, err := topology.Parse(specs[rng.IntN(len(specs))])
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	set := func(key string, values ...string) {
		if rng.IntN(2) == 0 {
			require.NoError(t, m.Set(key, values[rng.IntN(len(values))]))
		}
	}
	set("startup", "1", "7", "30")
	set("hop", "2", "5")
	set("buffer", "1", "2", "8")
	set("ports", "single", "all")
	set("nic.channels", "1", "links")
	set("header", "flit")
	root := router.NodeID(rng.IntN(topo.Nodes()))
	return Job{Topology: topo, Machine: m, Root: root, Lengths: slices.Repeat([]int{1 + rng.IntN(40)}, topo.Nodes()), KeepList: true, Seed: 1, Effort: 0.01}
}

// arriving keeps the words of messages, by their serial numbers.
type arriving struct{ words map[int32][]uint32 }

func (a *arriving) Evaluate(s fabric.Signals) {
	for _, m := range s.Received() {
		a.words[m.Serial] = slices.Clone(m.Words)
	}
}

func (a *arriving) Update(fabric.Signals) {}

// require compares the words of the messages with sums of the words that nodes have at the start.
func (a *arriving) require(t *testing.T, p *plan.Plan, s *schedule.Schedule, log []fabric.Sent, what string) {
	row := -1
	for _, sent := range log {
		if sent.Dispatch < 0 {
			continue
		}
		if row++; sent.Kind != router.Data {
			continue
		}
		var order []int // words of the vector as they travel
		sums := map[int]uint32{}
		for _, span := range s.Rows[row].Blocks {
			first, end := 0, len(p.PEs[0].Block.Start)-1
			if span.Part {
				first, end = int(span.First), int(span.End)
			}
			for w := first; w <= end; w++ {
				if _, there := sums[w]; !there {
					order = append(order, w)
				}
				for n := span.From; n <= span.Last; n++ {
					sums[w] += p.PEs[n].Block.Start[w]
				}
			}
		}
		var want []uint32
		for _, w := range order {
			want = append(want, sums[w])
		}
		require.Equal(t, want, a.words[sent.Serial], "%s: message %d", what, s.Rows[row].Message)
	}
}

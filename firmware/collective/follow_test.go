// SPDX-License-Identifier: Apache-2.0

package collective

import (
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

// What the messages of runs carry is what the runs deliver: the schedules of all algorithms, on several machines, are their collectives
// by the times of the run, as early as it is possible, and no message of them can be left out or lose its blocks.
func TestRunsAreTheirCollectives(t *testing.T) {
	machines := []struct {
		preset   string
		settings []string
	}{
		{"wormhole", nil}, {"wormhole", []string{"startup", "7"}}, {"wormhole", []string{"header", "flit"}}, {"wormhole", []string{"buffer", "1", "hop", "2"}},
		{"wormhole", []string{"nic.channels", "1", "flit", "2"}}, {"wormhole", []string{"ports", "single"}}, {"bufferless", nil}, {"bufferless", []string{"ports", "all"}},
		{"store-forward", []string{"setup", "3/2"}}, {"store-forward", []string{"startup", "3", "ports", "all"}}, {"store-forward", []string{"switching", "cut-through", "ports", "all"}},
	}
	named := map[string]int{}
	rng := rand.New(rand.NewPCG(9, 9))
	for _, spec := range []string{"path:2", "ring:5", "mesh:3x2", "hypercube:3"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, at := range machines {
			m, err := machine.Preset(at.preset)
			require.NoError(t, err)
			for i := 0; i < len(at.settings); i += 2 {
				require.NoError(t, m.Set(at.settings[i], at.settings[i+1]))
			}
			for _, a := range Table() {
				kind, err := plan.KindOf(a.Collective)
				require.NoError(t, err)
				root := router.NodeID(0)
				if kind.Rooted {
					root = router.NodeID(rng.IntN(topo.Nodes()))
				}
				goal := kind.Goal(topo.Nodes(), root)
				if !soak.On() && rng.IntN(3) > 0 {
					continue
				}
				length := 1 + rng.IntN(5)
				p, err := Generate(t.Context(), a.Collective, a.Name, Job{Topology: topo, Machine: m, Root: root, Lengths: slices.Repeat([]int{length}, topo.Nodes()), KeepList: true, Seed: 1, Effort: 0.01})
				if err != nil {
					continue // not for this job
				}
				r, err := Execute(t.Context(), p)
				require.NoError(t, err)
				require.NoError(t, r.Failure, "%s %s on %s, %v", a.Collective, a.Name, spec, at)
				s := schedule.FromLog(r.Network, false)
				p.NameBlocks(s, r.Log)
				if !s.HasBlocks() {
					continue
				}
				named[a.Collective]++
				times := timesOf(&p.Machine, r.Log)
				found := func() *flow.Report {
					report, err := flow.Check(t.Context(), s, goal, length, times)
					require.NoError(t, err)
					return report
				}
				require.Empty(t, found().First, "%s %s on %s, %v, length %d", a.Collective, a.Name, spec, at, length)
				row := rng.IntN(len(s.Rows))
				blocks := s.Rows[row].Blocks
				s.Rows[row].Blocks = schedule.Blocks{} // nothing
				require.True(t, blocks == nil || goal.Kind == flow.Broadcast && s.Rows[row].Destination == root || needless(s, row, blocks) || !found().OK, "%s %s on %s, %v: message %d", a.Collective, a.Name, spec, at, s.Rows[row].Message)
			}
		}
	}
	for _, name := range []string{plan.Scatter, plan.Gather, plan.Gossip, plan.Broadcast, plan.Exchange, plan.Reduce, plan.Allreduce, plan.ReduceScatter} {
		require.Greater(t, named[name], 5, name)
	}
}

// needless reports whether other messages bring the same node the words of a message, too: then it may be left out.
func needless(s *schedule.Schedule, row int, blocks schedule.Blocks) bool {
	for i := range s.Rows {
		if i == row || s.Rows[i].Destination != s.Rows[row].Destination {
			continue
		}
		for _, mine := range blocks {
			for _, other := range s.Rows[i].Blocks {
				if mine.From <= other.Last && other.From <= mine.Last {
					return true // it may
				}
			}
		}
	}
	return false
}

// timesOf are the times of a run for package flow: a PE sends on what it has received in the same cycle.
func timesOf(m *machine.Machine, log []fabric.Sent) (at flow.Times) {
	for _, sent := range log {
		if sent.Dispatch < 0 {
			continue
		}
		has := sent.Arrival
		if !m.PacketSwitched() {
			has--
		}
		at.Sent, at.Has = append(at.Sent, sent.Cycle), append(at.Has, has)
	}
	return at
}

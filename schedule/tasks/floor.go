// SPDX-License-Identifier: Apache-2.0

package tasks

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Floor returns a time that no run of a valid graph undercuts, in ticks on machines that switch packets. It is
// the largest of three: the longest chain of tasks, in which every message goes one link
// and meets no other; the computations of one node; the flits that one node sends, or receives, through
// its channels.
func (g *Graph) Floor(t *topology.Topology, m machine.Machine) router.Cycle {
	model := timing.Of(&m)
	ticks := router.Cycle(m.Ticks())
	next := newFollowers(g, true)
	waits := make([]int32, len(g.Tasks))
	from := make([]router.Cycle, len(g.Tasks)) // the earliest cycle in which the task is ready
	busy := make([]router.Cycle, t.Nodes())
	var ready []int32
	for i := range g.Tasks {
		if waits[i] = int32(len(g.before(int32(i)))); waits[i] == 0 {
			ready = append(ready, int32(i))
		}
	}
	floor := router.Cycle(0)
	for done := 0; done < len(ready); done++ {
		i := ready[done]
		task := &g.Tasks[i]
		end := from[i]
		if task.Kind == Compute {
			end += task.Cycles * ticks
			busy[task.Node] += task.Cycles * ticks
			floor = max(floor, busy[task.Node])
		}
		floor = max(floor, end)
		for _, follower := range next.of(i) {
			at := end
			if task.Kind == Send && task.Peer == follower {
				whole := model.UntilWhole(1, task.Flits)
				at += whole
				floor = max(floor, arrival(&m, end+whole))
			}
			from[follower] = max(from[follower], at)
			if waits[follower]--; waits[follower] == 0 {
				ready = append(ready, follower)
			}
		}
	}
	return max(floor, g.throughput(t, &m))
}

// arrival is the time at which a message has arrived whose last flit is taken in a cycle,
// see fabric.Network.ArrivalTime.
func arrival(m *machine.Machine, taken router.Cycle) router.Cycle {
	if m.PacketSwitched() {
		return taken
	}
	return taken + 1
}

// throughput is the time in which the busiest node places its flits, or takes them.
func (g *Graph) throughput(t *topology.Topology, m *machine.Machine) router.Cycle {
	out, in := make([]int, t.Nodes()), make([]int, t.Nodes())
	for i := range g.Tasks {
		if s := &g.Tasks[i]; s.Kind == Send {
			out[s.Node] += s.Flits
			in[g.Tasks[s.Peer].Node] += s.Flits
		}
	}
	model := timing.Of(m)
	most := router.Cycle(0)
	for n := range out {
		channels := 1
		if timing.IndependentLinks(m) {
			channels = max(1, t.Degree(router.NodeID(n)))
		}
		most = max(most, model.Work((max(out[n], in[n])+channels-1)/channels))
	}
	return most
}

// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// phaseStarts returns the cycle in which each dimension's phase begins. Only
// bufferless machines with one channel or port need it: there a node that
// begins a phase could meet a neighbour that still takes blocks of the last one.
func phaseStarts(t *plan.Task) []router.Cycle {
	starts := make([]router.Cycle, len(t.Topology.Dims))
	if !t.Bufferless() {
		return starts
	}
	for d := range len(starts) - 1 {
		starts[d+1] = phaseEnd(t, d, starts[d])
	}
	return starts
}

// member is the state of a node in phaseEnd.
type member struct {
	now       router.Cycle // in which its program is
	delivered router.Cycle // when what it sent last is whole at the neighbour
	nic       *timing.Interface
	turns     []stream
}

// phaseEnd predicts the cycle in which all nodes are done with dimension d.
// It follows programs/gossip-turns.s; nothing ever waits for a link.
func phaseEnd(t *plan.Task, d int, start router.Cycle) router.Cycle {
	members := make([]member, len(t.Lengths))
	for n := range members {
		members[n] = member{now: start, nic: timing.NewInterface(&t.Machine, 2), turns: lineOf(t, router.NodeID(n), d).turns(t.Machine.Duplex)}
	}
	for turn := range members[0].turns {
		for step := range t.Topology.Dims[d] {
			for n := range members {
				members[n].send(t, turn, step)
			}
			for n := range members {
				members[n].take(members, turn, step)
			}
		}
		for n := range members {
			members[n].now += drain(t, members[n].turns[turn])
		}
	}
	end := start
	for n := range members {
		m := &members[n]
		end = max(end, m.now, m.nic.Ready())
	}
	return end
}

func (m *member) send(t *plan.Task, turn, step int) {
	s := m.turns[turn]
	if step >= s.sends || s.blocks[step].words() == 0 {
		return
	}
	channel := 0
	if t.Machine.Channels != 1 {
		channel = turn
	}
	var last router.Cycle
	m.now, last = m.nic.Hand(channel, m.now, s.blocks[step].words())
	m.delivered = m.nic.WholeAfter(last, 1)
}

func (m *member) take(members []member, turn, step int) {
	s := m.turns[turn]
	if step < s.takes && s.blocks[step+1].words() > 0 {
		m.now = max(m.now, members[s.from].delivered)
	}
}

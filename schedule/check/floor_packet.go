// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
	"meshwright/schedule"
)

// packetFloor is FloorOf on machines that switch packets, in ticks. A message
// of L flits holds the one port of its source, and later that of its
// destination, or one of their links where all ports work at once, for a set-up and L flits, and on its other links needs at least
// a rest: as much for each link when it is stored and forwarded, a set-up and
// one flit when it is cut through. Of the messages of one source whose rests
// are r or more, the last one to leave still has r to go; of one destination,
// the first one to come has had r to go. With all ports a node of c links has one
// that works for a c-th of that time, or more.
func (g *floor) packetFloor(m *machine.Machine) router.Cycle {
	model := timing.Of(m)
	holds, rests := make([]router.Cycle, len(g.s.Rows)), make([]router.Cycle, len(g.s.Rows))
	for i := range g.s.Rows {
		holds[i] = model.Work(g.s.Rows[i].Flits)
		link := holds[i]
		if m.Switching == machine.CutThrough {
			link = model.Setup + model.Flit
		}
		rests[i] = router.Cycle(g.distance[i]-1) * link
	}
	best := max(
		g.portFloor(holds, rests, func(r *schedule.Row) router.NodeID { return r.Source }),
		g.portFloor(holds, rests, func(r *schedule.Row) router.NodeID { return r.Destination }))
	return best + router.Cycle(m.StartupTicks())
}

// portFloor is the bound of the ports at one end of the messages.
func (g *floor) portFloor(holds, rests []router.Cycle, end func(*schedule.Row) router.NodeID) router.Cycle {
	order := make([]int32, len(g.s.Rows))
	for i := range order {
		order[i] = int32(i)
	}
	node := func(i int32) router.NodeID { return end(&g.s.Rows[i]) }
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(node(a), node(b)), cmp.Compare(rests[b], rests[a]))
	})
	best, held, links := router.Cycle(0), router.Cycle(0), router.Cycle(1)
	for k, i := range order {
		if k == 0 || node(order[k-1]) != node(i) {
			held = 0
			if !g.oneChannel {
				links = router.Cycle(g.t.Degree(node(i)))
			}
		}
		held += holds[i]
		best = max(best, max((held+links-1)/links, holds[i])+rests[i])
	}
	return best
}

// SPDX-License-Identifier: Apache-2.0

package relayed

import (
	"fmt"
	"math"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// MaxNodes bounds the networks whose blocks are planned one by one.
const MaxNodes = 2048

const (
	// maxReach bounds the links of a leg, maxLegs the legs of a node on average.
	maxReach = 3
	maxLegs  = 100
	// mostLegs bounds the links that all blocks go over together.
	mostLegs = 1 << 25
	// mostWork bounds the work of a search, see Schedule.Work, and balanceWork that of trees with equal loads, in links that are looked at: some seconds, and a second. The first try may take as much as it needs.
	mostWork    = 1 << 26
	balanceWork = 1 << 24
	// mostSweeps is how often each tree becomes another.
	mostSweeps = 3
)

// Plan plans an all-to-all on a large network. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task) (*plan.Plan, error) {
	if nodes := len(t.Lengths); nodes > MaxNodes {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "an all-to-all over neighbours for %d nodes", nodes)
	}
	if err := t.NeedRelays(0); err != nil {
		return nil, err
	}
	if n := topology.BreadthFirst(t.Topology, 0).Unreached(); n != router.None {
		return nil, input.Errorf("expected links between all nodes", "no links lead from node 0 to node %d", n)
	}
	net, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	s := &search{Task: t, net: net, model: timing.Stalling(&t.Machine)}
	if err := s.run(); err != nil {
		return nil, err
	}
	source := false
	for i := range s.best.Messages {
		m := &s.best.Messages[i]
		if slices.Equal(m.Route, net.AppendRoute(nil, router.NodeID(m.From), router.NodeID(m.To))) {
			m.Route = nil
		}
		source = source || m.Route != nil
	}
	list, extra := List(t, s.best.Messages)
	p, err := t.KeepingPlan(list, extra)
	if err != nil {
		return nil, err
	}
	if source {
		p.Machine.Routing = machine.Source
	}
	t.PredictBooked(p, s.best.Cycles)
	p.Stopped = t.Search.Err() != nil && s.best.Cycles > t.LowerBound()
	return p, nil
}

// search looks for the fastest schedule.
type search struct {
	*plan.Task
	net   *fabric.Routes
	model timing.Model
	best  Schedule
	work  int
}

// run tries legs of one link, and then longer ones as long as they are faster.
func (s *search) run() error {
	if slices.Max(s.Lengths) == 0 {
		return nil
	}
	trees := s.trees()
	legs := trees.total()
	if legs > mostLegs {
		return input.Errorf(fmt.Sprintf("expected at most %d", mostLegs), "the blocks of an all-to-all on %s would go over %d links", s.Topology, legs)
	}
	if err := s.NeedRelays(legs); err != nil {
		return err
	}
	for reach := 1; reach <= maxReach; reach++ {
		ways := trees.long(reach, s.net)
		if reach > 1 && len(ways.legs) > maxLegs*len(s.Lengths) {
			break
		}
		before := s.best.Cycles
		for _, how := range s.tries() {
			if s.ended() {
				return s.Ctx.Err()
			}
			s.try(ways, how)
		}
		if reach > 1 && s.best.Cycles == before {
			break
		}
	}
	return s.Ctx.Err()
}

// trees returns ways with equal loads.
func (s *search) trees() *trees {
	b := newTrees(s.Topology, s.Machine, s.Lengths)
	for sweep := 0; sweep < mostSweeps && (sweep == 0 || sweep*len(s.Lengths)*len(b.legs) < balanceWork) && s.Search.Err() == nil; sweep++ {
		b.balance()
	}
	return b
}

// tries lists how many words a message has, and for how many it waits.
func (s *search) tries() (list []Try) {
	longest, all := slices.Max(s.Lengths), math.MaxInt
	startup := int(s.model.Startup / s.model.Flit)
	if s.model.Rest() == 0 {
		return []Try{{Most: longest}, {Most: 8 * longest}, {Most: 64 * longest}}
	}
	list = append(list, Try{Most: all})
	for _, most := range []int{16 * startup, 4 * startup} {
		if most >= longest {
			list = append(list, Try{Most: most})
		}
	}
	list = append(list, Try{Most: all, Rounds: true})
	if least := startup / 4; least > longest {
		list = append(list, Try{Most: all, Least: least}, Try{Most: max(longest, 16*startup), Least: least})
	}
	return list
}

// ended reports whether nothing more is to be tried.
func (s *search) ended() bool {
	return s.best.Cycles > 0 && (s.work > mostWork || s.best.Cycles <= s.LowerBound() || s.Search.Err() != nil) || s.Ctx.Err() != nil
}

// try keeps the schedule of a try if it is the fastest.
func (s *search) try(ways *Ways, how Try) {
	how.Limit, how.Work = never, math.MaxInt
	if s.best.Cycles > 0 {
		how.Limit, how.Work = s.best.Cycles, mostWork-s.work
	}
	how.Ended = func() bool { return s.Ctx.Err() != nil || s.best.Cycles > 0 && s.Search.Err() != nil }
	made := ways.Run(s.Topology, s.Machine, s.Lengths, how)
	if s.work += made.Work; made.Cycles > 0 {
		s.best = made
	}
}

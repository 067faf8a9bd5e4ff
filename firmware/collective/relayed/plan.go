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
	// mostWork bounds the work of a search, see Schedule.Work, and balanceWork that of each way to make trees with equal loads, in links that are looked at: some seconds, and one. The first try may take as much as it needs.
	mostWork    = 1 << 27
	otherWork   = 1 << 25 // of a search that goes on with routes that are not the fastest
	balanceWork = 1 << 24
	// mostSweeps is how often each tree becomes another.
	mostSweeps = 3
)

// Plan plans an all-to-all on a large network. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task) (*plan.Plan, error) {
	if nodes := len(t.Lengths); nodes > MaxNodes {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "%s greedy for %d nodes", t.Kind.Name, nodes)
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

// run looks for the fastest routes with one kind of messages, and then for others along these routes, with the fastest first.
func (s *search) run() error {
	if slices.Max(s.Lengths) == 0 {
		return nil
	}
	shortest := newTrees(s.Topology, s.Machine, s.Lengths)
	legs := shortest.total()
	if legs > mostLegs {
		return input.Errorf(fmt.Sprintf("expected at most %d", mostLegs), "%s greedy on %s: all blocks together go over %d links", s.Kind.Name, s.Topology, legs)
	}
	if err := s.NeedRelays(legs); err != nil {
		return err
	}
	for sweep := 0; s.sweeps(sweep, shortest); sweep++ {
		shortest.again()
	}
	tries := s.tries()
	for i, ways := range s.ways(shortest, tries[0]) {
		for _, how := range tries[1:] {
			if s.ended() || i > 0 && s.work > otherWork {
				return s.Ctx.Err()
			}
			s.try(ways, how)
		}
	}
	return s.Ctx.Err()
}

// ways tries shortest routes and routes with equal loads, then longer legs as long as they are faster. It returns the routes with the better loads, by the reach of their legs, the fastest first.
func (s *search) ways(shortest *trees, how Try) []*Routes {
	best := s.balanced(shortest)
	list := []*Routes{best.long(1, s.net)}
	s.try(list[0], how)
	if other := shortest.long(1, s.net); !s.ended() && s.try(other, how) {
		best, list[0] = shortest, other
	}
	for reach := 2; reach <= maxReach && !s.ended(); reach++ {
		longer := best.long(reach, s.net)
		if len(longer.legs) > maxLegs*len(s.Lengths) {
			break
		}
		if !s.try(longer, how) {
			return append(list, longer)
		}
		list = append([]*Routes{longer}, list...)
	}
	return list
}

// balanced returns routes with loads that are as equal as is found.
func (s *search) balanced(shortest *trees) *trees {
	b := shortest.copied()
	best, least := shortest, math.Inf(1)
	for sweep := 0; s.sweeps(sweep, b); sweep++ {
		b.balance()
		if c := b.crowding(); c < least {
			best, least = b.copied(), c
		}
	}
	return best
}

// sweeps reports whether there is work for one more sweep over all trees.
func (s *search) sweeps(sweep int, b *trees) bool {
	return sweep < mostSweeps && (sweep == 0 || sweep*len(s.Lengths)*len(b.legs) < s.Spend(balanceWork)) && s.Search.Err() == nil
}

// tries lists how many words a message has, and for how many it waits.
func (s *search) tries() (list []Try) {
	longest, all := slices.Max(s.Lengths), math.MaxInt
	startup := int(s.model.Startup / s.model.Flit)
	if s.model.Rest() == 0 {
		return []Try{{Most: longest}, {Most: 8 * longest}, {Most: 64 * longest}}
	}
	list = append(list, Try{Most: max(longest, 16*startup)}, Try{Most: all})
	if most := 4 * startup; most >= longest {
		list = append(list, Try{Most: most})
	}
	list = append(list, Try{Most: all, Rounds: true})
	if least := startup / 4; least > longest {
		list = append(list, Try{Most: all, Least: least}, Try{Most: max(longest, 16*startup), Least: least})
	}
	return list
}

// ended reports whether nothing more is to be tried.
func (s *search) ended() bool {
	return s.best.Cycles > 0 && (s.work > s.Spend(mostWork) || s.best.Cycles <= s.LowerBound() || s.Search.Err() != nil) || s.Ctx.Err() != nil
}

// try keeps the schedule of a try if it is the fastest, and reports whether it is.
func (s *search) try(ways *Routes, how Try) bool {
	how.Limit, how.Work = never, math.MaxInt
	if s.best.Cycles > 0 {
		how.Limit, how.Work = s.best.Cycles, s.Spend(mostWork)-s.work
	}
	how.Ended = func() bool { return s.Ctx.Err() != nil || s.best.Cycles > 0 && s.Search.Err() != nil }
	made := ways.Run(s.Topology, s.Machine, s.Lengths, how)
	if s.work += made.Work; made.Cycles == 0 {
		return false
	}
	s.best = made
	return true
}

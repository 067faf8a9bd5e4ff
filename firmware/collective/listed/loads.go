// SPDX-License-Identifier: Apache-2.0

package listed

import (
	"cmp"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// loads counts the cycles for which messages use links, channels, ports and half-duplex interfaces.
type loads struct {
	*List
	model  timing.Model
	first  []int32 // by node: its first port
	ports  int32   // of all nodes
	cycles []float64
}

func (l *List) newLoads() *loads {
	nodes := l.topology.Nodes()
	s := &loads{List: l, model: timing.Stalling(&l.machine), first: make([]int32, nodes+1)}
	for n := range nodes {
		s.first[n+1] = s.first[n] + int32(l.topology.Ports(router.NodeID(n)))
	}
	s.ports = s.first[nodes]
	s.cycles = make([]float64, int(3*s.ports)+3*nodes)
	return s
}

// uses lists what a message uses on a route: links or ports, the channels at both ends, the interfaces.
func (s *loads) uses(m *Message, route []router.Port) (list []int32) {
	nodes := int32(len(s.first) - 1)
	at, back := m.From, router.Port(0)
	for _, p := range route {
		next := s.topology.Neighbor(at, p)
		if s.machine.Ports == machine.SinglePort {
			list = append(list, 3*s.ports+int32(at), 3*s.ports+nodes+int32(next))
		} else {
			list = append(list, s.first[at]+int32(p))
		}
		at, back = next, s.topology.BackPort(at, p)
	}
	out, in := timing.ChannelOf(&s.machine, route[0]), timing.ChannelOf(&s.machine, back)
	list = append(list, s.ports+s.first[m.From]+int32(out), 2*s.ports+s.first[m.To]+int32(in))
	if s.machine.Duplex == machine.Half {
		list = append(list, 3*s.ports+2*nodes+int32(m.From), 3*s.ports+2*nodes+int32(m.To))
	}
	return list
}

// time returns for how long a message keeps something: the channel by which it leaves for its startup, too.
func (s *loads) time(m *Message, use int32) float64 {
	time := s.model.Work(m.Words)
	if use >= s.ports && use < 2*s.ports {
		time += s.model.Startup
	}
	return float64(time)
}

func (s *loads) add(m *Message, uses []int32, sign float64) {
	for _, u := range uses {
		s.cycles[u] += sign * s.time(m, u)
	}
}

// price says how crowded some uses are: more than twice as much for twice the load, so that loads become equal.
func (s *loads) price(m *Message, uses []int32, with bool) (sum float64) {
	for _, u := range uses {
		c := s.cycles[u]
		if with {
			d := c + s.time(m, u)
			sum += d*d*d - c*c*c
			continue
		}
		sum += c * c * c
	}
	return sum
}

const (
	// mostRoutes bounds the shortest routes of a message that Balance compares.
	mostRoutes = 8
	// sweeps is how often it looks at each message.
	sweeps = 10
)

// Balance gives the messages other shortest routes, so that links and channels have equal loads.
func (l *List) Balance() {
	s := l.newLoads()
	routes, uses, chosen := make([][][]router.Port, len(l.Messages)), make([][][]int32, len(l.Messages)), make([]int, len(l.Messages))
	for i := range l.Messages {
		m := &l.Messages[i]
		routes[i] = l.shortest(m.From, m.To)
		for _, r := range routes[i] {
			uses[i] = append(uses[i], s.uses(m, r))
		}
		chosen[i] = l.random.IntN(len(routes[i]))
		s.add(m, uses[i][chosen[i]], 1)
	}
	for range sweeps {
		for i := range l.Messages {
			m := &l.Messages[i]
			s.add(m, uses[i][chosen[i]], -1)
			chosen[i] = s.cheapest(m, uses[i])
			s.add(m, uses[i][chosen[i]], 1)
		}
	}
	for i := range l.Messages {
		l.Messages[i].Route = routes[i][chosen[i]]
	}
}

// cheapest returns one of the uses with the least price.
func (s *loads) cheapest(m *Message, uses [][]int32) (best int) {
	least, first := 0.0, s.random.IntN(len(uses))
	for k := range uses {
		i := (first + k) % len(uses)
		if price := s.price(m, uses[i], true); k == 0 || price < least {
			best, least = i, price
		}
		s.Work += 2 * len(uses[i])
	}
	return best
}

// shortest lists shortest routes, at most mostRoutes.
func (l *List) shortest(from, to router.NodeID) (routes [][]router.Port) {
	links := l.linksTo(to)
	var extend func(at router.NodeID, route []router.Port)
	extend = func(at router.NodeID, route []router.Port) {
		if at == to {
			routes = append(routes, slices.Clone(route))
			return
		}
		for p := range router.Port(l.topology.Ports(at)) {
			if next := l.topology.Neighbor(at, p); next != router.None && links[next] == links[at]-1 && len(routes) < mostRoutes {
				extend(next, append(route, p))
			}
		}
	}
	extend(from, nil)
	return routes
}

// linksTo returns the distances of all nodes to one.
func (l *List) linksTo(to router.NodeID) []int {
	links := slices.Repeat([]int{-1}, l.topology.Nodes())
	links[to] = 0
	for queue := []router.NodeID{to}; len(queue) > 0; queue = queue[1:] {
		for p := range router.Port(l.topology.Ports(queue[0])) {
			if next := l.topology.Neighbor(queue[0], p); next != router.None && links[next] < 0 {
				links[next] = links[queue[0]] + 1
				queue = append(queue, next)
			}
		}
	}
	return links
}

// ByLoad gives the messages, of which none waits for another, times from the first cycle on: of the messages that can be handed over in a cycle, the one first whose links and channels have most to do
// for all messages that have no time yet.
func (l *List) ByLoad() *Times {
	s, t := l.newLoads(), l.newTimes()
	uses, left := make([][]int32, len(l.Messages)), make([]int32, len(l.Messages))
	for i := range l.Messages {
		m := &l.Messages[i]
		uses[i], left[i] = s.uses(m, m.Route), int32(i)
		s.add(m, uses[i], 1)
	}
	book := booking.NewBook(l.topology, l.machine).Stalling()
	before := make([]router.Cycle, len(l.Messages)) // by message: when it can go at the earliest, as far as is known
	price := make([]float64, len(l.Messages))
	for now := router.Cycle(0); len(left) > 0; {
		ready := slices.DeleteFunc(slices.Clone(left), func(i int32) bool { return before[i] > now })
		for _, i := range ready {
			price[i] = s.price(&l.Messages[i], uses[i], false)
		}
		l.Work += 2 * len(ready)
		slices.SortStableFunc(ready, func(a, b int32) int { return cmp.Compare(price[b], price[a]) })
		for _, i := range ready {
			m := &l.Messages[i]
			l.Work += l.effort(m)
			if before[i] = book.Earliest(m.From, m.Route, m.Words, now); before[i] > now {
				continue
			}
			t.Handed[i], t.Whole[i] = book.Reserve(m.From, m.Route, m.Words, now)
			t.Cycles = max(t.Cycles, t.Whole[i]+1)
			before[i] = placed
			s.add(m, uses[i], -1)
		}
		left = slices.DeleteFunc(left, func(i int32) bool { return before[i] == placed })
		now = never
		for _, i := range left {
			now = min(now, before[i])
		}
	}
	return t
}

const (
	placed = router.Cycle(-1)
	never  = router.Cycle(1) << 60
)

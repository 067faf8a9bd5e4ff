// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// space lists the resources in which messages can collide. One message uses a resource at a
// time, so each resource has a calendar. When all nodes do the same at the same time, the
// resources of one node stand for the resources of all nodes.
type space struct {
	t         *topology.Topology
	m         machine.Machine
	model     timing.Model
	links     []topology.Link
	base      []int32   // by node: its first link in links; links of a node rise with the port
	onLink    [][]int32 // by link: the calendars of a crossing
	entering  [][]int32 // by link: the calendars of a message that enters over it; the first is held for the startup, too
	leaving   [][]int32 // by link: the calendars of a message that ends behind it
	calendars int
}

// newSpace lays out the calendars; with a lattice, the calendars of a timetable that is the
// same for all nodes.
func newSpace(t *topology.Topology, m machine.Machine, l *lattice) *space {
	s := &space{t: t, m: m, model: timing.Stalling(&m), links: t.Links(), base: make([]int32, t.Nodes()+1)}
	for _, link := range s.links {
		s.base[link.From+1]++
	}
	for n := range t.Nodes() {
		s.base[n+1] += s.base[n]
	}
	node := func(n router.NodeID) int32 { return int32(n) }
	link := func(i int) int32 { return int32(i) }
	nodes, links := int32(t.Nodes()), int32(len(s.links))
	if l != nil {
		node = func(router.NodeID) int32 { return 0 }
		link = func(i int) int32 { return l.directionOf(&s.links[i]) }
		nodes, links = 1, int32(len(l.directions))
	}
	const send, receive, nic = 0, 1, 2 // calendars of nodes, in this order behind the calendars of links and channels
	of := func(kind int32, n router.NodeID) int32 { return 3*links + (2+kind)*nodes + node(n) }
	pairs := &pairs{numbers: map[[2]int32]int32{}, next: 3*links + 5*nodes}
	for i := range s.links {
		from, to := s.links[i].From, s.links[i].To
		on, in, out := []int32{link(i)}, []int32{links + link(i)}, []int32{2*links + link(i)}
		if m.Ports == machine.SinglePort {
			on = []int32{of(send, from), of(receive, to)}
		}
		if m.Channels != machine.Links {
			in, out = []int32{3*links + node(from)}, []int32{3*links + nodes + node(to)}
		}
		switch {
		case m.Duplex != machine.Half:
		case timing.IndependentLinks(&m):
			for k := s.base[from]; k < s.base[from+1]; k++ {
				in = append(in, pairs.of(link(i), link(int(k))))
			}
			for k := s.base[to]; k < s.base[to+1]; k++ {
				out = append(out, pairs.of(link(int(k)), link(s.back(i))))
			}
		default:
			in, out = append(in, of(nic, from)), append(out, of(nic, to))
		}
		s.onLink, s.entering, s.leaving = append(s.onLink, on), append(s.entering, in), append(s.leaving, out)
	}
	s.calendars = int(pairs.next)
	return s
}

// pairs numbers the calendars of half-duplex interfaces with a channel for each link: one for each channel on which a node sends and each on which it
// receives. So messages of a node exclude one another if one of them leaves and the other arrives:
//
//	               receives on a   receives on b
//	sends on a          1               2          a message that leaves on a takes 1 and 2,
//	sends on b          3               4          one that arrives on a takes 1 and 3
type pairs struct {
	numbers map[[2]int32]int32 // by the link on which it sends and the one on whose channel it receives
	next    int32
}

func (p *pairs) of(sends, receives int32) int32 {
	pair := [2]int32{sends, receives}
	number, ok := p.numbers[pair]
	if !ok {
		number = p.next
		p.numbers[pair] = number
		p.next++
	}
	return number
}

// back returns the link that leaves through the port at which a link arrives.
func (s *space) back(i int) int { return int(s.linkOf(s.links[i].To, s.links[i].ToPort)) }

// directionOf returns the direction in which a link leads.
func (l *lattice) directionOf(link *topology.Link) int32 {
	dim, step := int(link.FromPort/2), 1-2*int(link.FromPort%2)
	for k, d := range l.directions {
		if d.dim == dim && (d.step == step || l.dims[dim] == 2) {
			return int32(k)
		}
	}
	panic("timetable: a link in no direction")
}

// linkOf returns the index of the link at a port, which must be connected.
func (s *space) linkOf(n router.NodeID, p router.Port) int32 {
	for i := s.base[n]; ; i++ {
		if s.links[i].FromPort == p {
			return i
		}
	}
}

// used returns for how long a message of so many flits has a link, a port or an ejection channel, and held for how long its injection channel. Where buffers
// are small, links rest for a stall behind a message, and ports and ejection channels here too.
func (s *space) used(flits int) router.Cycle { return s.model.Work(flits) + s.model.Stall() }

func (s *space) held(flits int) router.Cycle { return s.model.Hold(flits) }

// hop returns the cycles of a hop.
func (s *space) hop() int { return int(s.model.Hop) }

// use is an interval of a calendar.
type use struct {
	calendar int32
	from, to router.Cycle // the first cycle after it
}

// uses appends the resources, with their times, of a message of so many flits that leaves in
// cycle start along links.
func (s *space) uses(list []use, start router.Cycle, flits int, links []int32) []use {
	hop, work := s.model.Hop, s.used(flits)
	for k, link := range links {
		at := start + router.Cycle(k)*hop
		for _, c := range s.onLink[link] {
			list = append(list, use{c, at, at + work})
		}
	}
	if len(links) == 0 {
		return list
	}
	for i, c := range s.entering[links[0]] {
		if i == 0 {
			list = append(list, use{c, start, start + s.held(flits)})
		} else {
			list = append(list, use{c, start, start + work})
		}
	}
	end := start + router.Cycle(len(links))*hop
	for _, c := range s.leaving[links[len(links)-1]] {
		list = append(list, use{c, end, end + work})
	}
	return list
}

// linksOf returns the links of a route.
func (s *space) linksOf(links []int32, from router.NodeID, route []router.Port) []int32 {
	for _, p := range route {
		link := s.linkOf(from, p)
		links = append(links, link)
		from = s.links[link].To
	}
	return links
}

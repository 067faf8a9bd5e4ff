// SPDX-License-Identifier: Apache-2.0

package deadlock_test

import (
	"meshwright/fabric"
	"meshwright/fabric/deadlock"
	"meshwright/fabric/machine"
	"meshwright/router"
)

// twin is the dependency graph by brute force: it walks the route between every two nodes, and
// chooses virtual channels by the rules of docs/machines.md, not by the code of the chips.
type twin struct {
	channels map[deadlock.Channel]bool
	edges    map[[2]deadlock.Channel]bool
}

func walkAll(n *fabric.Network) *twin {
	g := &twin{map[deadlock.Channel]bool{}, map[[2]deadlock.Channel]bool{}}
	nodes := router.NodeID(n.Topology.Nodes())
	for from := range nodes {
		for to := range nodes {
			if from != to {
				g.walk(n, from, to)
			}
		}
	}
	if n.Machine.PacketSwitched() && n.Machine.Ports == machine.SinglePort {
		g.queue()
	}
	return g
}

// leg is a part of a route, in channels of a class of lanes.
type leg struct {
	ports []router.Port
	class int
}

// ways lists the routes of a message, each as legs.
func ways(n *fabric.Network, from, to router.NodeID) [][]leg {
	switch n.Machine.Routing {
	case machine.ReverseOrder:
		return [][]leg{{{line(n, from, to, true), 0}}}
	case machine.O1Turn:
		return [][]leg{{{line(n, from, to, false), 0}}, {{line(n, from, to, true), 1}}}
	case machine.Valiant:
		var all [][]leg
		for via := range router.NodeID(n.Topology.Nodes()) {
			all = append(all, []leg{{line(n, from, via, false), 0}, {line(n, via, to, false), 1}})
		}
		return all
	}
	return [][]leg{{{n.Route(from, to), 0}}}
}

// line is the route in dimension order, or in the reverse of it.
func line(n *fabric.Network, from, to router.NodeID, reverse bool) []router.Port {
	var ports []router.Port
	at := from
	for k := range n.Topology.Dims {
		if reverse {
			k = len(n.Topology.Dims) - 1 - k
		}
		for n.Topology.Coordinate(at, k) != n.Topology.Coordinate(to, k) {
			p := shorter(n, at, to, k)
			ports = append(ports, p)
			at = n.Topology.Neighbor(at, p)
		}
	}
	return ports
}

// shorter is the port of the shorter way in dimension k.
func shorter(n *fabric.Network, at, to router.NodeID, k int) router.Port {
	steps := func(p router.Port) int {
		v, count := at, 0
		for n.Topology.Coordinate(v, k) != n.Topology.Coordinate(to, k) {
			if v = n.Topology.Neighbor(v, p); v == router.None {
				return 1 << 30
			}
			count++
		}
		return count
	}
	up, down := router.Port(2*k), router.Port(2*k+1)
	if steps(down) < steps(up) {
		return down
	}
	return up
}

// walk adds the channels of all routes of a message.
func (g *twin) walk(n *fabric.Network, from, to router.NodeID) {
	if n.Machine.Routing == machine.Adaptive {
		g.adapt(n, from, to)
		return
	}
	if forbidden, ok := forbiddenTurns[n.Machine.Routing]; ok {
		g.turn(n, from, to, forbidden)
		return
	}
	m := &n.Machine
	size := m.Routing.Classes()
	paired := machine.Dateline(n.Topology) && m.VCs > 1
	if paired {
		size *= 2
	}
	lanes := []int{int(from+to) % (m.VCs / size)}
	if m.Choice == machine.Free { // link by link
		lanes = nil
		for lane := range m.VCs / size {
			lanes = append(lanes, lane)
		}
	}
	for _, way := range ways(n, from, to) {
		var before []deadlock.Channel
		at := from
		for _, l := range way {
			wrapped, dimension := 0, router.Port(-1)
			for _, p := range l.ports {
				if paired && p/2 != dimension {
					wrapped, dimension = 0, p/2
				}
				if paired && fabric.CrossesRim(n.Topology, at, p) {
					wrapped = 1
				}
				class := l.class + wrapped
				if paired {
					class += l.class
				}
				var here []deadlock.Channel
				for _, lane := range lanes {
					c := deadlock.Channel{Node: at, Port: p, VC: router.VC(lane*size + class), To: n.Topology.Neighbor(at, p)}
					here = append(here, c)
					g.channels[c] = true
					for _, b := range before {
						g.edges[[2]deadlock.Channel{b, c}] = true
					}
				}
				before, at = here, n.Topology.Neighbor(at, p)
			}
		}
	}
}

// adapt adds what adaptive messages wait for, by a search through all places of a head and all
// escape channels that it was in last.
func (g *twin) adapt(n *fabric.Network, from, to router.NodeID) {
	type state struct {
		at   router.NodeID
		last deadlock.Channel
	}
	none := deadlock.Channel{Node: router.None}
	seen := map[state]bool{}
	escapes := 1
	if machine.Dateline(n.Topology) {
		escapes = 2
	}
	todo := []state{{from, none}}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[s] || s.at == to {
			continue
		}
		seen[s] = true
		rest := line(n, s.at, to, false)
		class := escapes - 1
		for v, i := s.at, 0; i < len(rest) && rest[i] == rest[0]; i++ {
			if fabric.CrossesRim(n.Topology, v, rest[i]) {
				class = 0
			}
			v = n.Topology.Neighbor(v, rest[i])
		}
		escape := deadlock.Channel{Node: s.at, Port: rest[0], VC: router.VC(class), To: n.Topology.Neighbor(s.at, rest[0])}
		g.channels[escape] = true
		if s.last != none {
			g.edges[[2]deadlock.Channel{s.last, escape}] = true
		}
		todo = append(todo, state{escape.To, escape})
		for k := range n.Topology.Dims {
			if n.Topology.Coordinate(s.at, k) == n.Topology.Coordinate(to, k) {
				continue
			}
			p := shorter(n, s.at, to, k)
			for vc := escapes; vc < n.Machine.VCs; vc++ {
				c := deadlock.Channel{Node: s.at, Port: p, VC: router.VC(vc), To: n.Topology.Neighbor(s.at, p)}
				g.channels[c] = true
				todo = append(todo, state{c.To, s.last})
			}
		}
	}
}

// queue lets the packets of a chip wait for each other's links.
func (g *twin) queue() {
	relayed := map[deadlock.Channel]bool{}
	for e := range g.edges {
		relayed[e[0]] = true
	}
	for in := range relayed {
		for out := range g.channels {
			if in.To == out.Node {
				g.edges[[2]deadlock.Channel{in, out}] = true
			}
		}
	}
}

// girth is the length of a shortest cycle, 0 without one: by powers of the relation.
func (g *twin) girth() int {
	reach := g.edges
	for length := 1; length <= len(g.channels) && len(reach) > 0; length++ {
		next := map[[2]deadlock.Channel]bool{}
		after := map[deadlock.Channel][]deadlock.Channel{}
		for e := range g.edges {
			after[e[0]] = append(after[e[0]], e[1])
		}
		for pair := range reach {
			if pair[0] == pair[1] {
				return length
			}
			for _, c := range after[pair[1]] {
				next[[2]deadlock.Channel{pair[0], c}] = true
			}
		}
		reach = next
	}
	return 0
}

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

// walk adds the channels of one route.
func (g *twin) walk(n *fabric.Network, from, to router.NodeID) {
	m := &n.Machine
	paired := machine.Dateline(n.Topology) && m.VCs > 1
	lane := int(from+to) % m.VCs
	if paired {
		lane = int(from+to) % (m.VCs / 2) * 2
	}
	class, dimension := 0, router.Port(-1)
	var before *deadlock.Channel
	at := from
	for _, p := range n.Route(from, to) {
		if paired && p/2 != dimension {
			class, dimension = 0, p/2
		}
		if paired && fabric.CrossesRim(n.Topology, at, p) {
			class = 1
		}
		c := deadlock.Channel{Node: at, Port: p, VC: router.VC(lane + class), To: n.Topology.Neighbor(at, p)}
		g.channels[c] = true
		if before != nil {
			g.edges[[2]deadlock.Channel{*before, c}] = true
		}
		before, at = &c, c.To
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

// SPDX-License-Identifier: Apache-2.0

package listed

import (
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// ways looks for routes of messages that PEs pass on from neighbour to neighbour.
type ways struct {
	*loads
	arcs [][]arc // by node
	cost []float64
	by   []*arc // by node: the last arc of the cheapest route to it
	done []bool
}

// arc is a link with what a message over it uses.
type arc struct {
	from, to router.NodeID
	port     router.Port
	uses     []int32
}

const (
	// waySweeps is how often each message may change its route.
	waySweeps = 8
	// steep is the power of a load that counts, so that the largest loads become small.
	steep = 10
)

// Routes finds for each message a route from node to node, a port of each, on which PEs pass it on from neighbour to neighbour, such that links, ports, channels and half-duplex interfaces have equal
// loads. A route may be longer than the shortest. The second result is the load of the busiest: messages on these routes take as long at least. Work is counted as that of a list.
func Routes(t *topology.Topology, m machine.Machine, messages []Message) (list [][]router.Port, most router.Cycle, work int) {
	w := newWays(&List{topology: t, machine: m})
	paths := make([][]*arc, len(messages))
	for range waySweeps {
		for i := range messages {
			w.put(&messages[i], paths[i], -1)
			paths[i] = w.cheapest(&messages[i])
			w.put(&messages[i], paths[i], 1)
		}
	}
	for _, path := range paths {
		var ports []router.Port
		for _, a := range path {
			ports = append(ports, a.port)
		}
		list = append(list, ports)
	}
	return list, router.Cycle(math.Ceil(slices.Max(w.cycles))), w.Work
}

func newWays(l *List) *ways {
	nodes := l.topology.Nodes()
	w := &ways{loads: l.newLoads(), arcs: make([][]arc, nodes), cost: make([]float64, nodes), by: make([]*arc, nodes), done: make([]bool, nodes)}
	for n := range router.NodeID(nodes) {
		for p := range router.Port(l.topology.Ports(n)) {
			if next := l.topology.Neighbor(n, p); next != router.None && next != n {
				hop := &Message{From: n, To: next}
				w.arcs[n] = append(w.arcs[n], arc{n, next, p, w.uses(hop, []router.Port{p})})
			}
		}
	}
	return w
}

// put adds a message on its route to the loads, or takes it away.
func (w *ways) put(m *Message, path []*arc, sign float64) {
	for _, a := range path {
		w.add(m, a.uses, sign)
	}
}

// cheapest returns the route on which a message makes the loads grow least (Dijkstra).
func (w *ways) cheapest(m *Message) (path []*arc) {
	clear(w.done)
	for n := range w.cost {
		w.cost[n] = math.Inf(1)
	}
	w.cost[m.From] = 0
	for at := m.From; at != m.To; at = w.nearest() {
		w.done[at] = true
		for i := range w.arcs[at] {
			a := &w.arcs[at][i]
			if w.done[a.to] {
				continue
			}
			if c := w.cost[at] + w.growth(m, a.uses); c < w.cost[a.to] {
				w.cost[a.to], w.by[a.to] = c, a
			}
		}
		w.Work += len(w.arcs[at])
	}
	for at := m.To; at != m.From; at = w.by[at].from {
		path = append(path, w.by[at])
	}
	slices.Reverse(path)
	return path
}

// nearest returns the node with the cheapest route of those that are not done.
func (w *ways) nearest() router.NodeID {
	best := router.None
	for n := range router.NodeID(len(w.cost)) {
		if !w.done[n] && (best == router.None || w.cost[n] < w.cost[best]) {
			best = n
		}
	}
	return best
}

// growth says by how much the loads of some uses grow with a message, to a power.
func (w *ways) growth(m *Message, uses []int32) (sum float64) {
	for _, u := range uses {
		c, time := w.cycles[u], w.time(m, u)
		sum += math.Pow(c+time, steep) - math.Pow(c, steep)
	}
	return sum
}

// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/booking"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// network is what all schedules of a job share.
type network struct {
	*plan.Task
	nodes  int
	sums   bool // an allreduce
	back   bool // a reduce, which is booked backwards in time
	model  timing.Model
	route  [][]router.Port // by source and destination: the machine's own
	near   [][]int32       // by node: the others, the nearest first
	pieces []transfer.Range
}

func newNetwork(t *plan.Task, pieces []transfer.Range) (*network, error) {
	n := &network{Task: t, nodes: len(t.Lengths), sums: t.Kind.Name == plan.Allreduce, back: t.Kind.Name == plan.Reduce, pieces: pieces}
	n.model = timing.Stalling(&n.Machine)
	routes, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	n.route, n.near = make([][]router.Port, n.nodes*n.nodes), make([][]int32, n.nodes)
	for u := range int32(n.nodes) {
		for v := range int32(n.nodes) {
			if u == v {
				continue
			}
			n.route[int(u)*n.nodes+int(v)] = routes.Route(router.NodeID(u), router.NodeID(v))
			n.near[u] = append(n.near[u], v)
		}
		slices.SortStableFunc(n.near[u], func(a, b int32) int { return n.links(u, a) - n.links(u, b) })
	}
	return n, nil
}

// way is the route from one node to another.
func (n *network) way(from, to int32) []router.Port { return n.route[int(from)*n.nodes+int(to)] }

func (n *network) links(from, to int32) int { return len(n.way(from, to)) }

// newBook returns a book in which everything is free.
func (n *network) newBook() *booking.Book {
	if n.back {
		return booking.NewBackwards(n.Topology, n.Machine).Stalling()
	}
	return booking.NewBook(n.Topology, n.Machine).Stalling()
}

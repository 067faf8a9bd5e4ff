// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Routes are a machine's own routes on a topology: what a [Network] knows of them, without chips.
type Routes struct {
	Topology *topology.Topology `snapshot:"-"`
	Machine  machine.Machine    // resolved: no key left to default

	base   router.Routing // what source routes are computed from
	around *Around        `snapshot:"-"` // what the tables go around; nil: nothing
	asked  router.Worm    `snapshot:"-"` // of the call of Next under way
}

// NewRoutes returns the routes of machine m on topology t. Its errors are *input.Error.
func NewRoutes(t *topology.Topology, m machine.Machine) (*Routes, error) {
	m, err := m.Resolve(t)
	if err != nil {
		return nil, err
	}
	around, err := NewAround(t, m)
	if err != nil {
		return nil, err
	}
	base, err := newRouting(t, &m, around, nil)
	if err != nil {
		return nil, err
	}
	return &Routes{Topology: t, Machine: m, base: base, around: around}, nil
}

// Around returns what the tables of the chips go around; nil if they go around nothing.
func (r *Routes) Around() *Around { return r.around }

// Next returns the link port by which a message for node to leaves node at, or
// router.Here, under the machine's own (not source) routes; router.NoPort if
// one of them is no node.
func (r *Routes) Next(at, to router.NodeID) router.Port {
	if !r.Topology.Has(at) || !r.Topology.Has(to) {
		return router.NoPort
	}
	return r.next(at, to, &r.asked)
}

// next is Next for two nodes. It works in asked, so that goroutines with memory of their own may call it at the same time.
func (r *Routes) next(at, to router.NodeID, asked *router.Worm) router.Port {
	*asked = router.Worm{Destination: to}
	return r.base.Next(at, asked, 0)
}

// Route returns the output ports of the machine's own route between two nodes;
// nil if one of them is no node, or the routes do not lead there (a tree that
// does not reach all nodes).
func (r *Routes) Route(from, to router.NodeID) []router.Port { return r.AppendRoute(nil, from, to) }

// AppendRoute is Route behind what route has.
func (r *Routes) AppendRoute(route []router.Port, from, to router.NodeID) []router.Port {
	before := len(route)
	for at := from; ; {
		p := r.Next(at, to)
		if p == router.Here {
			return route
		}
		route = append(route, p)
		if at = r.Topology.Neighbor(at, p); at == router.None || len(route)-before > r.Topology.Nodes() {
			return nil
		}
	}
}

// Distance returns the number of links of the machine's own route; 0 where Route is nil.
func (r *Routes) Distance(from, to router.NodeID) int { return r.distance(from, to, &r.asked) }

// distance is Distance. It works in asked, as next does.
func (r *Routes) distance(from, to router.NodeID, asked *router.Worm) int {
	if !r.Topology.Has(from) || !r.Topology.Has(to) {
		return 0
	}
	for at, links := from, 0; ; links++ {
		p := r.next(at, to, asked)
		if p == router.Here {
			return links
		}
		if at = r.Topology.Neighbor(at, p); at == router.None || links >= r.Topology.Nodes() {
			return 0
		}
	}
}

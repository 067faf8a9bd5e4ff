// SPDX-License-Identifier: Apache-2.0

// Package fabric wires routing chips into a network, gives every processing
// element (PE) a network interface, and runs the clock.
//
// A cycle has the phases of a synchronous circuit. Every [Component] first
// evaluates: it sees what its node's registers hold at the start of the cycle
// and what the network delivers in it, and may send. Then all update together.
// Results do not depend on the order of components.
//
// On machines that switch packets the cycles of all clocks are ticks, of which
// [machine.Machine.Ticks] are a cycle of the machine.
package fabric

import (
	"cmp"
	"fmt"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/nexthop"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/star"
	"meshwright/fabric/topology/twisted"
	"meshwright/internal/crew"
	"meshwright/internal/input"
	"meshwright/router"
)

// Network is a machine on a topology, with its state.
type Network struct {
	Routes   `snapshot:"start"`
	Expected int `snapshot:"-"` // flits that are to be delivered, 0 when that is not known; only progress depends on it

	bank     *router.Bank
	routing  router.Routing `snapshot:"-"`
	nic      interfaces
	parts    []Component
	inFlight int                      // flits in registers, buffers and on links
	quiet    int                      // cycles in a row in which flits were in flight and none moved or had a timetable
	used     router.Cycle             // see Quiet
	taken    router.Cycle             // see LastTaken
	number   func(serial int32) int64 `snapshot:"-"` // see Number; nil: counted from 1
	locked   *router.Deadlock         `snapshot:"-"` // that ended the run
	overseer Overseer                 `snapshot:"-"` // nil: none
	fault    error                    `snapshot:"-"` // what a component did that ends the run
	blocked  bool                     // somebody watches blocked flits
	watched  bool                     `snapshot:"-"` // a component is no Sender
	faults   *faults                  // nil: none
	times    *machine.LinkTimes       `snapshot:"-"` // nil: all links are alike
	fly      flying                   `snapshot:"-"` // worms are on the ground in a checkpoint
	saves    *Checkpoints             `snapshot:"-"` // nil: none
	crew     *crew.Crew               `snapshot:"-"` // nil: one worker
}

// Option changes how New builds a network.
type Option func(*options)

type options struct {
	tree   *topology.SpanningTree
	faults *fault.List
}

// AlongTree routes every message along a spanning tree instead of the
// machine's own routes. It needs routing "table" or "source".
func AlongTree(s *topology.SpanningTree) Option { return func(o *options) { o.tree = s } }

// WithFaults replaces the faults of the machine by the faults of a list; nil has
// no effect.
func WithFaults(list *fault.List) Option { return func(o *options) { o.faults = list } }

// New builds the network of machine m on topology t. Its errors are *input.Error.
func New(t *topology.Topology, m machine.Machine, opts ...Option) (*Network, error) {
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	m.Faults = cmp.Or(o.faults, m.Faults)
	m, err := m.Resolve(t)
	if err != nil {
		return nil, err
	}
	if m.PacketSwitched() && m.Packet == 0 {
		return nil, input.Errorf("expected the flits of the largest packet", "packet 0, and nothing says how long the messages are")
	}
	n := &Network{Routes: Routes{Topology: t, Machine: m}}
	if o.tree != nil {
		if err := o.tree.Valid(t); err != nil {
			return nil, err
		}
		if m.Routing.Classes() > 1 || m.Routing.Reorders() {
			return nil, input.Errorf("expected table or source", "routing %s, and routes along a tree", m.Routing)
		}
	}
	if n.around, err = NewAround(t, m); err != nil {
		return nil, err
	}
	if n.base, err = newRouting(t, &m, n.around, o.tree); err != nil {
		return nil, err
	}
	n.route()
	if n.times, err = m.LinkTimes(t); err != nil {
		return nil, err
	}
	if n.faults, err = newFaults(n, m.Faults); err != nil {
		return nil, err
	}
	n.bank = router.NewBank(n.config())
	n.nic.init(n)
	return n, nil
}

// config translates topology and machine into the wiring of the chips.
func (n *Network) config() router.Config {
	t, m := n.Topology, n.Machine
	cfg := router.Config{
		PortBase: make([]int32, t.Nodes()+1), Routing: n.routing,
		VCs: m.VCs, Buffer: m.Buffer, PerLink: m.Channels == machine.Links,
		SinglePort: m.Ports == machine.SinglePort, HalfDuplex: m.Duplex == machine.Half,
		Hop: m.Hop, Flit: m.FlitTicks(), Claims: m.Claim != 0, Bufferless: m.Switching == machine.Bufferless, Faulty: n.faults != nil,
		Packet: m.LargestPacket(), CutThrough: m.Switching == machine.CutThrough, Setup: router.Cycle(m.SetupTicks()),
	}
	for v := range t.Nodes() {
		cfg.PortBase[v+1] = cfg.PortBase[v] + int32(t.Ports(router.NodeID(v)))
	}
	cfg.Peer = make([]int32, cfg.PortBase[t.Nodes()])
	for g := range cfg.Peer {
		cfg.Peer[g] = -1
	}
	for v := range router.NodeID(t.Nodes()) {
		for p := range router.Port(t.Ports(v)) {
			if to := t.Neighbor(v, p); to != router.None {
				cfg.Peer[cfg.PortBase[v]+int32(p)] = cfg.PortBase[to] + int32(t.BackPort(v, p))
			}
		}
	}
	if m.ChoosesChannels(t) {
		cfg.Classes = m.ChannelClasses(t)
	}
	if n.times != nil {
		cfg.Hops, cfg.Flits = n.times.Hop, n.times.Flit
	}
	if m.Datelines(t) {
		cfg.CrossesRim = make([]bool, len(cfg.Peer))
		for v := range router.NodeID(t.Nodes()) {
			for p := range router.Port(t.Ports(v)) {
				cfg.CrossesRim[cfg.PortBase[v]+int32(p)] = CrossesRim(t, v, p)
			}
		}
	}
	return cfg
}

// CrossesRim reports whether the link from node v through port p closes the
// ring of a wrapped dimension: the dateline.
func CrossesRim(t *topology.Topology, v router.NodeID, p router.Port) bool {
	return t.Closes(v, p)
}

// maxTable bounds the nodes of a network that is routed by full tables.
const maxTable = nexthop.MaxNodes

// newRouting returns the routes of a topology: along the tree when one is
// given, up and down with routing updown, by dimension order on grids, along the tree of a tree, along the
// shortest-path trees of a star graph, along the rings of a twisted torus, else shortest paths through the
// lowest-numbered ports. Tables go around known faults. A table of the user's is taken as it is.
func newRouting(t *topology.Topology, m *machine.Machine, around *Around, tree *topology.SpanningTree) (router.Routing, error) {
	switch own := m.OwnTable(); {
	case tree != nil:
		return treeRouting(t, tree), nil
	case own != nil:
		return own.On(t)
	case m.Routing == machine.UpDown && t.Kind != topology.Tree:
		return tableRouting(t, around, m.Routing)
	case around != nil && t.Kind != topology.Tree: // of a tree only leaves may be dead
		return tableRouting(t, around, m.Routing)
	case t.IsGrid() && m.Routing == machine.ReverseOrder:
		return router.ReverseOrder{Order: router.NewDimensionOrder(t.Dims, t.Wrap)}, nil
	case t.IsGrid():
		return router.NewDimensionOrder(t.Dims, t.Wrap), nil
	case t.Kind == topology.Tree:
		return treeRouting(t, topology.BreadthFirst(t, t.Root)), nil
	case t.Star() != nil:
		return starRouting{t.Star()}, nil
	case t.Twisted() != nil:
		return twistedRouting{t.Twisted()}, nil
	}
	return tableRouting(t, nil, m.Routing)
}

// tableRouting returns next-hop tables: of routes up and down, or of shortest paths.
func tableRouting(t *topology.Topology, around *Around, r machine.Routing) (router.Routing, error) {
	if err := tabled(t); err != nil {
		return nil, err
	}
	whole := router.NewTable(t.Nodes())
	if r != machine.UpDown || around != nil {
		shortest(t, nil, whole)
	}
	switch {
	case r == machine.UpDown:
		upDown(t, around, whole)
	case around != nil:
		shortest(t, around, whole)
	}
	return whole, nil
}

// tabled refuses networks that are too large for next-hop tables.
func tabled(t *topology.Topology) error {
	if t.Nodes() <= maxTable {
		return nil
	}
	want := "; a mesh, torus or tree; or a scatter or gather by auto"
	if t.IsGrid() || t.Kind == topology.Tree {
		want = ", or routes without tables"
	}
	return input.Errorf(fmt.Sprintf("expected at most %d nodes%s", maxTable, want), "%s has %d nodes: too many for next-hop tables", t, t.Nodes())
}

// shortest enters shortest paths into next-hop tables, through the lowest-numbered ports of a breadth-first search from each destination. Around
// known faults it leaves the routes from and to dead nodes as they are.
func shortest(t *topology.Topology, around *Around, table *router.Table) {
	for to := range router.NodeID(t.Nodes()) {
		if around.Live(to) {
			around.breadthFirst(t, to, true, func(at, next router.NodeID, p router.Port) { table.Set(at, to, t.BackPort(next, p)) })
		}
	}
}

// starRouting routes by the permutations of the two nodes.
type starRouting struct{ graph *star.Graph }

// Next implements router.Routing.
func (r starRouting) Next(at router.NodeID, w *router.Worm, _ uint32) router.Port {
	return r.graph.Next(at, w.Destination)
}

// twistedRouting routes by the difference of the two nodes.
type twistedRouting struct{ torus *twisted.Torus }

// Next implements router.Routing.
func (r twistedRouting) Next(at router.NodeID, w *router.Worm, _ uint32) router.Port {
	return r.torus.Next(at, w.Destination)
}

func treeRouting(t *topology.Topology, s *topology.SpanningTree) router.Routing {
	children := s.Children()
	up := make([]router.Port, t.Nodes())
	down := make([][]router.Port, t.Nodes())
	for at, list := range children {
		down[at] = make([]router.Port, len(list))
		for i, child := range list {
			p, _ := t.PortTo(router.NodeID(at), child)
			down[at][i] = p
			up[child] = t.BackPort(router.NodeID(at), p)
		}
	}
	return router.NewTree(s.Root, up, children, down)
}

// Bank gives observers the chips' state.
func (n *Network) Bank() *router.Bank { return n.bank }

// DimensionOrdered reports whether the network's own routes are in dimension order, the lowest or
// the highest dimension first.
func (n *Network) DimensionOrdered() bool {
	switch n.base.(type) {
	case *router.DimensionOrder, router.ReverseOrder:
		return true
	}
	return false
}

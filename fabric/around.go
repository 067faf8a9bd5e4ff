// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Around is what known faults leave of a network whose chips have tables: the routes between live nodes go around all that is dead. Nil
// stands for a network in which nothing is.
type Around struct {
	topology *topology.Topology
	gone     *fault.Gone
	bothWays bool // a link that is dead in one direction is not used in the other either
}

// NewAround returns what the known faults of a machine, which is resolved, leave of a network for its tables; nil if it has none, or its routes do not
// go around them. The error, when there are fewer than two live nodes, or no route from one to another, is an *input.Error.
func NewAround(t *topology.Topology, m machine.Machine) (*Around, error) {
	if !m.AroundFaults() {
		return nil, nil
	}
	gone, err := m.Faults.Gone(t, router.None)
	if err != nil {
		return nil, err
	}
	a := &Around{t, gone, m.Routing == machine.UpDown}
	return a, a.connected()
}

// Live reports whether a node is.
func (a *Around) Live(n router.NodeID) bool { return a == nil || !a.gone.Node(n) }

// Dead returns the numbers of dead nodes, and of directed links between live nodes that the tables leave out.
func (a *Around) Dead() (nodes, links int) {
	if a == nil {
		return 0, 0
	}
	for n := range router.NodeID(a.topology.Nodes()) {
		if !a.Live(n) {
			nodes++
		}
	}
	for l := range a.topology.EachLink() {
		if a.Live(l.From) && a.Live(l.To) && !a.uses(l.From, l.To) {
			links++
		}
	}
	return nodes, links
}

// uses reports whether routes may go over the link between two neighbours.
func (a *Around) uses(from, to router.NodeID) bool {
	return a == nil || a.Live(from) && a.Live(to) && !a.gone.Link(from, to) && !(a.bothWays && a.gone.Link(to, from))
}

// firstLive is the node of a network that is tried first, or else the first live one.
func (a *Around) firstLive(try router.NodeID) router.NodeID {
	if a.Live(try) {
		return try
	}
	for n := range router.NodeID(a.topology.Nodes()) {
		if a.Live(n) {
			return n
		}
	}
	return router.None
}

// breadthFirst lists the live nodes to which routes lead from a node, by a breadth-first search; with back those from which routes lead to it. It
// tells see over which port of which node each of them is found.
func (a *Around) breadthFirst(t *topology.Topology, root router.NodeID, back bool, see func(found, by router.NodeID, p router.Port)) []router.NodeID {
	order, found := make([]router.NodeID, 1, t.Nodes()), make([]bool, t.Nodes())
	order[0], found[root] = root, true
	for i := 0; i < len(order); i++ {
		at := order[i]
		for p := range router.Port(t.Ports(at)) {
			next := t.Neighbor(at, p)
			if next == router.None || found[next] || !back && !a.uses(at, next) || back && !a.uses(next, at) {
				continue
			}
			found[next] = true
			order = append(order, next)
			if see != nil {
				see(next, at, p)
			}
		}
	}
	return order
}

// connected refuses a network in which some live node has no route to another.
func (a *Around) connected() error {
	t := a.topology
	dead, _ := a.Dead()
	live := t.Nodes() - dead
	if live < 2 {
		return input.Errorf("expected at least 2 live nodes", "the faults leave %s of %s", input.Count(live, "node"), t)
	}
	root := a.firstLive(t.Root)
	for _, back := range []bool{false, true} {
		reached := make([]bool, t.Nodes())
		for _, n := range a.breadthFirst(t, root, back, nil) {
			reached[n] = true
		}
		for n := range router.NodeID(t.Nodes()) {
			if reached[n] || !a.Live(n) {
				continue
			}
			from, to := root, n
			if back {
				from, to = n, root
			}
			links := ""
			if a.bothWays {
				links = " by links that live in both directions"
			}
			return input.Errorf("expected routes between all live nodes", "the faults of %s leave no route from node %d to node %d%s", t, from, to, links)
		}
	}
	return nil
}

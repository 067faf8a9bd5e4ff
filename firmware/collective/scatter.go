// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// furthestFirst sends along a tree, the furthest messages first. On a tree
// with one port this is optimal (Bhatt, Pucci, Ranade, Rosenberg).
func furthestFirst(t *task) (*Plan, error) {
	if t.Machine.PacketSwitched() {
		return t.packetScatter()
	}
	tree, err := t.tree()
	if err != nil {
		return nil, err
	}
	order, err := t.scatterOrder(tree.Depth)
	if err != nil {
		return nil, err
	}
	root, leaf := loadRole("scatter-root"), loadRole("scatter-leaf")
	p := t.newPlan(root, leaf)
	p.Messages, p.Flits = t.count, len(t.words)
	p.Facts = t.anyOrder(tree.Depth)
	dispatches, time := t.dispatches(order, tree)
	t.foretell(p, time)

	list := root.parameters()
	list.set("COUNT", len(order))
	list.list("LIST")
	base := len(list.words) + len(order)*root.at("ENTRY")
	for _, d := range dispatches {
		e := list.record("ENTRY")
		e.set("NODE", int(d.node))
		e.set("ADDRESS", base+t.offset[d.node])
		e.set("WORDS", t.Lengths[d.node])
		e.set("START", int(d.start))
	}
	p.PEs[t.Root] = PE{Role: root.index, Parameters: list.words, Block: Block{Words: t.words, Given: Range{From: 0, To: len(t.words)}}}
	for _, n := range order {
		own := leaf.parameters()
		own.set("ROOT", int(t.Root))
		own.set("ADDRESS", len(own.words))
		p.PEs[n] = PE{Role: leaf.index, Parameters: own.words, Block: Block{Words: t.block(n)}}
	}
	return p, nil
}

// anyOrder says between which times every order of dispatch is, where that is known.
func (t *task) anyOrder(depth []int32) []Fact {
	m := t.Machine
	if !t.bufferless() || m.Ports != machine.SinglePort || m.Channels != 1 || m.Startup != 0 || m.Hop != 1 || m.Flit != 1 {
		return nil
	}
	least, most := bound.AnyOrder(depth, t.Lengths)
	return []Fact{
		{"any_order_least", "any order at least", least, Cycles},
		{"any_order_most", "any order at most", most, Cycles},
	}
}

// scatterOrder returns the destinations in the order of dispatch: the job's,
// or furthest first, of equally far ones the higher number first.
func (t *task) scatterOrder(depth []int32) ([]router.NodeID, error) {
	if t.Order != nil {
		return t.Order, t.checkOrder()
	}
	order := t.senders()
	slices.SortFunc(order, func(a, b router.NodeID) int {
		return cmp.Or(cmp.Compare(depth[b], depth[a]), cmp.Compare(b, a))
	})
	return order, nil
}

// senders returns the nodes whose blocks are not empty, rising.
func (t *task) senders() []router.NodeID {
	nodes := make([]router.NodeID, 0, t.count)
	for n, length := range t.Lengths {
		if length > 0 {
			nodes = append(nodes, router.NodeID(n))
		}
	}
	return nodes
}

// checkOrder wants every node with a message once, and no other.
func (t *task) checkOrder() error {
	const want = "expected every node with a message once"
	listed := make([]bool, len(t.Lengths))
	for _, n := range t.Order {
		switch {
		case n < 0 || int(n) >= len(listed):
			return input.Errorf(nodeRange(len(listed)), "order: %d is not a node", n)
		case n == t.Root:
			return input.Errorf(want, "order: node %d is the root", n)
		case t.Lengths[n] == 0:
			return input.Errorf(want, "order: node %d has no message", n)
		case listed[n]:
			return input.Errorf(want, "order: node %d stands twice", n)
		}
		listed[n] = true
	}
	for n, length := range t.Lengths {
		if length > 0 && !listed[n] {
			return input.Errorf(want, "order: node %d is missing", n)
		}
	}
	return nil
}

// dispatch is an entry of the root's list.
type dispatch struct {
	node  router.NodeID
	start router.Cycle // not before
}

// dispatches puts the messages into the order in which their channels, each
// in the order given, will take them: no message waits behind one for another,
// busy channel. With one channel that is the order given; with several channels
// on one port every message waits until the one before has left. The time is that
// of the last flit at its destination: messages follow one another on the tree,
// and never meet.
func (t *task) dispatches(order []router.NodeID, tree *topology.SpanningTree) (list []dispatch, time router.Cycle) {
	m, branch := t.Machine, tree.Branch()
	list = make([]dispatch, len(order))
	channel := map[router.NodeID]int{}
	times := t.newInjector(max(1, t.Topology.Ports(t.Root)))
	for i, n := range order {
		c, ok := channel[branch[n]]
		if !ok && m.Channels == machine.Links {
			c = len(channel)
			channel[branch[n]] = c
		}
		start, last := times.hand(c, 0, t.length(n))
		list[i] = dispatch{n, start}
		time = max(time, last+router.Cycle(int(tree.Depth[n])*m.Hop+m.Flit))
	}
	if m.Channels == machine.Links && m.Ports == machine.SinglePort {
		return list, time
	}
	if m.Channels == machine.Links {
		slices.SortStableFunc(list, func(a, b dispatch) int { return cmp.Compare(a.start, b.start) })
	}
	for i := range list {
		list[i].start = 0
	}
	return list, time
}

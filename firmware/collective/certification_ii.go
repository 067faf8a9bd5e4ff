// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/router"
)

// certificationII gathers by transmission certification with packets and
// set-ups (Tsai, section 7.3). Tokens wake the nodes, certificates of lag and
// slots come up, orders go down, and the packets come to the root in one stream
// without gaps. PEs relay them from neighbour to neighbour, each in its slot, so
// that no packet waits in a chip. A node is told nothing but its own packets, its
// neighbours in the tree, and the machine's largest packet. The arithmetic is in
// programs/cert-ii-node.s.
//
// Let E be the time of a packet of one flit from PE to PE over a link, D that of
// the largest packet, d the most children of a node, and the depth that of the
// tree. (A startup, which every relay pays, counts as part of the set-up.)
//
//   - Tokens: a node's j-th child has its token j*E after the node. All nodes
//     have theirs by B = depth*d*E.
//   - Certificates: when the last of its children has all certificates, a node
//     still has to receive d at most, and never waits in between: the root has
//     all of them C = depth*d*E after the last token, or sooner. (Thesis: d*E,
//     and the time of sorting, which costs nothing here.)
//   - Orders and packets: lags grow by d*E + D a level at most, and the root's
//     first packet begins to come D before its order says: the last one is there
//     depth*(d*E + D) - D + Slots after the last certificate, where Slots is the
//     sum of all packets' times on a link.
//
// With D = setup + P that is at most 2B + C + Lag + Slots, where Lag =
// depth*(d*E + P) (lemma 22): the second B, that of the orders, is more than the
// set-ups of depth-1 relays. Thesis and Fact give every packet of a message the
// slot of its largest one; here it has its own.
func certificationII(t *task) (*Plan, error) {
	tree, err := t.askingTree(machine.SinglePort)
	if err != nil {
		return nil, err
	}
	if err := t.cut(tree.Depth); err != nil {
		return nil, err
	}
	if err := t.checkSlotted(tree); err != nil {
		return nil, err
	}
	root, node := loadRole("cert-ii-root"), loadRole("cert-ii-node")
	p := t.newPlan(root, node)
	for _, n := range tree.Order[1:] {
		p.PEs[n] = t.certifierII(node, tree, n)
		for _, size := range t.parts[n] {
			p.Messages += int(tree.Depth[n])
			p.Flits += int(tree.Depth[n]) * size
		}
	}
	p.PEs[t.Root] = t.certRootII(root, tree)
	p.Facts = t.certFactsII(tree)
	return p, nil
}

// certifierII is a PE other than the root.
func (t *task) certifierII(r *role, tree *certTree, n router.NodeID) PE {
	own := r.parameters()
	children := tree.children(n)
	own.set("PARENT", int(tree.Parent[n]))
	own.set("SELF", int(n))
	own.set("COUNT", len(t.parts[n]))
	own.set("OWN", int(t.slots(n)))
	t.linkTimes(own)
	own.children(children)
	own.list("PACKET_LIST")
	for _, size := range t.parts[n] {
		e := own.record("PACKET")
		e.set("WORDS", size)
		e.set("TIME", int(t.relayCost(size)))
	}
	own.set("ADDRESS", len(own.words))
	sorted, scratch := len(own.words)+t.Lengths[n], (1+len(children))*r.at("ENTRY")
	own.set("SORTED", sorted)
	own.set("RELAYED", sorted+scratch)
	if len(children) > 0 {
		scratch += t.largestPart()
	}
	pe := t.giver(r, own, n)
	pe.Scratch = scratch
	return pe
}

// certRootII is the root's PE.
func (t *task) certRootII(r *role, tree *certTree) PE {
	own := r.parameters()
	children := tree.children(t.Root)
	t.linkTimes(own)
	own.children(children)
	own.list("PLACES")
	base := len(own.words) + t.Topology.Nodes()
	for _, offset := range t.offset[:t.Topology.Nodes()] {
		own.words = append(own.words, uint32(base+offset))
	}
	sorted, scratch := base+len(t.words), (1+len(children))*r.at("ENTRY")
	own.set("SORTED", sorted)
	own.set("TAKEN", sorted+scratch)
	return PE{Role: r.index, Parameters: own.words, Block: Block{Words: t.words}, Scratch: scratch + t.Topology.Nodes()}
}

// linkTimes gives a PE the times of the machine's links.
func (t *task) linkTimes(own *parameters) {
	own.set("SETUP", t.Machine.SetupTicks()+t.Machine.StartupTicks())
	own.set("FLIT", t.Machine.FlitTicks())
	own.set("COST", int(t.relayCost(1)))
	own.set("SHIFT", int(t.relayCost(t.Machine.Packet)))
}

// slots is the time of a node's own packets on a link.
func (t *task) slots(n router.NodeID) router.Cycle {
	sum := router.Cycle(0)
	for _, size := range t.parts[n] {
		sum += t.relayCost(size)
	}
	return sum
}

func (t *task) largestPart() int {
	largest := 0
	for _, sizes := range t.parts {
		for _, size := range sizes {
			largest = max(largest, size)
		}
	}
	return largest
}

// slotted is a certificate of transmission certification II.
type slotted struct {
	lag, slots router.Cycle
	node       router.NodeID
}

// checkSlotted foretells all lags and orders, and wants them to fit on the wire,
// and the times to fit into the PEs' registers.
func (t *task) checkSlotted(tree *certTree) error {
	shift, cost := t.relayCost(t.Machine.Packet), t.relayCost(1)
	below := make([][]slotted, len(tree.Parent)) // by node: its children's certificates
	most := router.Cycle(0)
	order, total := make([]router.Cycle, len(tree.Parent)), router.Cycle(0)
	for i := len(tree.Order) - 1; i >= 0; i-- {
		n := tree.Order[i]
		own := slotted{slots: t.slots(n), node: n}
		slices.SortFunc(below[n], func(a, b slotted) int { return cmp.Compare(a.lag, b.lag) })
		for j, child := range below[n] {
			own.lag = max(own.lag, child.lag+shift+router.Cycle(j+1)*cost-own.slots)
			own.slots += child.slots
		}
		if i == 0 {
			order[n], total = own.lag, own.slots
			break
		}
		own.lag = max(own.lag, router.Cycle(len(below[n]))*cost)
		most = max(most, own.lag)
		if own.slots > 0 {
			below[tree.Parent[n]] = append(below[tree.Parent[n]], own)
		}
	}
	for _, n := range tree.Order {
		before := t.slots(n)
		for j, child := range below[n] {
			order[child.node] = order[n] + before - shift - router.Cycle(j+1)*cost
			most = max(most, order[child.node])
			before += child.slots
		}
	}
	if most > router.Cycle(t.mask()) || most > math.MaxInt32 {
		return input.Errorf("expected a larger width, or nearest-first", "certification-ii: lag or order %d does not fit width %d", most, t.Machine.Width)
	}
	if total+shift > math.MaxInt32 {
		return input.Errorf(fmt.Sprintf("expected at most %d", math.MaxInt32), "certification-ii: packets of %d ticks", total+shift)
	}
	return nil
}

// certFactsII are the terms of lemma 22.
func (t *task) certFactsII(tree *certTree) []Fact {
	depth, degree, slots := tree.MaxDepth(), 0, router.Cycle(0)
	for n := range tree.Parent {
		degree = max(degree, len(tree.children(router.NodeID(n))))
		if sizes := t.parts[n]; len(sizes) > 0 {
			slots += router.Cycle(len(sizes)) * t.relayCost(slices.Max(sizes))
		}
	}
	level := router.Cycle(degree) * t.relayCost(1)
	broadcast := router.Cycle(depth) * level
	lag := router.Cycle(depth) * (level + router.Cycle(t.Machine.Packet)*router.Cycle(t.Machine.FlitTicks()))
	return []Fact{
		{"broadcast", "broadcast B", broadcast, Cycles},
		{"certificates", "certificates C", broadcast, Cycles},
		{"lag", "lag", lag, Cycles},
		{"slots", "slots", slots, Cycles},
		{"certification_bound", "2B+C+lag+slots", 3*broadcast + lag + slots, Cycles},
	}
}

// SPDX-License-Identifier: Apache-2.0

package certification

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Slotted gathers by transmission certification with packets and
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
func Slotted(t *plan.Task) (*plan.Plan, error) {
	tree, err := AskingTree(t, machine.SinglePort)
	if err != nil {
		return nil, err
	}
	if err := t.CutPackets(tree.Depth); err != nil {
		return nil, err
	}
	if err := checkSlotted(t, tree); err != nil {
		return nil, err
	}
	root, node := plan.LoadRole("cert-ii-root"), plan.LoadRole("cert-ii-node")
	p := t.NewPlan(root, node)
	needHeaders(p, tree, func(n router.NodeID) int { return int(slots(t, n)) })
	for _, n := range tree.Order[1:] {
		p.PEs[n] = certifierII(t, node, tree, n)
		for _, size := range t.PacketSizes[n] {
			p.Messages += int(tree.Depth[n])
			p.Flits += int(tree.Depth[n]) * size
		}
	}
	p.PEs[t.Root] = certRootII(t, root, tree)
	p.Facts = certFactsII(t, tree)
	return p, nil
}

// certifierII is a PE other than the root.
func certifierII(t *plan.Task, r *plan.Role, tree *plan.GatherTree, n router.NodeID) plan.PE {
	own := r.Parameters()
	children := tree.Children(n)
	own.Set("PARENT", int(tree.Parent[n]))
	own.Set("SELF", int(n))
	own.Set("COUNT", len(t.PacketSizes[n]))
	own.Set("OWN", int(slots(t, n)))
	linkTimes(t, own)
	enterChildren(own, children)
	own.List("PACKET_LIST")
	for _, size := range t.PacketSizes[n] {
		e := own.Record("PACKET")
		e.Set("WORDS", size)
		e.Set("TIME", int(t.RelayTime(size)))
	}
	own.Set("ADDRESS", len(own.Words))
	sorted, scratch := len(own.Words)+t.Lengths[n], (1+len(children))*r.At("ENTRY")
	own.Set("SORTED", sorted)
	own.Set("RELAYED", sorted+scratch)
	if len(children) > 0 {
		scratch += t.LargestPacket()
	}
	pe := t.Source(r, own, n)
	pe.Scratch = scratch
	return pe
}

// certRootII is the root's PE.
func certRootII(t *plan.Task, r *plan.Role, tree *plan.GatherTree) plan.PE {
	own := r.Parameters()
	children := tree.Children(t.Root)
	linkTimes(t, own)
	enterChildren(own, children)
	own.List("PLACES")
	base := len(own.Words) + t.Topology.Nodes()
	for _, offset := range t.Offset[:t.Topology.Nodes()] {
		own.Words = append(own.Words, uint32(base+offset))
	}
	sorted, scratch := base+t.TotalWords(), (1+len(children))*r.At("ENTRY")
	own.Set("SORTED", sorted)
	own.Set("TAKEN", sorted+scratch)
	return plan.PE{Role: r.Index, Parameters: own.Words, Block: plan.Block{Words: t.Words}, Scratch: scratch + t.Topology.Nodes()}
}

// linkTimes gives a PE the times of the machine's links.
func linkTimes(t *plan.Task, own *plan.Parameters) {
	own.Set("SETUP", int(t.Timing().Overhead())+t.Machine.StartupTicks())
	own.Set("FLIT", t.Machine.FlitTicks())
	own.Set("COST", int(t.RelayTime(1)))
	own.Set("SHIFT", int(t.RelayTime(t.Machine.Packet)))
}

// slots is the time of a node's own packets on a link.
func slots(t *plan.Task, n router.NodeID) router.Cycle {
	sum := router.Cycle(0)
	for _, size := range t.PacketSizes[n] {
		sum += t.RelayTime(size)
	}
	return sum
}

// slotted is a certificate of transmission certification II.
type slotted struct {
	lag, slots router.Cycle
	node       router.NodeID
}

// checkSlotted predicts all lags and orders, and wants them to fit on the wire,
// and the times to fit into the PEs' registers.
func checkSlotted(t *plan.Task, tree *plan.GatherTree) error {
	shift, cost := t.RelayTime(t.Machine.Packet), t.RelayTime(1)
	below := make([][]slotted, len(tree.Parent)) // by node: its children's certificates
	most := router.Cycle(0)
	order, total := make([]router.Cycle, len(tree.Parent)), router.Cycle(0)
	for i := len(tree.Order) - 1; i >= 0; i-- {
		n := tree.Order[i]
		own := slotted{slots: slots(t, n), node: n}
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
		before := slots(t, n)
		for j, child := range below[n] {
			order[child.node] = order[n] + before - shift - router.Cycle(j+1)*cost
			most = max(most, order[child.node])
			before += child.slots
		}
	}
	if most > router.Cycle(t.WordMask()) || most > math.MaxInt32 {
		return input.Errorf("expected a larger width, or nearest-first", "certification-ii: lag or order %d does not fit width %d", most, t.Machine.Width)
	}
	if total+shift > math.MaxInt32 {
		return input.Errorf(fmt.Sprintf("expected at most %d", math.MaxInt32), "certification-ii: packets of %d ticks", total+shift)
	}
	return nil
}

// certFactsII are the terms of lemma 22.
func certFactsII(t *plan.Task, tree *plan.GatherTree) []plan.Fact {
	depth, degree, slots := tree.MaxDepth(), 0, router.Cycle(0)
	for n := range tree.Parent {
		degree = max(degree, len(tree.Children(router.NodeID(n))))
		if sizes := t.PacketSizes[n]; len(sizes) > 0 {
			slots += router.Cycle(len(sizes)) * t.RelayTime(slices.Max(sizes))
		}
	}
	level := router.Cycle(degree) * t.RelayTime(1)
	broadcast := router.Cycle(depth) * level
	lag := router.Cycle(depth) * (level + router.Cycle(t.Machine.LargestPacket())*router.Cycle(t.Machine.FlitTicks()))
	return []plan.Fact{
		{Key: "broadcast", Name: "broadcast B", Value: broadcast, Unit: plan.Cycles},
		{Key: "certificates", Name: "certificates C", Value: broadcast, Unit: plan.Cycles},
		{Key: "lag", Name: "lag", Value: lag, Unit: plan.Cycles},
		{Key: "slots", Name: "slots", Value: slots, Unit: plan.Cycles},
		{Key: "certification_bound", Name: "2B+C+lag+slots", Value: 3*broadcast + lag + slots, Unit: plan.Cycles},
	}
}

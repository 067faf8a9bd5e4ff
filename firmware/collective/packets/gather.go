// SPDX-License-Identifier: Apache-2.0

package packets

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/packet"
)

// Gather is the nearest-first gather on machines that switch packets. With
// cut-through it is optimal on trees with a packet a message; with
// store-forward it need not be (Tsai, section 7.2).
func Gather(t *plan.Task) (*plan.Plan, error) {
	tree, err := t.GatherTree()
	if err != nil {
		return nil, err
	}
	if err := t.CutPackets(tree.Depth); err != nil {
		return nil, err
	}
	order := t.Order
	if order == nil {
		order = t.Senders()
		slices.SortStableFunc(order, func(a, b router.NodeID) int { return cmp.Compare(tree.Depth[a], tree.Depth[b]) })
	} else if err := checkPacketOrder(t); err != nil {
		return nil, err
	}
	p, _, err := gatherChunks(t, tree.SpanningTree, chunks(t, order))
	return p, err
}

// gatherChunks plans the gather that receives packets in the order given. It
// returns when the schedule ends, too.
//
// When packets are later by the same time on every further link, because all
// are of one size or with cut-through, those that follow one another at the
// root do so all along their routes, and never wait. Otherwise a gather is a
// scatter in the opposite order, backwards in time. In it packets wait on the
// way until their time has come; chips pass them on at once. Mostly that does no
// harm, which package packet tells. But it may fill a buffer with more than the
// largest packet, and then PEs relay the packets, each at its time. With a
// startup, which relays would pay at every node, the alternative is a schedule in
// which no packet waits on the way.
func gatherChunks(t *plan.Task, tree *topology.SpanningTree, chunks []chunk) (*plan.Plan, router.Cycle, error) {
	hops := 0
	for _, p := range chunks {
		hops += int(tree.Depth[p.node])
	}
	if sameShift(t, chunks) && (roomy(t) || hops > maxScheduleHops || !t.StoreForward()) {
		return gatherTimed(t, tree, inRow(t, tree, chunks))
	}
	if hops > maxScheduleHops {
		return nil, 0, input.Errorf(fmt.Sprintf("expected at most %d, or packets of one size", maxScheduleHops), "packets of several sizes over %d links", hops)
	}
	reversed, err := reversed(t, tree, chunks)
	if err != nil {
		return nil, 0, err
	}
	if reversed != nil {
		return gatherTimed(t, tree, reversed)
	}
	r := relays(t, tree, chunks)
	if t.Machine.Startup > 0 && roomy(t) {
		if list := noWait(t, tree, chunks); lastTimed(list)+router.Cycle(t.Machine.StartupTicks()) <= r.end {
			return gatherTimed(t, tree, list)
		}
	}
	return gatherRelayed(t, tree, r)
}

// gatherTimed plans the gather of packets with their times.
func gatherTimed(t *plan.Task, tree *topology.SpanningTree, list []timed) (*plan.Plan, router.Cycle, error) {
	root, leaf := plan.LoadRole("gather-root"), plan.LoadRole("gather-parts")
	p := t.NewPlan(root, leaf)
	packetLeaves(t, p, leaf, list)
	slices.SortStableFunc(list, func(a, b timed) int { return cmp.Compare(a.end, b.end) })
	own := root.Parameters()
	own.Set("COUNT", len(list))
	own.List("LIST")
	base := len(own.Words) + len(list)*root.At("ENTRY")
	for _, packet := range list {
		e := own.Record("ENTRY")
		e.Set("NODE", int(packet.node))
		e.Set("ADDRESS", base+packet.offset)
	}
	p.PEs[t.Root] = plan.PE{Role: root.Index, Parameters: own.Words, Block: plan.Block{Words: t.Words}}
	p.Messages, p.Flits = len(list), t.TotalWords()
	p.TagByNodes(t.Lengths, tree.Depth)
	end, err := finishGather(t, p, lastTimed(list)+router.Cycle(t.Machine.StartupTicks()))
	return p, end, err
}

// finishGather gives a plan that ends in a tick, startups included, its facts.
func finishGather(t *plan.Task, p *plan.Plan, end router.Cycle) (router.Cycle, error) {
	if end > math.MaxInt32 {
		return 0, input.Errorf(fmt.Sprintf("expected at most %d", math.MaxInt32), "a gather of %d ticks", end)
	}
	relays := p.Messages
	for _, sizes := range t.PacketSizes {
		relays -= len(sizes)
	}
	p.Facts = []plan.Fact{{Key: "relays", Name: "packets relayed by PEs", Value: router.Cycle(relays), Unit: plan.Counted}}
	return end, nil
}

// packetLeaves gives every node with packets its list.
func packetLeaves(t *plan.Task, p *plan.Plan, leaf *plan.Role, list []timed) {
	own := make([]*plan.Parameters, len(t.PacketSizes))
	for _, packet := range list {
		n := packet.node
		if own[n] == nil {
			own[n] = leaf.Parameters()
			own[n].Set("ROOT", int(t.Root))
			own[n].Set("SELF", int(n))
			own[n].Set("COUNT", len(t.PacketSizes[n]))
			own[n].List("LIST")
		}
		e := own[n].Record("ENTRY")
		e.Set("WORDS", packet.words)
		e.Set("START", int(packet.hand))
	}
	for n, o := range own {
		if o != nil {
			o.Set("ADDRESS", len(o.Words))
			p.PEs[n] = t.Source(leaf, o, router.NodeID(n))
		}
	}
}

// timed is a packet in flight to the root.
type timed struct {
	chunk
	hand, end router.Cycle // when it is handed over; when it is at the root, the startup not counted
}

// maxScheduleHops bounds packets times links of schedules that are made packet
// by packet and link by link.
const maxScheduleHops = 1 << 25

func sameShift(t *plan.Task, chunks []chunk) bool {
	for _, p := range chunks {
		if shift(t, p.words) != shift(t, chunks[0].words) {
			return false
		}
	}
	return true
}

func lastTimed(list []timed) router.Cycle {
	end := router.Cycle(0)
	for _, p := range list {
		end = max(end, p.end)
	}
	return end
}

// roomy reports whether a buffer takes a packet while the one before leaves.
func roomy(t *plan.Task) bool { return t.Machine.Buffer >= 2*t.Machine.Packet }

// inRow lets packets come to the root one after the other; with all ports, those
// of each of the root's links.
func inRow(t *plan.Task, tree *topology.SpanningTree, chunks []chunk) []timed {
	list, link := make([]timed, len(chunks)), linksOf(t, tree)
	free, own := make([]router.Cycle, len(tree.Parent)), make([]router.Cycle, len(tree.Parent))
	for i, p := range chunks {
		way := router.Cycle(tree.Depth[p.node]-1) * shift(t, p.words)
		begin := max(free[link[p.node]], way, own[p.node])
		end := begin + t.PacketTime(p.words)
		free[link[p.node]], own[p.node] = end, end+t.Timing().Rest()
		list[i] = timed{p, begin - way, end}
	}
	return list
}

// linksOf returns, by node, the root's child behind whose link the node is: the
// packets of a link go one after the other. With a single port the links count as
// the root's own one.
func linksOf(t *plan.Task, tree *topology.SpanningTree) []router.NodeID {
	if t.IndependentLinks() {
		return tree.Branch()
	}
	return make([]router.NodeID, len(tree.Parent))
}

// reversed turns the scatter that sends the packets in the opposite order
// around in time; nil when the chips would not keep to it.
func reversed(t *plan.Task, tree *topology.SpanningTree, chunks []chunk) ([]timed, error) {
	if t.Timing().Rest() > 0 || !roomy(t) {
		return nil, nil
	}
	simulated, number, err := simulated(t, tree)
	if err != nil {
		return nil, err
	}
	backwards := make([]packet.Packet, len(chunks))
	for i, p := range chunks {
		backwards[len(chunks)-1-i] = packet.Packet{Node: number[p.node], Flits: p.words}
	}
	scatter, err := packet.Scatter(simulated, backwards, t.Beta())
	if err != nil {
		return nil, err
	}
	dispatch := make([]packet.Dispatch, len(chunks))
	for i := range chunks {
		k := len(chunks) - 1 - i
		dispatch[i] = packet.Dispatch{Packet: backwards[k], At: scatter.Completion - scatter.Arrival[k]}
	}
	gather, err := packet.Gather(simulated, dispatch, t.Beta())
	if err != nil || gather.Buffer > t.Machine.Packet {
		return nil, err
	}
	list := make([]timed, len(chunks))
	for i, p := range chunks {
		list[i] = timed{p, router.Cycle(dispatch[i].At) * unit(t), router.Cycle(gather.Arrival[i]) * unit(t)}
	}
	return list, nil
}

// simulated is the tree as package packet is to see it, and its number of every
// node: of a node's children the one at the lower port has the lower number,
// because chips serve requests of one tick in the order of ports.
func simulated(t *plan.Task, tree *topology.SpanningTree) (*packet.Tree, []int, error) {
	number, parent := make([]int, len(tree.Parent)), make([]int, len(tree.Parent))
	order := append(make([]router.NodeID, 0, len(tree.Parent)), tree.Root)
	parent[0] = -1
	for i := 0; i < len(order); i++ {
		at := order[i]
		for p := range router.Port(t.Topology.Ports(at)) {
			if child := t.Topology.Neighbor(at, p); child != router.None && tree.Parent[child] == at && number[child] == 0 {
				number[child] = len(order)
				parent[len(order)] = i
				order = append(order, child)
			}
		}
	}
	simulated, err := packet.NewTree(parent)
	return simulated, number, err
}

// noWait schedules packet after packet as early as it can come to the root
// without waiting anywhere. A node that sends to its parent fills the parent's
// time of reception, so that only these have to be kept apart. Packets may
// come into gaps between those before them, unless the job names an order.
func noWait(t *plan.Task, tree *topology.SpanningTree, chunks []chunk) []timed {
	busy := make([]booking.Calendar, len(tree.Parent)) // when a node receives
	own := make([]router.Cycle, len(tree.Parent))      // by node: the first tick for its next packet
	list, behind, rest := make([]timed, len(chunks)), router.Cycle(0), t.Timing().Rest()
	var uses []booking.Use
	for i, p := range chunks {
		cost, links := t.PacketTime(p.words), router.Cycle(tree.Depth[p.node])
		start := own[p.node]
		if t.Order != nil {
			start = max(start, behind-(links-1)*cost)
		}
		uses = uses[:0]
		for v, at := tree.Parent[p.node], router.Cycle(0); v != router.None; v, at = tree.Parent[v], at+cost {
			uses = append(uses, booking.Use{Calendar: &busy[v], At: at, Long: cost})
		}
		slices.Reverse(uses) // the root first: it is the busiest
		start = booking.Earliest(uses, start)
		booking.Reserve(uses, start)
		own[p.node], behind = start+cost+rest, start+links*cost
		list[i] = timed{p, start, behind}
	}
	return list
}

// appendWay lists the nodes that receive a packet of node n, the root last.
func appendWay(way []router.NodeID, tree *topology.SpanningTree, n router.NodeID) []router.NodeID {
	for n != tree.Root {
		n = tree.Parent[n]
		way = append(way, n)
	}
	return way
}

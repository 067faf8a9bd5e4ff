// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/packet"
	"meshwright/internal/calendar"
	"meshwright/internal/input"
	"meshwright/router"
)

// packetGather is nearestFirst on machines that switch packets. With
// cut-through it is optimal on trees with a packet a message; with
// store-forward it need not be (Tsai, section 7.2).
func (t *task) packetGather() (*Plan, error) {
	tree, err := t.certTree()
	if err != nil {
		return nil, err
	}
	if err := t.cut(tree.Depth); err != nil {
		return nil, err
	}
	order := t.Order
	if order == nil {
		order = t.senders()
		slices.SortStableFunc(order, func(a, b router.NodeID) int { return cmp.Compare(tree.Depth[a], tree.Depth[b]) })
	} else if err := t.checkPacketOrder(); err != nil {
		return nil, err
	}
	p, _, err := t.gatherChunks(tree.SpanningTree, t.chunks(order))
	return p, err
}

// gatherChunks plans the gather that receives packets in the order given. It
// returns when the schedule ends, too.
//
// When packets are later by the same time on every further link, because all
// are of one size or with cut-through, those that follow one another at the
// root do so all along their ways, and never wait. Otherwise a gather is a
// scatter in the opposite order, backwards in time. In it packets wait on their
// way until their time has come; chips pass them on at once. Mostly that does no
// harm, which package packet tells. But it may fill a buffer with more than the
// largest packet, and then PEs relay the packets, each at its time. With a
// startup, which relays would pay at every node, the alternative is a schedule in
// which no packet waits on its way.
func (t *task) gatherChunks(tree *topology.SpanningTree, chunks []chunk) (*Plan, router.Cycle, error) {
	hops := 0
	for _, p := range chunks {
		hops += int(tree.Depth[p.node])
	}
	if t.sameShift(chunks) && (t.roomy() || hops > maxScheduleHops || !t.storeForward()) {
		return t.gatherTimed(t.inRow(tree, chunks))
	}
	if hops > maxScheduleHops {
		return nil, 0, input.Errorf(fmt.Sprintf("expected at most %d, or packets of one size", maxScheduleHops), "packets of several sizes over %d links", hops)
	}
	reversed, err := t.reversed(tree, chunks)
	if err != nil {
		return nil, 0, err
	}
	if reversed != nil {
		return t.gatherTimed(reversed)
	}
	r := t.relays(tree, chunks)
	if t.Machine.Startup > 0 && t.roomy() {
		if list := t.noWait(tree, chunks); lastTimed(list)+router.Cycle(t.Machine.StartupTicks()) <= r.end {
			return t.gatherTimed(list)
		}
	}
	return t.gatherRelayed(tree, r)
}

// gatherTimed plans the gather of packets with their times.
func (t *task) gatherTimed(list []timed) (*Plan, router.Cycle, error) {
	root, leaf := loadRole("gather-root"), loadRole("gather-parts")
	p := t.newPlan(root, leaf)
	t.packetLeaves(p, leaf, list)
	slices.SortStableFunc(list, func(a, b timed) int { return cmp.Compare(a.end, b.end) })
	own := root.parameters()
	own.set("COUNT", len(list))
	own.list("LIST")
	base := len(own.words) + len(list)*root.at("ENTRY")
	for _, packet := range list {
		e := own.record("ENTRY")
		e.set("NODE", int(packet.node))
		e.set("ADDRESS", base+packet.offset)
	}
	p.PEs[t.Root] = PE{Role: root.index, Parameters: own.words, Block: Block{Words: t.words}}
	p.Messages, p.Flits = len(list), len(t.words)
	end, err := t.finishGather(p, lastTimed(list)+router.Cycle(t.Machine.StartupTicks()))
	return p, end, err
}

// finishGather gives a plan that ends in a tick, startups included, its facts.
func (t *task) finishGather(p *Plan, end router.Cycle) (router.Cycle, error) {
	if end > math.MaxInt32 {
		return 0, input.Errorf(fmt.Sprintf("expected at most %d", math.MaxInt32), "a gather of %d ticks", end)
	}
	relays := p.Messages
	for _, sizes := range t.parts {
		relays -= len(sizes)
	}
	p.Facts = []Fact{{"relays", "packets relayed by PEs", router.Cycle(relays), Counted}}
	return end, nil
}

// packetLeaves gives every node with packets its list.
func (t *task) packetLeaves(p *Plan, leaf *role, list []timed) {
	own := make([]*parameters, len(t.parts))
	for _, packet := range list {
		n := packet.node
		if own[n] == nil {
			own[n] = leaf.parameters()
			own[n].set("ROOT", int(t.Root))
			own[n].set("SELF", int(n))
			own[n].set("COUNT", len(t.parts[n]))
			own[n].list("LIST")
		}
		e := own[n].record("ENTRY")
		e.set("WORDS", packet.words)
		e.set("START", int(packet.hand))
	}
	for n, o := range own {
		if o != nil {
			o.set("ADDRESS", len(o.words))
			p.PEs[n] = t.giver(leaf, o, router.NodeID(n))
		}
	}
}

// timed is a packet on its way to the root.
type timed struct {
	chunk
	hand, end router.Cycle // when it is handed over; when it is at the root, the startup not counted
}

// maxScheduleHops bounds packets times links of schedules that are made packet
// by packet and link by link.
const maxScheduleHops = 1 << 25

func (t *task) sameShift(chunks []chunk) bool {
	for _, p := range chunks {
		if t.shift(p.words) != t.shift(chunks[0].words) {
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
func (t *task) roomy() bool { return t.Machine.Buffer >= 2*t.Machine.Packet }

// inRow lets packets come to the root one after the other.
func (t *task) inRow(tree *topology.SpanningTree, chunks []chunk) []timed {
	list := make([]timed, len(chunks))
	free, own := router.Cycle(0), make([]router.Cycle, len(tree.Parent))
	for i, p := range chunks {
		way := router.Cycle(tree.Depth[p.node]-1) * t.shift(p.words)
		begin := max(free, way, own[p.node])
		free = begin + t.cost(p.words)
		own[p.node] = free + t.pause()
		list[i] = timed{p, begin - way, free}
	}
	return list
}

// reversed turns the scatter that sends the packets in the opposite order
// around in time; nil when the chips would not keep to it.
func (t *task) reversed(tree *topology.SpanningTree, chunks []chunk) ([]timed, error) {
	if t.pause() > 0 || !t.roomy() {
		return nil, nil
	}
	simulated, number, err := t.simulated(tree)
	if err != nil {
		return nil, err
	}
	backwards := make([]packet.Packet, len(chunks))
	for i, p := range chunks {
		backwards[len(chunks)-1-i] = packet.Packet{Node: number[p.node], Flits: p.words}
	}
	scatter, err := packet.Scatter(simulated, backwards, t.beta())
	if err != nil {
		return nil, err
	}
	dispatch := make([]packet.Dispatch, len(chunks))
	for i := range chunks {
		k := len(chunks) - 1 - i
		dispatch[i] = packet.Dispatch{Packet: backwards[k], At: scatter.Completion - scatter.Arrival[k]}
	}
	gather, err := packet.Gather(simulated, dispatch, t.beta())
	if err != nil || gather.Buffer > t.Machine.Packet {
		return nil, err
	}
	list := make([]timed, len(chunks))
	for i, p := range chunks {
		list[i] = timed{p, router.Cycle(dispatch[i].At) * t.unit(), router.Cycle(gather.Arrival[i]) * t.unit()}
	}
	return list, nil
}

// simulated is the tree as package packet is to see it, and its number of every
// node: of a node's children the one at the lower port has the lower number,
// because chips serve requests of one tick in the order of ports.
func (t *task) simulated(tree *topology.SpanningTree) (*packet.Tree, []int, error) {
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
func (t *task) noWait(tree *topology.SpanningTree, chunks []chunk) []timed {
	busy := make([]calendar.Calendar, len(tree.Parent)) // when a node receives
	own := make([]router.Cycle, len(tree.Parent))       // by node: the first tick for its next packet
	list, behind, way := make([]timed, len(chunks)), router.Cycle(0), []router.NodeID(nil)
	for i, p := range chunks {
		cost, links := t.cost(p.words), router.Cycle(tree.Depth[p.node])
		start := own[p.node]
		if t.Order != nil {
			start = max(start, behind-(links-1)*cost)
		}
		way = appendWay(way[:0], tree, p.node)
		for j := len(way) - 1; j >= 0; j-- { // the root first: it is the busiest
			at := start + router.Cycle(j)*cost
			if clear := busy[way[j]].Clear(at, cost); clear > at {
				start, j = start+clear-at, len(way)
			}
		}
		for j, v := range way {
			at := start + router.Cycle(j)*cost
			busy[v].Take(calendar.Interval{From: at, To: at + cost})
		}
		own[p.node], behind = start+cost+t.pause(), start+links*cost
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

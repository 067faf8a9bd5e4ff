// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// relayed is the reverse of a scatter, kept to the tick by PEs that take every
// packet and send it on when its time has come.
type relayed struct {
	chunks []chunk
	sends  [][]relayedSend // by node: what it sends to its parent, the last first
	end    router.Cycle    // when all packets are at the root
}

// relayedSend is a packet on a link, in the time of the scatter.
type relayedSend struct {
	chunk int32
	end   router.Cycle // of its time on the link
}

// relayCost is the time of a packet from one PE to the next, in ticks.
func (t *task) relayCost(flits int) router.Cycle {
	return router.Cycle(t.Machine.StartupTicks()) + t.cost(flits)
}

// relays turns the scatter that sends packets in the opposite order around in
// time. The startup counts as time on the link.
func (t *task) relays(tree *topology.SpanningTree, chunks []chunk) *relayed {
	r := &relayed{chunks: chunks, sends: make([][]relayedSend, len(tree.Parent))}
	free, way := make([]router.Cycle, len(tree.Parent)), []router.NodeID(nil)
	for i := len(chunks) - 1; i >= 0; i-- {
		p := chunks[i]
		way = appendWay(append(way[:0], p.node), tree, p.node)
		cost, time := t.relayCost(p.words), router.Cycle(0)
		for j := len(way) - 1; j > 0; j-- {
			from, to := way[j], way[j-1]
			time = max(time, free[from]) + cost
			free[from] = time
			r.sends[to] = append(r.sends[to], relayedSend{int32(i), time})
		}
		r.end = max(r.end, time)
	}
	return r
}

// gatherRelayed plans a gather of which PEs relay the packets.
func (t *task) gatherRelayed(tree *topology.SpanningTree, r *relayed) (*Plan, router.Cycle, error) {
	root, node := loadRole("gather-root"), loadRole("gather-relay")
	p := t.newPlan(root, node)
	var last []lastHop
	place := t.largestPart()
	for n, sends := range r.sends {
		if len(sends) == 0 {
			continue
		}
		own := node.parameters()
		own.set("PARENT", int(tree.Parent[n]))
		own.set("SELF", n)
		own.set("COUNT", len(sends))
		own.list("LIST")
		block := len(own.words) + len(sends)*node.at("ENTRY")
		own.set("RELAYED", block+t.Lengths[n])
		scratch := 0
		for i := len(sends) - 1; i >= 0; i-- {
			chunk := r.chunks[sends[i].chunk]
			e := own.record("ENTRY")
			e.set("START", int(r.end-sends[i].end))
			if int(chunk.node) == n {
				e.set("WORDS", chunk.words)
				e.set("ADDRESS", block+chunk.offset-t.offset[n])
			} else {
				scratch = place
			}
			if tree.Parent[n] == tree.Root {
				last = append(last, lastHop{router.NodeID(n), sends[i]})
			}
			p.Messages++
			p.Flits += chunk.words
		}
		p.PEs[n] = t.giver(node, own, router.NodeID(n))
		p.PEs[n].Scratch = scratch
	}
	t.relayedRoot(p, root, r, last)
	end, err := t.finishGather(p, r.end)
	return p, end, err
}

// lastHop is a packet on its way from a child to the root.
type lastHop struct {
	child router.NodeID
	relayedSend
}

// relayedRoot is the root's PE: it takes packets as they come from its children.
func (t *task) relayedRoot(p *Plan, root *role, r *relayed, last []lastHop) {
	slices.SortFunc(last, func(a, b lastHop) int { return cmp.Compare(b.end, a.end) })
	own := root.parameters()
	own.set("COUNT", len(last))
	own.list("LIST")
	base := len(own.words) + len(last)*root.at("ENTRY")
	for _, hop := range last {
		e := own.record("ENTRY")
		e.set("NODE", int(hop.child))
		e.set("ADDRESS", base+r.chunks[hop.chunk].offset)
	}
	p.PEs[t.Root] = PE{Role: root.index, Parameters: own.words, Block: Block{Words: t.words}}
}

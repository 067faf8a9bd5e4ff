// SPDX-License-Identifier: Apache-2.0

package packets

import (
	"cmp"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
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

// relays turns the scatter that sends packets in the opposite order around in
// time. The startup counts as time on the link.
func relays(t *plan.Task, tree *topology.SpanningTree, chunks []chunk) *relayed {
	r := &relayed{chunks: chunks, sends: make([][]relayedSend, len(tree.Parent))}
	free, way := make([]router.Cycle, len(tree.Parent)), []router.NodeID(nil)
	for i := len(chunks) - 1; i >= 0; i-- {
		p := chunks[i]
		way = appendWay(append(way[:0], p.node), tree, p.node)
		cost, time := t.RelayTime(p.words), router.Cycle(0)
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
func gatherRelayed(t *plan.Task, tree *topology.SpanningTree, r *relayed) (*plan.Plan, router.Cycle, error) {
	root, node := plan.LoadRole("gather-root"), plan.LoadRole("gather-relay")
	p := t.NewPlan(root, node)
	p.TagByNodes(t.Lengths, tree.Depth)
	var last []lastHop
	place := t.LargestPacket()
	for n, sends := range r.sends {
		if len(sends) == 0 {
			continue
		}
		own := node.Parameters()
		own.Set("PARENT", int(tree.Parent[n]))
		own.Set("SELF", n)
		own.Set("COUNT", len(sends))
		own.List("LIST")
		block := len(own.Words) + len(sends)*node.At("ENTRY")
		own.Set("RELAYED", block+t.Lengths[n])
		scratch := 0
		for i := len(sends) - 1; i >= 0; i-- {
			chunk := r.chunks[sends[i].chunk]
			e := own.Record("ENTRY")
			e.Set("START", int(r.end-sends[i].end))
			if int(chunk.node) == n {
				e.Set("WORDS", chunk.words)
				e.Set("ADDRESS", block+chunk.offset-t.Offset[n])
			} else {
				scratch = place
			}
			if tree.Parent[n] == tree.Root {
				last = append(last, lastHop{router.NodeID(n), sends[i]})
			}
			p.Messages++
			p.Flits += chunk.words
		}
		p.PEs[n] = t.Source(node, own, router.NodeID(n))
		p.PEs[n].Scratch = scratch
	}
	relayedRoot(t, p, root, r, last)
	end, err := finishGather(t, p, r.end)
	return p, end, err
}

// lastHop is a packet in flight from a child to the root.
type lastHop struct {
	child router.NodeID
	relayedSend
}

// relayedRoot is the root's PE: it takes packets as they come from its children.
func relayedRoot(t *plan.Task, p *plan.Plan, root *plan.Role, r *relayed, last []lastHop) {
	slices.SortFunc(last, func(a, b lastHop) int { return cmp.Compare(b.end, a.end) })
	own := root.Parameters()
	own.Set("COUNT", len(last))
	own.List("LIST")
	base := len(own.Words) + len(last)*root.At("ENTRY")
	for _, hop := range last {
		e := own.Record("ENTRY")
		e.Set("NODE", int(hop.child))
		e.Set("ADDRESS", base+r.chunks[hop.chunk].offset)
	}
	p.PEs[t.Root] = plan.PE{Role: root.Index, Parameters: own.Words, Block: plan.Block{Words: t.Words}}
}

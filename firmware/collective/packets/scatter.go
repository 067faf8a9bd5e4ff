// SPDX-License-Identifier: Apache-2.0

package packets

import (
	"cmp"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// unit is how many ticks of the machine are one of package packet.
func unit(t *plan.Task) router.Cycle {
	return router.Cycle(t.Machine.FlitTicks()) / router.Cycle(t.Beta().Den())
}

// shift is how much later a packet is on each further link of its route, when
// nothing is in its way.
func shift(t *plan.Task, flits int) router.Cycle {
	if t.StoreForward() {
		return t.PacketTime(flits)
	}
	return t.Timing().Head()
}

// chunk is a packet: words of a node's block.
type chunk struct {
	node          router.NodeID
	offset, words int // in t.words
}

// chunks lists the packets of the nodes in an order that has every node once,
// or as often as it has packets.
func chunks(t *plan.Task, order []router.NodeID) []chunk {
	times := make([]int, len(t.PacketSizes))
	for _, n := range order {
		times[n]++
	}
	next, offset := make([]int, len(t.PacketSizes)), append([]int(nil), t.Offset...)
	var list []chunk
	for _, n := range order {
		for {
			size := t.PacketSizes[n][next[n]]
			list = append(list, chunk{n, offset[n], size})
			next[n]++
			offset[n] += size
			if times[n] > 1 || next[n] == len(t.PacketSizes[n]) {
				break
			}
		}
	}
	return list
}

// checkPacketOrder wants every node with a message once, or as often as the
// message has packets, and no other.
func checkPacketOrder(t *plan.Task) error {
	const want = "expected every node with a message once, or as often as it has packets"
	times := make([]int, len(t.Lengths))
	for _, n := range t.Order {
		switch {
		case n < 0 || int(n) >= len(times):
			return input.Errorf(plan.NodeRange(len(times)), "order: %d is not a node", n)
		case n == t.Root:
			return input.Errorf(want, "order: node %d is the root", n)
		case t.Lengths[n] == 0:
			return input.Errorf(want, "order: node %d has no message", n)
		}
		times[n]++
	}
	for n, sizes := range t.PacketSizes {
		switch {
		case len(sizes) > 0 && times[n] == 0:
			return input.Errorf(want, "order: node %d is missing", n)
		case times[n] > 1 && times[n] != len(sizes):
			return input.Errorf(want, "order: node %d stands %d times and has %s", n, times[n], input.Count(len(sizes), "packet"))
		}
	}
	return nil
}

// Scatter is the furthest-first scatter on machines that switch packets. On trees with
// cut-through it is optimal with a packet a message; with store-forward it need
// not be (Tsai, chapter 4).
func Scatter(t *plan.Task) (*plan.Plan, error) {
	tree, err := t.SpanningTree()
	if err != nil {
		return nil, err
	}
	if err := t.CutPackets(tree.Depth); err != nil {
		return nil, err
	}
	if t.Order != nil {
		if err := checkPacketOrder(t); err != nil {
			return nil, err
		}
		return scatterChunks(t, tree, chunks(t, t.Order))
	}
	order, err := t.DispatchOrder(tree.Depth)
	if err != nil {
		return nil, err
	}
	list := chunks(t, order)
	if t.IndependentLinks() {
		list = inTurn(t, tree, list)
	}
	return scatterChunks(t, tree, list)
}

// inTurn puts packets for several links of the root into the order in which the
// links will take them, so that none waits in the PE behind one for another link.
func inTurn(t *plan.Task, tree *topology.SpanningTree, list []chunk) []chunk {
	type turn struct {
		chunk
		start router.Cycle
	}
	link, free := tree.Branch(), make([]router.Cycle, len(tree.Parent))
	turns := make([]turn, len(list))
	for i, c := range list {
		at := &free[link[c.node]]
		turns[i] = turn{c, *at}
		*at += t.PacketTime(c.words)
	}
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Compare(a.start, b.start) })
	for i := range turns {
		list[i] = turns[i].chunk
	}
	return list
}

// scatterChunks plans the scatter that sends packets in the order given.
func scatterChunks(t *plan.Task, tree *topology.SpanningTree, chunks []chunk) (*plan.Plan, error) {
	root, leaf := plan.LoadRole("scatter-root"), plan.LoadRole("scatter-parts")
	p := t.NewPlan(root, leaf)
	list := root.Parameters()
	list.Set("COUNT", len(chunks))
	list.List("LIST")
	base := len(list.Words) + len(chunks)*root.At("ENTRY")
	for _, chunk := range chunks {
		e := list.Record("ENTRY")
		e.Set("NODE", int(chunk.node))
		e.Set("ADDRESS", base+chunk.offset)
		e.Set("WORDS", chunk.words)
	}
	p.PEs[t.Root] = plan.PE{Role: root.Index, Parameters: list.Words, Block: plan.Block{Words: t.Words, Given: plan.Range{From: 0, To: t.TotalWords()}}}
	for n, sizes := range t.PacketSizes {
		if len(sizes) == 0 {
			continue
		}
		own := leaf.Parameters()
		own.Set("ROOT", int(t.Root))
		own.Set("ADDRESS", len(own.Words))
		own.Set("COUNT", len(sizes))
		p.PEs[n] = plan.PE{Role: leaf.Index, Parameters: own.Words, Block: plan.Block{Words: t.Block(router.NodeID(n))}}
	}
	p.Messages, p.Flits = len(chunks), t.TotalWords()
	p.TagByNodes(t.Lengths, tree.Depth)
	return p, nil
}

// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// piece is a run of a block's words that travels as one message, between the
// root and the block's node, along a path of its own.
type piece struct {
	node        router.NodeID
	from, words int             // in the block
	path        []router.NodeID // from the root to the node
	start       router.Cycle    // in which it is handed to its channel
}

// requireMultiport wants a machine on which every link of a PE works by itself.
func (t *task) requireMultiport(algorithm string) error {
	m := t.Machine
	switch {
	case m.Ports != machine.AllPort || m.Channels != machine.Links:
		return input.Errorf("expected ports all and nic.channels links", "%s needs a machine on which every link works by itself", algorithm)
	case m.Switching != machine.Bufferless && m.Switching != machine.Wormhole:
		return input.Errorf("expected bufferless or wormhole", "%s with switching %s", algorithm, m.Switching)
	case t.Order != nil:
		return input.Errorf("expected none: it has its own", "an order of dispatch for %s", algorithm)
	case t.Tree != "":
		return input.Errorf("expected none: it has its own, see cover and trees", "tree %s for %s", t.Tree, algorithm)
	}
	hops := 0
	depth := topology.BreadthFirst(t.Topology, t.Root).Depth
	for _, n := range t.senders() {
		hops += int(depth[n])
	}
	if hops > maxHops {
		return input.Errorf(fmt.Sprintf("expected at most %d: every block carries its own route", maxHops), "%s on %s: routes of %d links or more", algorithm, t.Topology, hops)
	}
	return t.need(perHop * float64(hops))
}

// maxHops bounds the links of all routes, so that they fit into memory.
const maxHops = 1 << 26

// multiportPlan returns a plan without messages on a machine with routes at
// the source; the network's own routes, which no message takes, are a tree's.
func (t *task) multiportPlan(roles ...*role) *Plan {
	p := t.newPlan(roles...)
	p.Machine.Routing = machine.Source
	if !t.Topology.IsGrid() {
		p.Tree = topology.BreadthFirst(t.Topology, t.Root)
	}
	return p
}

// scatterPieces plans a scatter of pieces.
func (t *task) scatterPieces(pieces []piece) *Plan {
	send, take := loadRole("send-pieces"), loadRole("take-pieces")
	p := t.multiportPlan(send, take)
	p.Messages, p.Flits = len(pieces), len(t.words)
	p.PEs[t.Root] = t.sender(send, pieces, Block{Words: t.words, Given: Range{From: 0, To: len(t.words)}}, 0, func(c piece) (router.NodeID, []router.Port) {
		return c.node, t.ports(c.path)
	})
	for n, count := range t.countPieces(pieces) {
		if count == 0 {
			continue
		}
		own := take.parameters()
		own.set("COUNT", count)
		own.set("NODES", len(p.PEs))
		own.set("TABLE", len(own.words)-n)
		own.words = append(own.words, uint32(len(own.words)+1))
		own.set("REST", len(own.words)-t.offset[n]-len(p.PEs))
		p.PEs[n] = PE{Role: take.index, Parameters: own.words, Block: Block{Words: t.block(router.NodeID(n))}}
	}
	return p
}

// gatherPieces plans a gather of pieces.
func (t *task) gatherPieces(pieces []piece) *Plan {
	send, take := loadRole("send-pieces"), loadRole("take-pieces")
	p := t.multiportPlan(send, take)
	p.Messages, p.Flits = len(pieces), len(t.words)
	own := take.parameters()
	own.set("COUNT", len(pieces))
	own.set("NODES", len(p.PEs))
	own.list("TABLE")
	base := len(own.words) + len(p.PEs)
	for n := range p.PEs {
		own.words = append(own.words, uint32(base+t.offset[n]))
	}
	own.set("REST", base-len(p.PEs))
	p.PEs[t.Root] = PE{Role: take.index, Parameters: own.words, Block: Block{Words: t.words}}
	of := make([][]piece, len(p.PEs))
	for _, c := range pieces {
		of[c.node] = append(of[c.node], c)
	}
	for n, pieces := range of {
		if len(pieces) == 0 {
			continue
		}
		block := Block{Words: t.block(router.NodeID(n)), Given: Range{From: 0, To: t.Lengths[n]}}
		p.PEs[n] = t.sender(send, pieces, block, t.offset[n], func(c piece) (router.NodeID, []router.Port) {
			path := slices.Clone(c.path)
			slices.Reverse(path)
			return t.Root, t.ports(path)
		})
	}
	return p
}

// sender is a PE that sends pieces, in the order of their starts, of a block
// that begins with word first of all blocks.
func (t *task) sender(r *role, pieces []piece, block Block, first int, way func(piece) (router.NodeID, []router.Port)) PE {
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	list := r.parameters()
	list.set("COUNT", len(pieces))
	list.list("LIST")
	base := len(list.words) + len(pieces)*r.at("ENTRY")
	pe := PE{Role: r.index, Block: block}
	for _, c := range pieces {
		to, route := way(c)
		pe.Routes = append(pe.Routes, route)
		word := t.offset[c.node] + c.from
		e := list.record("ENTRY")
		e.set("NODE", int(to))
		e.set("ADDRESS", base+word-first)
		e.set("WORDS", c.words)
		e.set("START", int(c.start))
		e.set("ROUTE", len(pe.Routes))
		if e.set("TAG", int(c.node)); c.from > 0 {
			e.set("TAG", len(t.Lengths)+word)
		}
	}
	pe.Parameters = list.words
	return pe
}

// ports returns the output ports along a path.
func (t *task) ports(path []router.NodeID) []router.Port {
	route := make([]router.Port, len(path)-1)
	for i := range route {
		route[i], _ = t.Topology.PortTo(path[i], path[i+1])
	}
	return route
}

// countPieces returns the pieces of every node's block.
func (t *task) countPieces(pieces []piece) []int {
	count := make([]int, len(t.Lengths))
	for _, c := range pieces {
		count[c.node]++
	}
	return count
}

// splitBlocks counts the blocks that travel in more than one piece.
func (t *task) splitBlocks(pieces []piece) router.Cycle {
	split := router.Cycle(0)
	for _, count := range t.countPieces(pieces) {
		if count > 1 {
			split++
		}
	}
	return split
}

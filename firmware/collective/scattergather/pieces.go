// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
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

// tag is the number by which the piece's destination knows it: its node, and behind all nodes its first word.
func (c *piece) tag(t *plan.Task) int {
	if c.from == 0 {
		return int(c.node)
	}
	return len(t.Lengths) + t.Offset[c.node] + c.from
}

// multiportPlan returns a plan of pieces, still without programs, on a machine with routes at
// the source; the network's own routes, which no message takes, are a tree's.
func multiportPlan(t *plan.Task, pieces []piece, roles ...*plan.Role) *plan.Plan {
	p := t.NewPlan(roles...)
	p.Machine.Routing = machine.Source
	p.Messages, p.Flits = len(pieces), t.TotalWords()
	for i := range pieces {
		p.NeedHeader(uint32(pieces[i].tag(t)), len(pieces[i].path)-1)
	}
	if !t.Topology.IsGrid() {
		p.Tree = topology.BreadthFirst(t.Topology, t.Root)
	}
	return p
}

// scatterPieces plans a scatter of pieces.
func scatterPieces(t *plan.Task, pieces []piece) *plan.Plan {
	send, take := plan.LoadRole("send-pieces"), plan.LoadRole("take-pieces")
	p := multiportPlan(t, pieces, send, take)
	p.PEs[t.Root] = sender(t, send, pieces, plan.Block{Words: t.Words, Given: plan.Range{From: 0, To: t.TotalWords()}}, 0, func(c piece) (router.NodeID, []router.Port) {
		return c.node, ports(t, c.path)
	})
	for n, count := range countPieces(t, pieces) {
		if count == 0 {
			continue
		}
		own := take.Parameters()
		own.Set("COUNT", count)
		own.Set("NODES", len(p.PEs))
		own.Set("TABLE", len(own.Words)-n)
		own.Words = append(own.Words, uint32(len(own.Words)+1))
		own.Set("REST", len(own.Words)-t.Offset[n]-len(p.PEs))
		p.PEs[n] = plan.PE{Role: take.Index, Parameters: own.Words, Block: plan.Block{Words: t.Block(router.NodeID(n))}}
	}
	return p
}

// gatherPieces plans a gather of pieces.
func gatherPieces(t *plan.Task, pieces []piece) *plan.Plan {
	send, take := plan.LoadRole("send-pieces"), plan.LoadRole("take-pieces")
	p := multiportPlan(t, pieces, send, take)
	own := take.Parameters()
	own.Set("COUNT", len(pieces))
	own.Set("NODES", len(p.PEs))
	own.List("TABLE")
	base := len(own.Words) + len(p.PEs)
	for n := range p.PEs {
		own.Words = append(own.Words, uint32(base+t.Offset[n]))
	}
	own.Set("REST", base-len(p.PEs))
	p.PEs[t.Root] = plan.PE{Role: take.Index, Parameters: own.Words, Block: plan.Block{Words: t.Words}}
	of := make([][]piece, len(p.PEs))
	for _, c := range pieces {
		of[c.node] = append(of[c.node], c)
	}
	for n, pieces := range of {
		if len(pieces) == 0 {
			continue
		}
		block := plan.Block{Words: t.Block(router.NodeID(n)), Given: plan.Range{From: 0, To: t.Lengths[n]}}
		p.PEs[n] = sender(t, send, pieces, block, t.Offset[n], func(c piece) (router.NodeID, []router.Port) {
			path := slices.Clone(c.path)
			slices.Reverse(path)
			return t.Root, ports(t, path)
		})
	}
	return p
}

// sender is a PE that sends pieces, in the order of their starts, of a block
// that begins with word first of all blocks.
func sender(t *plan.Task, r *plan.Role, pieces []piece, block plan.Block, first int, way func(piece) (router.NodeID, []router.Port)) plan.PE {
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.start, b.start) })
	list := r.Parameters()
	list.Set("COUNT", len(pieces))
	list.List("LIST")
	base := len(list.Words) + len(pieces)*r.At("ENTRY")
	pe := plan.PE{Role: r.Index, Block: block}
	for _, c := range pieces {
		to, route := way(c)
		pe.Routes = append(pe.Routes, route)
		e := list.Record("ENTRY")
		e.Set("NODE", int(to))
		e.Set("ADDRESS", base+t.Offset[c.node]+c.from-first)
		e.Set("WORDS", c.words)
		e.Set("START", int(c.start))
		e.Set("ROUTE", len(pe.Routes))
		e.Set("TAG", c.tag(t))
	}
	pe.Parameters = list.Words
	return pe
}

// ports returns the output ports along a path.
func ports(t *plan.Task, path []router.NodeID) []router.Port {
	route := make([]router.Port, len(path)-1)
	for i := range route {
		route[i], _ = t.Topology.PortTo(path[i], path[i+1])
	}
	return route
}

// countPieces returns the pieces of every node's block.
func countPieces(t *plan.Task, pieces []piece) []int {
	count := make([]int, len(t.Lengths))
	for _, c := range pieces {
		count[c.node]++
	}
	return count
}

// splitBlocks counts the blocks that travel in more than one piece.
func splitBlocks(t *plan.Task, pieces []piece) int {
	split := 0
	for _, count := range countPieces(t, pieces) {
		if count > 1 {
			split++
		}
	}
	return split
}

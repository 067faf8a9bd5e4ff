// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"math/rand/v2"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Allreduce sums up by the fastest of three ways. Short vectors: nodes add their vectors to the one of a
// hub close by, the hubs' sums are gossiped, and every node adds them up. Longer vectors: each part is
// summed up in a root of its own, and spread from there. Very long vectors: all parts go up and down a few
// edge-disjoint trees.
func Allreduce(t *plan.Task) (*plan.Plan, error) {
	if err := requireSteps(t); err != nil {
		return nil, err
	}
	g := newGraph(t.Ctx, t.Topology)
	var best *sums
	for _, size := range slices.Compact([]int{max(1, t.VectorWords()), 1}) {
		if size*maxHubbed < t.VectorWords() {
			continue
		}
		for radius := range g.furthest(0) + 1 {
			if s := throughHubs(t, g, radius, size); s != nil && (best == nil || s.time < best.time) {
				best = s
			}
			if err := t.Ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	for _, parts := range slices.Compact([]int{t.VectorWords(), min(t.VectorWords(), 64), min(t.VectorWords(), 16)}) {
		if s := throughBestRoots(t, g, parts); s != nil && s.time < best.time {
			best = s
		}
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
	}
	s, err := alongTrees(t, g)
	if err != nil {
		return nil, err
	}
	if s != nil && s.time < best.time {
		best = s
	}
	if err := t.NeedParts(1 + len(best.hops)/g.nodes); err != nil {
		return nil, err
	}
	return best.plan(t)
}

// maxHubbed bounds the parts that are summed up over hubs.
const maxHubbed = 32

// sums is an allreduce: what goes from node to node in which step, and what moves within a node.
type sums struct {
	hops  []transfer.Transfer
	slots int // words behind the vector of each node
	time  router.Cycle
}

// plan turns an allreduce into firmware.
func (s *sums) plan(t *plan.Task) (*plan.Plan, error) {
	if t.TimeOnly {
		return finish(t, &transfer.List{Nodes: len(t.Lengths), Transfers: s.hops}, nil)
	}
	elements := t.Machine.Elements()
	start, total := make([][]uint32, len(t.Lengths)), make([]uint32, t.VectorWords()*elements)
	for n := range start {
		start[n] = append(append([]uint32(nil), t.Block(router.NodeID(n))...), make([]uint32, s.slots*elements)...)
		for i, word := range t.Block(router.NodeID(n)) {
			total[i] += word
		}
	}
	l := &transfer.List{Nodes: len(start), Transfers: s.hops}
	end := plan.CarryOut(l, start, elements)
	for n := range end {
		copy(end[n], total)
	}
	return finish(t, l, func(n router.NodeID) plan.Block { return plan.Block{Words: end[n], Start: start[n]} })
}

// throughHubs sums up over hubs: no node is further than radius away from one. Each part of the vector
// has hubs of its own, so that different links are at work. An outward spread from the hubs, reversed in
// time, adds up the words of all nodes. It is nil if there are too many hubs, or there is no memory for so many.
func throughHubs(t *plan.Task, g *graph, radius int32, size int) *sums {
	words := t.VectorWords()
	h := &hubSums{sums: sums{}, graph: g, length: period(t, size)}
	var hubs [][]int32              // by part
	var sources [][]int32           // by part and hub
	var slots, parts []transfer.Set // by part and hub: where its sum is kept; where the part is in the vector
	for from := 0; from < words; from += size {
		part := transfer.Range{From: from, To: min(words, from+size)}
		list := hubsWithin(g, radius, uint64(from))
		hubs = append(hubs, list)
		for _, hub := range list {
			sources = append(sources, []int32{hub})
			at := words + h.slots
			h.slots += part.To - part.From
			slots, parts = append(slots, transfer.Set{{From: at, To: words + h.slots}}), append(parts, transfer.Set{part})
		}
	}
	if len(sources) > maxSpread {
		return nil
	}
	if t.NeedSteps(2*len(sources)*g.nodes) != nil {
		return nil
	}
	inward := spread(g, hubs)
	before := steps(inward)
	for _, x := range inward {
		step := before - 1 - int(x.step)
		part := transfer.Set{{From: int(x.unit) * size, To: min(words, (int(x.unit)+1)*size)}}
		h.add(step, step, g.to[x.arc], g.from[x.arc], part, part, transfer.Add)
	}
	for i := range sources {
		h.add(before, 0, sources[i][0], sources[i][0], parts[i], slots[i], transfer.Put)
	}
	outward := spread(g, sources)
	for _, x := range outward {
		h.add(before+1+int(x.step), before+int(x.step), g.from[x.arc], g.to[x.arc], slots[x.unit], slots[x.unit], transfer.Put)
	}
	last := before + 1 + steps(outward)
	for n := range int32(g.nodes) {
		for i := range sources {
			op := transfer.Add
			if i == 0 || parts[i][0] != parts[i-1][0] {
				op = transfer.Put
			}
			h.add(last, 0, n, n, slots[i], parts[i], op)
		}
	}
	h.time = router.Cycle(before+steps(outward)) * h.length
	return &h.sums
}

// hubSums collects the transfers of an allreduce over hubs.
type hubSums struct {
	sums
	*graph
	length router.Cycle
}

// add appends a transfer of a step of the list which starts with a step of the clock.
func (h *hubSums) add(step, clock int, from, to int32, out, in transfer.Set, op transfer.Op) {
	h.hops = append(h.hops, transfer.Transfer{
		Step: step, Start: router.Cycle(clock) * h.length, From: router.NodeID(from), To: router.NodeID(to), Out: out, In: in, Op: op,
	})
}

// hubsTried is the number of draws of hubs.
const hubsTried = 20

// hubsWithin chooses few nodes so that each node is at most radius links away from one: again and again
// a node that covers the most nodes.
func hubsWithin(g *graph, radius int32, draw uint64) []int32 {
	var best []int32
	for seed := range uint64(hubsTried) {
		random := rand.New(rand.NewPCG(seed, 0x4b5+draw))
		covered, left := make([]bool, g.nodes), g.nodes
		var list []int32
		for left > 0 {
			hub, most, ties := int32(0), 0, 0
			for n := range int32(g.nodes) {
				count := 0
				for m, d := range g.away[n] {
					if d <= radius && !covered[m] {
						count++
					}
				}
				if ties++; count > most {
					hub, most, ties = n, count, 1
				} else if count == most && random.IntN(ties) == 0 {
					hub = n
				}
			}
			for m, d := range g.away[hub] {
				if d <= radius && !covered[m] {
					covered[m] = true
					left--
				}
			}
			list = append(list, hub)
		}
		if best == nil || len(list) < len(best) {
			best = list
		}
	}
	return best
}

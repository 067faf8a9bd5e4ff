// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"math/rand/v2"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/internal/heap"
	"meshwright/router"
)

// Exchange sends the words of all nodes along balanced routes.
func Exchange(t *plan.Task) (*plan.Plan, error) {
	if err := requireSteps(t); err != nil {
		return nil, err
	}
	nodes := int32(len(t.Lengths))
	x := &search{least: leastLoad, find: alongWays, most: maxRouted}
	x.cut = func(words int) (units []unit) {
		for from := range nodes {
			for to := range nodes {
				if from != to {
					a, b := router.NodeID(from), router.NodeID(to)
					units = pieces(units, from, to, t.ExchangeOut(a, b), t.ExchangeIn(b, a).From, words)
				}
			}
		}
		return units
	}
	s, err := x.best(t)
	if err != nil {
		return nil, err
	}
	return s.plan(t.ExchangeBlock)
}

// leastLoad is a number of steps that units take at least: all links together carry every unit over its
// distance.
func leastLoad(g *graph, units []unit) int {
	hops := 0
	for _, u := range units {
		hops += int(g.away[u.source][u.to])
	}
	if hops == 0 { // there need not be links
		return 0
	}
	return (hops + len(g.from) - 1) / len(g.from)
}

// alongWays gives every unit a shortest route, so that the links carry about the same, and every hop a step.
func alongWays(g *graph, units []unit) []hop {
	var best []hop
	least := leastLoad(g, units)
	for seed := range uint64(max(1, min(waysTried, waysWork/(1+len(units))))) {
		b := newBalance(g, units, seed)
		if b.level(); b.ended() {
			return nil
		}
		hops := b.furthestFirst()
		if best == nil || steps(hops) < steps(best) {
			best = hops
		}
		if steps(best) <= least {
			break
		}
	}
	return best
}

const (
	maxRouted   = 1 << 18 // units with routes of their own
	waysTried   = 8
	waysWork    = 1 << 15 // units, of all tries together
	roundsTried = 12
)

// balance chooses routes.
type balance struct {
	*graph
	units  []unit
	load   []int     // by arc: units
	ways   [][]int32 // by unit: arcs
	random *rand.Rand

	// The search for a route. What is known of a node holds if the search met it.
	search     int32
	queue, met []int32
	cost, ties []int
	first      []int32 // by node: the arc with which its route begins
}

func newBalance(g *graph, units []unit, seed uint64) *balance {
	return &balance{
		graph: g, units: units, load: make([]int, len(g.from)), ways: make([][]int32, len(units)), random: rand.New(rand.NewPCG(seed, 0x3a75)),
		search: 1, met: make([]int32, g.nodes), cost: make([]int, g.nodes), ties: make([]int, g.nodes), first: make([]int32, g.nodes),
	}
}

// level gives every unit the route with the lightest links, and does so again once all have one.
func (b *balance) level() {
	order := make([]int32, len(b.units))
	for i := range order {
		order[i] = int32(i)
	}
	for range roundsTried {
		if b.ended() {
			return
		}
		b.random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, u := range order {
			for _, a := range b.ways[u] {
				b.load[a]--
			}
			b.ways[u] = b.lightest(b.units[u].source, b.units[u].to, b.ways[u][:0])
			for _, a := range b.ways[u] {
				b.load[a]++
			}
		}
	}
}

// lightest appends the shortest route whose sum of the squares of the loads is least. It goes back from
// the destination: nodes that are nearer to it come first.
func (b *balance) lightest(from, to int32, way []int32) []int32 {
	b.cost[to] = 0
	b.queue = append(b.queue[:0], to)
	for i := 0; i < len(b.queue); i++ {
		n := b.queue[i]
		for _, back := range b.into[n] {
			m := b.graph.from[back]
			if b.away[m][to] != b.away[n][to]+1 || b.away[from][m]+b.away[m][to] != b.away[from][to] {
				continue
			}
			cost := b.cost[n] + b.load[back]*b.load[back]
			switch {
			case b.met[m] != b.search:
				b.met[m], b.ties[m] = b.search, 1
				b.cost[m], b.first[m] = cost, back
				b.queue = append(b.queue, m)
			case cost < b.cost[m]:
				b.cost[m], b.first[m], b.ties[m] = cost, back, 1
			case cost == b.cost[m]:
				if b.ties[m]++; b.random.IntN(b.ties[m]) == 0 {
					b.first[m] = back
				}
			}
		}
	}
	b.search++
	for n := from; n != to; n = b.to[b.first[n]] {
		way = append(way, b.first[n])
	}
	return way
}

// waiting is a unit at the beginning of a link of its route.
type waiting struct {
	unit, rest int32 // links to go
	draw       uint32
}

// Before prefers the unit with the longest rest of its route.
func (w waiting) Before(v waiting) bool {
	if w.rest != v.rest {
		return w.rest > v.rest
	}
	return w.draw < v.draw
}

// furthestFirst gives hops their steps: each link carries the unit that has the most links to go.
func (b *balance) furthestFirst() []hop {
	queues := make([]heap.Heap[waiting], len(b.from))
	done := make([]int, len(b.units)) // by unit: links passed
	var busy []int32
	enter := func(u int32) {
		a := b.ways[u][done[u]]
		if len(queues[a]) == 0 {
			busy = append(busy, a)
		}
		queues[a].Push(waiting{u, int32(len(b.ways[u]) - done[u]), b.random.Uint32()})
	}
	for u := range b.units {
		enter(int32(u))
	}
	var hops []hop
	for step := int32(0); len(busy) > 0; step++ {
		now := busy
		busy = nil
		var moved []int32
		slices.Sort(now)
		for _, a := range now {
			u := queues[a].Pop().unit
			hops = append(hops, hop{step, u, a})
			if done[u]++; done[u] < len(b.ways[u]) {
				moved = append(moved, u)
			}
			if len(queues[a]) > 0 {
				busy = append(busy, a)
			}
		}
		for _, u := range moved {
			enter(u)
		}
	}
	return hops
}

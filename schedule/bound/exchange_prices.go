// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// dearest bounds an all-to-all by prices. Let each link have a price, and with a single port each node two, for the flits that leave it and for those that come. A word from u to v pays at
// least the cheapest route from u to v, whatever PEs relay it. A link or a port passes a flit in f cycles, none before cycle s, and the last flit needs a hop. So
//
//	T >= s + h + f * (cheapest routes of all words) / (all prices).
//
// Where links stall, n flits take n*r - stall cycles or more, with r = f + stall/b (see wires). Then T >= s + h - stall + r * (cheapest routes of all words) / (all prices).
//
// With equal prices this is the bound by links, with prices at a cut alone the bound by the cut. The best prices bring the bound up to the time of the best flow of all words at once. They are
// looked for by raising the prices of what the cheapest routes use most, round after round. Any prices give a bound.
//
// On a machine with slower links a flit pays the price of its link for each cycle on it. A link that takes f' cycles for a flit, or r' with its stalls, has done its work but for
// its last flit by cycle T - h - f. Then T >= s + h + f + (cheapest routes of all words - prices * last flits) / (all prices), where a last flit is r' and the stall before it.
//
// The result is 0 on rings, tori, hypercubes and complete graphs, where equal prices are the best, and on networks of more than maxPriced nodes.
func (x *exchanged) dearest() router.Cycle {
	if x.t.Nodes() > maxPriced || x.m.PacketSwitched() || x.alike() {
		return 0
	}
	f := newFees(x)
	best, share := 0.0, 1.0
	rounds := priceRounds
	if x.t.Nodes() <= maxPriced/2 {
		rounds *= 4 // the best prices then hardly depend on how the nodes are numbered
	}
	for round := range rounds {
		best = max(best, f.round(x.lengths))
		f.raise(share)
		if (round+1)%(rounds/10) == 0 {
			share *= 0.8
		}
	}
	if x.times != nil {
		return x.startup + x.hop + x.flit + router.Cycle(math.Ceil(best*(1-1e-9)))
	}
	rate, stall := float64(x.flit), router.Cycle(0)
	if x.m.Ports != machine.SinglePort && x.wires.burst > 0 {
		stall = x.wires.stall
		rate += float64(stall) / float64(x.wires.burst)
	}
	return x.startup + x.hop - stall + router.Cycle(math.Ceil(rate*best*(1-1e-9)))
}

const (
	maxPriced   = 64 // nodes whose prices are looked for: this takes some ten milliseconds
	priceRounds = 100
)

// alike reports whether equal prices are the best: the network looks the same from all links, or with a single port from all nodes.
func (x *exchanged) alike() bool {
	nodes := x.t.Nodes()
	if x.times != nil {
		return false
	}
	if x.t.Star() != nil || len(x.t.Links()) == nodes*(nodes-1) {
		return true
	}
	if !x.t.IsGrid() {
		return false
	}
	for d, side := range x.t.Dims {
		if side > 2 && !x.t.Wrap[d] || side != x.t.Dims[0] && x.m.Ports != machine.SinglePort {
			return false
		}
	}
	return true
}

// fees are the prices of what flits use, each by an index.
type fees struct {
	nodes  int
	from   [][]arc // by node
	price  []float64
	last   []float64 // by price: the time of the last flit, which does not count
	passed []float64 // words that the cheapest routes lead over each
}

// arc is a link with the one or two things that its flits use.
type arc struct {
	to   router.NodeID
	uses [2]int32
	time [2]float64 // of a flit: 1 where links are alike
}

func newFees(x *exchanged) *fees {
	nodes := x.t.Nodes()
	f := &fees{nodes: nodes, from: make([][]arc, nodes)}
	links := x.t.Links()
	count := len(links)
	if x.m.Ports == machine.SinglePort {
		count = 2 * nodes
	}
	f.price, f.passed, f.last = make([]float64, count), make([]float64, count), make([]float64, count)
	for i, l := range links {
		a := arc{l.To, [2]int32{int32(i), -1}, [2]float64{1, 1}}
		if x.m.Ports == machine.SinglePort {
			a.uses = [2]int32{int32(l.From), int32(nodes + int(l.To))}
		}
		if x.times != nil {
			f.slow(x, &a, x.times.Of(l.From, l.FromPort))
		}
		f.from[l.From] = append(f.from[l.From], a)
	}
	for i := range f.price {
		f.price[i] = 1
	}
	return f
}

// slow gives a link its own time. A single port has a flit that leaves for the time of the link, and one that comes for that of the machine at least.
func (f *fees) slow(x *exchanged, a *arc, of machine.LinkTime) {
	pace := float64(of.Flit)
	if x.m.Ports == machine.SinglePort {
		a.time = [2]float64{pace, float64(x.flit)}
		f.last[a.uses[0]] = max(f.last[a.uses[0]], pace)
		f.last[a.uses[1]] = float64(x.flit)
		return
	}
	burst, stall := stallOf(x.room, router.Cycle(of.Hop), router.Cycle(of.Flit))
	if stall > 0 {
		pace += float64(stall) / float64(burst)
	}
	a.time[0], f.last[a.uses[0]] = pace, pace+float64(stall)
}

// cost is the price of a flit on a link.
func (f *fees) cost(a *arc) float64 {
	if a.uses[1] < 0 {
		return f.price[a.uses[0]] * a.time[0]
	}
	return f.price[a.uses[0]]*a.time[0] + f.price[a.uses[1]]*a.time[1]
}

// round returns the words' cheapest routes for all prices, and counts what they use.
func (f *fees) round(lengths []int) float64 {
	clear(f.passed)
	all, sum := 0.0, 0.0
	for i, p := range f.price {
		all += p
		sum -= p * f.last[i]
	}
	for n, length := range lengths {
		if length > 0 {
			sum += f.ways(router.NodeID(n), float64(length))
		}
	}
	return sum / all
}

// ways finds the cheapest routes of the words of a node (Dijkstra), and adds them to what has passed. It returns what they cost.
func (f *fees) ways(root router.NodeID, words float64) (sum float64) {
	cost, by, parent := make([]float64, f.nodes), make([]*arc, f.nodes), make([]router.NodeID, f.nodes)
	done, order := make([]bool, f.nodes), make([]router.NodeID, 0, f.nodes)
	for n := range cost {
		cost[n] = math.Inf(1)
	}
	cost[root] = 0
	for range f.nodes {
		at := router.None
		for n := range router.NodeID(f.nodes) {
			if !done[n] && (at == router.None || cost[n] < cost[at]) {
				at = n
			}
		}
		done[at] = true
		if math.IsInf(cost[at], 1) {
			break
		}
		order = append(order, at)
		sum += words * cost[at]
		for i := range f.from[at] {
			a := &f.from[at][i]
			if c := cost[at] + f.cost(a); c < cost[a.to] {
				cost[a.to], by[a.to], parent[a.to] = c, a, at
			}
		}
	}
	through := make([]float64, f.nodes)
	for i := len(order) - 1; i > 0; i-- {
		n := order[i]
		through[n] += words
		through[parent[n]] += through[n]
		for i, use := range by[n].uses {
			if use >= 0 {
				f.passed[use] += through[n] * by[n].time[i]
			}
		}
	}
	return sum
}

// raise raises the prices of what is used most.
func (f *fees) raise(share float64) {
	most := 0.0
	for _, p := range f.passed {
		most = max(most, p)
	}
	for i, p := range f.passed {
		f.price[i] *= math.Exp(share * (p/most - 1))
	}
}

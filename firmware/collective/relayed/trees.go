// SPDX-License-Identifier: Apache-2.0

package relayed

import (
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/heap"
	"meshwright/router"
)

// trees are the routes of all blocks as trees, one for each destination.
type trees struct {
	topology *topology.Topology
	nodes    int
	words    []int // of the blocks by source
	legs     []leg // one for each link
	base     []int32
	next     []int32  // by destination and node: the link by which blocks leave
	links    []uint16 // by destination and node: on the way

	ports   bool  // the words of a node go through one port or channel, as well as those for it
	half    bool  // and they share it
	load    []int // words by link
	out, in []int // words by node

	cost  []float64
	done  []bool
	queue heap.Heap[reached]
	order []int32
	count []int32
	below []int // by node: the words that come there, or from there, on the way to the root
}

// reached is a node with what the cheapest route that is known from it costs.
type reached struct {
	cost float64
	node int32
}

// Before orders nodes by cost.
func (a reached) Before(b reached) bool {
	if a.cost != b.cost {
		return a.cost < b.cost
	}
	return a.node < b.node
}

// newTrees returns trees of shortest routes, over links that little goes over so far.
func newTrees(t *topology.Topology, m machine.Machine, words []int) *trees {
	nodes := t.Nodes()
	b := &trees{
		topology: t, nodes: nodes, words: words, next: make([]int32, nodes*nodes), links: make([]uint16, nodes*nodes),
		ports: m.Ports == machine.SinglePort || m.Channels != machine.Links, half: m.Duplex == machine.Half,
		out: make([]int, nodes), in: make([]int, nodes),
		cost: make([]float64, nodes), done: make([]bool, nodes), order: make([]int32, nodes), count: make([]int32, nodes+1), below: make([]int, nodes),
	}
	b.legs, b.base = links(t)
	b.load = make([]int, len(b.legs))
	for to := range nodes {
		b.shortest(to)
	}
	return b
}

// again gives every destination another tree of shortest routes, since the loads of all others are known now.
func (b *trees) again() {
	for to := range b.nodes {
		b.shift(to, -1)
		b.shortest(to)
	}
}

// shortest makes the tree of a destination. Each node takes, of its links to nodes that are nearer, the one with the least load.
func (b *trees) shortest(to int) {
	links := b.links[to*b.nodes:][:b.nodes]
	order := b.order[:1]
	order[0] = int32(to)
	clear(b.done)
	b.done[to] = true
	for i := 0; i < len(order); i++ {
		v := order[i]
		for _, l := range b.legs[b.base[v]:b.base[v+1]] {
			if l.to >= 0 && !b.done[l.to] {
				b.done[l.to] = true
				links[l.to] = links[v] + 1
				order = append(order, l.to)
			}
		}
	}
	copy(b.below, b.words)
	for i := len(order) - 1; i > 0; i-- {
		v := order[i]
		best := int32(-1)
		for l := b.base[v]; l < b.base[v+1]; l++ {
			if u := b.legs[l].to; u >= 0 && links[u] == links[v]-1 && (best < 0 || b.load[l] < b.load[best]) {
				best = l
			}
		}
		b.next[to*b.nodes+int(v)] = best
		b.carry(best, 1)
	}
}

// carry adds the words of a branch to the loads of the link by which they leave it, or takes them away.
func (b *trees) carry(l int32, sign int) {
	from, to := b.legs[l].from, b.legs[l].to
	words := b.below[from]
	b.below[to] += words
	b.load[l] += sign * words
	b.out[from] += sign * words
	b.in[to] += sign * words
}

// byDistance lists all nodes by the links of their routes to a destination.
func (b *trees) byDistance(to int) []int32 {
	links := b.links[to*b.nodes:][:b.nodes]
	clear(b.count)
	for _, l := range links {
		b.count[l+1]++
	}
	for i := 1; i < len(b.count); i++ {
		b.count[i] += b.count[i-1]
	}
	for v := range int32(b.nodes) {
		b.order[b.count[links[v]]] = v
		b.count[links[v]]++
	}
	return b.order
}

// shift adds all words for a destination to the loads, or takes them away.
func (b *trees) shift(to, sign int) {
	order := b.byDistance(to)
	copy(b.below, b.words)
	for i := b.nodes - 1; i > 0; i-- {
		b.carry(b.next[to*b.nodes+int(order[i])], sign)
	}
}

const (
	// steep is the power of a load that makes its price.
	steep = 6
	// linkPrice is the price of a link without any load, where the busiest one costs 1.
	linkPrice = 0.02
)

// balance gives every destination another tree, with routes that are cheap where loads have a price. They may be longer than the shortest.
func (b *trees) balance() {
	for to := range b.nodes {
		b.shift(to, -1)
		b.cheapest(to)
		b.shift(to, 1)
	}
}

// total counts the links that all blocks with words go over.
func (b *trees) total() (links int) {
	for i, l := range b.links {
		if b.words[i%b.nodes] > 0 {
			links += int(l)
		}
	}
	return links
}

// busiest returns the largest load, in words.
func (b *trees) busiest() (most int) {
	for _, l := range b.load {
		most = max(most, l)
	}
	if !b.ports {
		return most
	}
	for v := range b.out {
		most = max(most, b.out[v], b.in[v])
		if b.half {
			most = max(most, b.out[v]+b.in[v])
		}
	}
	return most
}

// crowding sums up the loads to the power of their prices.
func (b *trees) crowding() (sum float64) {
	for _, l := range b.load {
		sum += math.Pow(float64(l), steep)
	}
	if !b.ports {
		return sum
	}
	for v := range b.out {
		if b.half {
			sum += math.Pow(float64(b.out[v]+b.in[v]), steep)
			continue
		}
		sum += math.Pow(float64(b.out[v]), steep) + math.Pow(float64(b.in[v]), steep)
	}
	return sum
}

// copied returns the same trees, which do not change with these.
func (b *trees) copied() *trees {
	c := *b
	c.next, c.links = slices.Clone(b.next), slices.Clone(b.links)
	c.load, c.out, c.in = slices.Clone(b.load), slices.Clone(b.out), slices.Clone(b.in)
	c.order = slices.Clone(b.order)
	return &c
}

// cheapest makes the tree of a destination from the cheapest routes (Dijkstra).
func (b *trees) cheapest(to int) {
	next, links := b.next[to*b.nodes:][:b.nodes], b.links[to*b.nodes:][:b.nodes]
	most := float64(max(1, b.busiest()))
	for v := range b.cost {
		b.cost[v] = math.Inf(1)
	}
	clear(b.done)
	b.cost[to] = 0
	b.queue = append(b.queue[:0], reached{0, int32(to)})
	for len(b.queue) > 0 {
		v := b.queue.Pop().node
		if b.done[v] {
			continue
		}
		b.done[v] = true
		for p, l := range b.legs[b.base[v]:b.base[v+1]] {
			if l.to < 0 || b.done[l.to] {
				continue
			}
			back := b.base[l.to] + int32(b.topology.BackPort(router.NodeID(v), router.Port(p)))
			if cost := b.cost[v] + b.price(back, most); cost < b.cost[l.to] {
				b.cost[l.to], next[l.to], links[l.to] = cost, back, links[v]+1
				b.queue.Push(reached{cost, l.to})
			}
		}
	}
}

// price is what a word pays for a link, the ports and the channels at its ends.
func (b *trees) price(l int32, most float64) float64 {
	of := func(load int) float64 { return math.Pow(float64(load)/most, steep) }
	sum := linkPrice + of(b.load[l])
	if !b.ports {
		return sum
	}
	from, to := b.legs[l].from, b.legs[l].to
	if b.half {
		return sum + of(b.out[from]+b.in[from]) + of(b.out[to]+b.in[to])
	}
	return sum + of(b.out[from]) + of(b.in[to])
}

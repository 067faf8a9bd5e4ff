// SPDX-License-Identifier: Apache-2.0

package bound

import "math"

// roads finds the cheapest routes between all nodes.
//
//	PE --- out --- link --- ... --- link --- in --- PE
//
// The state of a PE may matter to the flits that pass its chip. Each of them waits for the cheaper one.
type roads struct {
	nodes  int
	states int // of a PE: 1, or sends and receives
	list   []road
	from   [][]int32   // by node: the roads from it
	prices []roadPrice // by road
	cost   []float64   // by source and target
	last   []step      // by source and target: the last link
	come   []float64   // by source, router and the state of its PE: the route from the PE of the source to the router
	by     []step      // by the same: the last link of this route
	open   []reachedAt // routers and states whose routes from the source that is looked at may become cheaper, a heap; some are there twice
}

// road is a link. All flits on it need the things that it passes; one that begins or ends its route with it needs a channel besides.
type road struct {
	from, to      int32
	out, in       int32    // injection and ejection channel, or none
	passes        [2]int32 // the link, or with a single port the ports at both ends
	leave, arrive [2]int32 // things of the chip before the link, by the state of its PE, and of the chip behind it
}

// The states of a half-duplex PE.
const (
	sends, receives = 0, 1
	begins          = 2 // not a state: the flit comes from the PE
)

// step is a link of a route, and the state of the PE before it when the flit leaves its chip.
type step struct {
	road  int32
	state int8
}

// roadPrice is what a flit pays on a link.
type roadPrice struct {
	begin  float64    // from the PE to the chip behind the link
	pass   [2]float64 // from chip to chip, by the state of the first PE
	arrive [2]float64 // at the chip behind the link, by the state of its PE
	end    float64    // at the chip behind the link, and to its PE
}

func newRoads(nodes, states int, list []road) *roads {
	r := &roads{nodes: nodes, states: states, list: list, from: make([][]int32, nodes), prices: make([]roadPrice, len(list))}
	r.cost, r.last = make([]float64, nodes*nodes), make([]step, nodes*nodes)
	r.come, r.by = make([]float64, nodes*nodes*states), make([]step, nodes*nodes*states)
	for i, x := range list {
		r.from[x.from] = append(r.from[x.from], int32(i))
	}
	return r
}

// price returns that of a thing.
func price(things []thing, x int32) float64 {
	if x == none {
		return 0
	}
	return things[x].price
}

// find finds the routes for the prices of things.
func (r *roads) find(things []thing) {
	for i := range r.list {
		x, p := &r.list[i], &r.prices[i]
		link := price(things, x.passes[0]) + price(things, x.passes[1])
		for z := range r.states {
			p.pass[z], p.arrive[z] = link+price(things, x.leave[z]), price(things, x.arrive[z])
		}
		p.begin, p.end = price(things, x.out)+p.pass[sends], p.arrive[r.states-1]+price(things, x.in)
	}
	for u := range r.nodes {
		r.findFrom(u)
	}
}

// findFrom finds the routes from a node (Dijkstra).
func (r *roads) findFrom(u int) {
	chips := r.nodes * r.states
	come, by := r.come[u*chips:(u+1)*chips], r.by[u*chips:(u+1)*chips]
	cost, last := r.cost[u*r.nodes:(u+1)*r.nodes], r.last[u*r.nodes:(u+1)*r.nodes]
	for v := range come {
		come[v] = math.Inf(1)
	}
	for v := range cost {
		cost[v] = math.Inf(1)
	}
	take := func(i int32, state int8, before float64) { // a link
		p, to := &r.prices[i], int(r.list[i].to)
		if all := before + p.end; all < cost[to] && to != u {
			cost[to], last[to] = all, step{i, state}
		}
		for z := range r.states {
			if at := to*r.states + z; before+p.arrive[z] < come[at] {
				come[at], by[at] = before+p.arrive[z], step{i, state}
				r.push(reachedAt{come[at], int32(at)})
			}
		}
	}
	for _, i := range r.from[u] {
		take(i, begins, r.prices[i].begin)
	}
	for len(r.open) > 0 {
		least := r.pop()
		if least.cost > come[least.at] {
			continue
		}
		state := int(least.at) % r.states
		for _, i := range r.from[int(least.at)/r.states] {
			take(i, int8(state), least.cost+r.prices[i].pass[state])
		}
	}
}

// reachedAt is a router with the state of its PE, as a number, and what the route to it costs.
type reachedAt struct {
	cost float64
	at   int32
}

// push adds to the heap.
func (r *roads) push(x reachedAt) {
	r.open = append(r.open, x)
	i := len(r.open) - 1
	for ; i > 0 && r.open[(i-1)/2].cost > x.cost; i = (i - 1) / 2 {
		r.open[i] = r.open[(i-1)/2]
	}
	r.open[i] = x
}

// pop takes what costs least.
func (r *roads) pop() reachedAt {
	top, last := r.open[0], r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	i := 0
	for child := 1; child < len(r.open); child = 2*i + 1 {
		if child+1 < len(r.open) && r.open[child+1].cost < r.open[child].cost {
			child++
		}
		if last.cost <= r.open[child].cost {
			break
		}
		r.open[i], i = r.open[child], child
	}
	if len(r.open) > 0 {
		r.open[i] = last
	}
	return top
}

// use counts what words need from one node to another.
func (r *roads) use(things []thing, u, v int32, words float64) {
	count := func(x int32) {
		if x != none {
			things[x].used += words
		}
	}
	s, arrives := r.last[u*int32(r.nodes)+v], int8(r.states-1)
	count(r.list[s.road].in)
	for {
		x := &r.list[s.road]
		count(x.passes[0])
		count(x.passes[1])
		count(x.arrive[arrives])
		if s.state == begins {
			count(x.leave[sends])
			count(x.out)
			return
		}
		count(x.leave[s.state])
		arrives = s.state
		s = r.by[(u*int32(r.nodes)+x.from)*int32(r.states)+int32(arrives)]
	}
}

// SPDX-License-Identifier: Apache-2.0

package bound

import "math"

// roads finds the cheapest ways between all nodes.
//
//	PE --- out --- link --- ... --- link --- in --- PE
type roads struct {
	nodes int
	list  []road
	into  [][]int32 // by node: the roads to it
	from  [][]int32 // by node: the roads from it
	cost  []float64 // by source and target
	way   []float64 // by two routers: the links between them
	first []int32   // by two routers: the first link of this way
	head  []float64 // by source and router: the way from the PE to the router
	begin []int32   // by source and router: the first link of this way
	last  []int32   // by source and target: the last link
}

// road is a link. All flits on it need the things that it passes; one that begins or ends its way with it needs a channel besides.
type road struct {
	from, to int32
	out, in  int32    // injection and ejection channel, or none
	passes   [2]int32 // the link, or with a single port the ports at both ends
}

func newRoads(nodes int, list []road) *roads {
	n := nodes * nodes
	r := &roads{nodes: nodes, list: list, into: make([][]int32, nodes), from: make([][]int32, nodes), cost: make([]float64, n), way: make([]float64, n), first: make([]int32, n), head: make([]float64, n), begin: make([]int32, n), last: make([]int32, n)}
	for i, x := range list {
		r.into[x.to] = append(r.into[x.to], int32(i))
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

// find finds the ways for the prices of things.
func (r *roads) find(things []thing) {
	r.between(things)
	n := r.nodes
	link := func(i int32) float64 { return price(things, r.list[i].passes[0]) + price(things, r.list[i].passes[1]) }
	for i := range r.cost {
		r.cost[i], r.head[i] = math.Inf(1), math.Inf(1)
	}
	for u := range n {
		for _, i := range r.from[u] {
			x := &r.list[i]
			begins := price(things, x.out) + link(i)
			for v, way := range r.way[int(x.to)*n : (int(x.to)+1)*n] {
				if begins+way < r.head[u*n+v] {
					r.head[u*n+v], r.begin[u*n+v] = begins+way, i
				}
			}
		}
		for v := range n {
			for _, i := range r.into[v] {
				x := &r.list[i]
				before := r.head[u*n+int(x.from)]
				if int(x.from) == u {
					before = price(things, x.out)
				}
				if all := before + link(i) + price(things, x.in); u != v && all < r.cost[u*n+v] {
					r.cost[u*n+v], r.last[u*n+v] = all, i
				}
			}
		}
	}
}

// between finds the cheapest ways over links from router to router (Floyd and Warshall).
func (r *roads) between(things []thing) {
	n := r.nodes
	for i := range r.way {
		r.way[i] = math.Inf(1)
	}
	for i := range r.list {
		x := &r.list[i]
		if at, cost := int(x.from)*n+int(x.to), price(things, x.passes[0])+price(things, x.passes[1]); cost < r.way[at] {
			r.way[at], r.first[at] = cost, int32(i)
		}
	}
	for v := range n {
		r.way[v*n+v] = 0
	}
	for k := range n {
		over := r.way[k*n : (k+1)*n]
		for u := range n {
			to := r.way[u*n+k]
			if u == k || math.IsInf(to, 1) {
				continue
			}
			row, link := r.way[u*n:(u+1)*n], r.first[u*n:(u+1)*n]
			for v, x := range over {
				if to+x < row[v] {
					row[v], link[v] = to+x, link[k]
				}
			}
		}
	}
}

// use counts what words need from one node to another.
func (r *roads) use(things []thing, u, v int32, words float64) {
	count := func(x int32) {
		if x != none {
			things[x].used += words
		}
	}
	pass := func(i int32) {
		count(r.list[i].passes[0])
		count(r.list[i].passes[1])
	}
	n, last := int32(r.nodes), r.last[u*int32(r.nodes)+v]
	end := &r.list[last]
	pass(last)
	count(end.in)
	if end.from == u {
		count(end.out)
		return
	}
	begin := r.begin[u*n+end.from]
	pass(begin)
	count(r.list[begin].out)
	for at := r.list[begin].to; at != end.from; {
		i := r.first[at*n+end.from]
		pass(i)
		at = r.list[i].to
	}
}

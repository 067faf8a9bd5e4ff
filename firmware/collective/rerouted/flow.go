// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"slices"

	"meshwright/firmware/plan"
	"meshwright/internal/maxflow"
	"meshwright/router"
)

// Scatter sends the root's words in the least number of steps.
func Scatter(t *plan.Task) (*plan.Plan, error) {
	if err := requireSteps(t); err != nil {
		return nil, err
	}
	x := &search{least: leastScatter, find: scatter, most: maxRouted}
	x.cut = func(words int) (units []unit) {
		for n := range t.Lengths {
			units = pieces(units, int32(t.Root), int32(n), plan.Range{From: t.Offset[n], To: t.Offset[n+1]}, 0, words)
		}
		return units
	}
	s, err := x.best(t)
	if err != nil {
		return nil, err
	}
	return s.plan(func(n router.NodeID) plan.Block { return scattered(t, n) })
}

// scattered is the block of a node of a scatter.
func scattered(t *plan.Task, n router.NodeID) plan.Block {
	if n == t.Root {
		return plan.Block{Words: t.Words, Given: plan.Range{From: 0, To: t.TotalWords()}}
	}
	return plan.Block{Words: t.Block(n)}
}

// Gather is a scatter reversed in time.
func Gather(t *plan.Task) (*plan.Plan, error) {
	if err := requireSteps(t); err != nil {
		return nil, err
	}
	x := &search{find: gather, most: maxRouted}
	x.least = func(g *graph, units []unit) int { return leastScatter(g, turned(units)) }
	x.cut = func(words int) (units []unit) {
		for n, length := range t.Lengths {
			units = pieces(units, int32(n), int32(t.Root), plan.Range{From: 0, To: length}, t.Offset[n], words)
		}
		return units
	}
	s, err := x.best(t)
	if err != nil {
		return nil, err
	}
	return s.plan(func(n router.NodeID) plan.Block {
		if n == t.Root {
			return plan.Block{Words: t.Words}
		}
		return plan.Block{Words: t.Block(n), Given: plan.Range{From: 0, To: t.Lengths[n]}}
	})
}

// turned exchanges sources and destinations.
func turned(units []unit) []unit {
	back := slices.Clone(units)
	for i, u := range units {
		back[i].source, back[i].to = u.to, u.source
	}
	return back
}

// gather reverses the hops of a scatter in space and time.
func gather(g *graph, units []unit) []hop {
	hops := scatter(g, turned(units))
	last := int32(steps(hops) - 1)
	for i, h := range hops {
		hops[i].step, hops[i].arc = last-h.step, g.arc(g.to[h.arc], g.from[h.arc])
	}
	return hops
}

// leastScatter is a number of steps that a scatter takes at least: the units for nodes at distance k
// and more leave over the root's links, and the last one then has k-1 links to go.
func leastScatter(g *graph, units []unit) int {
	if len(units) == 0 {
		return 0
	}
	root, least, beyond := units[0].source, 0, 0
	count := make([]int, g.nodes)
	for _, u := range units {
		count[g.away[root][u.to]]++
	}
	for k := g.nodes - 1; k > 0; k-- {
		if beyond += count[k]; beyond > 0 {
			least = max(least, k-1+(beyond+len(g.out[root])-1)/len(g.out[root]))
		}
	}
	return least
}

// maxFlowWork bounds units times links times steps, beyond which the least number of steps is not looked for.
const maxFlowWork = 1 << 30

// scatter finds the least number of steps, and the hops, by a maximum flow.
func scatter(g *graph, units []unit) []hop {
	for most := leastScatter(g, units); len(units) > 0 && !g.ended(); {
		if len(units)*len(g.from)*most > maxFlowWork {
			return alongWays(g, units)
		}
		f := unroll(g, units, most)
		missing := len(units) - int(f.net.Send(f.start, f.sink, int64(len(units))))
		if missing == 0 {
			return f.hops(units)
		}
		// A step more brings no more units than the root has links.
		degree := len(g.out[units[0].source])
		most += (missing + degree - 1) / degree
	}
	return nil
}

// unrolled is the network unrolled in time: a node of each network node and time, a link from each time
// to the next, and arcs along which units wait.
type unrolled struct {
	*graph
	net         *maxflow.Network
	most        int
	start, sink int32
	link        [][]int32 // by step and arc: the number in net
	wait        [][]int32 // by step and node
	end         []int32   // by node: to the sink
}

func unroll(g *graph, units []unit, most int) *unrolled {
	f := &unrolled{graph: g, most: most, net: maxflow.New(g.nodes*(most+1)+1, (len(g.from)+g.nodes)*most+g.nodes)}
	f.start, f.sink = f.at(units[0].source, 0), int32(g.nodes*(most+1))
	demand := make([]int64, g.nodes)
	for _, u := range units {
		demand[u.to]++
	}
	for t := range most {
		links, waits := make([]int32, len(g.from)), make([]int32, g.nodes)
		for a := range g.from {
			links[a] = f.net.Arc(f.at(g.from[a], t), f.at(g.to[a], t+1), 1)
		}
		for n := range g.nodes { // the newest arcs are tried first: units wait rather than move
			waits[n] = f.net.Arc(f.at(int32(n), t), f.at(int32(n), t+1), maxflow.Unlimited)
		}
		f.link, f.wait = append(f.link, links), append(f.wait, waits)
	}
	for n := range g.nodes {
		f.end = append(f.end, f.net.Arc(f.at(int32(n), most), f.sink, demand[n]))
	}
	return f
}

// at is the node of a network node and a time.
func (f *unrolled) at(n int32, time int) int32 { return int32(time*f.nodes) + n }

// hops takes the flow apart into routes, one for each unit.
func (f *unrolled) hops(units []unit) []hop {
	waiting := make([][]int32, f.nodes) // by destination: units
	for i, u := range units {
		waiting[u.to] = append(waiting[u.to], int32(i))
	}
	used := map[int32]int64{} // by arc: flow that has been taken away
	take := func(arc int32) bool {
		if used[arc] == f.net.Flow(arc) {
			return false
		}
		used[arc]++
		return true
	}
	var hops []hop
	for range units {
		at, first := units[0].source, len(hops)
		for t := range f.most {
			moved := false
			for _, a := range f.out[at] {
				if take(f.link[t][a]) {
					hops = append(hops, hop{int32(t), 0, a})
					at, moved = f.to[a], true
					break
				}
			}
			if !moved {
				take(f.wait[t][at])
			}
		}
		u := waiting[at][0]
		waiting[at] = waiting[at][1:]
		for i := range hops[first:] {
			hops[first+i].unit = u
		}
	}
	return hops
}

// SPDX-License-Identifier: Apache-2.0

package msccl

// level gives every act the least step that keeps all edges. If there is none
// it returns the acts that lie on circles in which a step would have to come
// behind itself.
func (b *lister) level() []bool {
	g := newGraph(len(b.acts), b.edges)
	component, count := g.components()
	circles := make([]bool, count)
	bad := false
	for _, e := range b.edges {
		if component[e.from] == component[e.to] && e.steps > 0 {
			circles[component[e.from]], bad = true, true
		}
	}
	if bad {
		on := make([]bool, len(b.acts))
		for i, c := range component {
			on[i] = circles[c]
		}
		return on
	}
	// Components are numbered against the edges: the last ones come first.
	members := make([][]int32, count)
	for i, c := range component {
		members[c] = append(members[c], int32(i))
	}
	steps := make([]int, count)
	for c := count - 1; c >= 0; c-- {
		for _, i := range members[c] {
			b.acts[i].step = steps[c]
			for _, e := range g.out(i) {
				to := component[e.to]
				steps[to] = max(steps[to], steps[c]+e.steps)
			}
		}
	}
	return nil
}

// graph is edges by where they begin.
type graph struct {
	first []int32 // of node i: edges[first[i]:first[i+1]]
	edges []edge
}

func newGraph(nodes int, edges []edge) *graph {
	g := &graph{first: make([]int32, nodes+1), edges: make([]edge, len(edges))}
	for _, e := range edges {
		g.first[e.from+1]++
	}
	for i := range nodes {
		g.first[i+1] += g.first[i]
	}
	free := append([]int32(nil), g.first[:nodes]...)
	for _, e := range edges {
		g.edges[free[e.from]] = e
		free[e.from]++
	}
	return g
}

func (g *graph) out(i int32) []edge { return g.edges[g.first[i]:g.first[i+1]] }

// components finds the strongly connected components. An edge leads to the same
// component or to one of a lower number.
func (g *graph) components() (of []int32, count int) {
	nodes := len(g.first) - 1
	d := &descent{
		graph: g, of: make([]int32, nodes), index: make([]int32, nodes), low: make([]int32, nodes),
		at: append([]int32(nil), g.first[:nodes]...), open: make([]bool, nodes),
	}
	for root := range int32(nodes) {
		if d.index[root] == 0 {
			d.from(root)
		}
	}
	return d.of, d.count
}

// descent is a search for components, depth first, without recursion (Tarjan).
type descent struct {
	*graph
	of, low []int32
	index   []int32 // in the order of meeting, from 1; 0: not met
	at      []int32 // next edge to follow
	stack   []int32 // nodes met that are in no component yet
	open    []bool  // by node: on the stack
	met     int32
	count   int
}

// from goes down from a node that has not been met.
func (d *descent) from(root int32) {
	path := []int32{root}
	for len(path) > 0 {
		i := path[len(path)-1]
		if d.index[i] == 0 {
			d.meet(i)
		}
		if to, ok := d.follow(i); ok {
			if d.index[to] == 0 {
				path = append(path, to)
			} else if d.open[to] {
				d.low[i] = min(d.low[i], d.index[to])
			}
			continue
		}
		path = path[:len(path)-1]
		if len(path) > 0 {
			parent := path[len(path)-1]
			d.low[parent] = min(d.low[parent], d.low[i])
		}
		if d.low[i] == d.index[i] {
			d.close(i)
		}
	}
}

func (d *descent) meet(i int32) {
	d.met++
	d.index[i], d.low[i], d.open[i] = d.met, d.met, true
	d.stack = append(d.stack, i)
}

// follow returns where the next edge of a node leads, false behind the last.
func (d *descent) follow(i int32) (to int32, ok bool) {
	if d.at[i] == d.first[i+1] {
		return 0, false
	}
	to = d.edges[d.at[i]].to
	d.at[i]++
	return to, true
}

// close makes a component of the nodes that were met from node i on.
func (d *descent) close(i int32) {
	for top := int32(-1); top != i; {
		last := len(d.stack) - 1
		top, d.stack = d.stack[last], d.stack[:last]
		d.open[top], d.of[top] = false, int32(d.count)
	}
	d.count++
}

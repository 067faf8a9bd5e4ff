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

// components finds the strongly connected components (Tarjan), without
// recursion. An edge leads to the same component or to one of a lower number.
func (g *graph) components() (of []int32, count int) {
	nodes := len(g.first) - 1
	of = make([]int32, nodes)
	index, low := make([]int32, nodes), make([]int32, nodes) // from 1, 0: not met
	at := append([]int32(nil), g.first[:nodes]...)           // next edge to follow
	onStack := make([]bool, nodes)
	var stack, path []int32
	met := int32(0)
	for root := range int32(nodes) {
		if index[root] > 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			i := path[len(path)-1]
			if index[i] == 0 {
				met++
				index[i], low[i], onStack[i] = met, met, true
				stack = append(stack, i)
			}
			if at[i] < g.first[i+1] {
				to := g.edges[at[i]].to
				at[i]++
				switch {
				case index[to] == 0:
					path = append(path, to)
				case onStack[to]:
					low[i] = min(low[i], index[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1]
				low[parent] = min(low[parent], low[i])
			}
			if low[i] < index[i] {
				continue
			}
			for {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				onStack[top], of[top] = false, int32(count)
				if top == i {
					break
				}
			}
			count++
		}
	}
	return of, count
}

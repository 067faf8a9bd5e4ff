// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Name is the name of the algorithms.
const Name = "tree-search"

const (
	// workOf times the pairs of nodes is how many messages a search books: some tenths of a second for 64 nodes.
	workOf = 192
	// mostParts bounds the pieces.
	mostParts = 64
)

// Vector broadcasts a vector, or sums up vectors for a root or for all nodes.
func Vector(t *plan.Task) (*plan.Plan, error) {
	if t.Kind.Name == plan.Allreduce {
		t.Root = t.Centre()
	}
	n, err := newNetwork(t)
	if err != nil {
		return nil, err
	}
	best, err := n.fastest()
	if err != nil {
		return nil, err
	}
	p, err := t.VectorPlan(n.list(best))
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(best.form.parts), Unit: plan.Counted})
	t.PredictBooked(p, best.made.cycles)
	if !p.Predicted.Exact { // heads that wait for claims may be faster than planned for
		p.Predicted.Least = min(best.made.cycles, p.LowerBound)
	}
	return p, nil
}

// fastest is the best form that is found from the two fastest of the known trees.
func (n *network) fastest() (*found, error) {
	trees, err := n.known()
	if err != nil {
		return nil, err
	}
	list, err := n.starts(trees)
	if err != nil {
		return nil, err
	}
	var others sync.WaitGroup
	list = list[:2]
	for i, from := range list {
		others.Go(func() { list[i] = n.anneal(from, n.Seed+uint64(i)) })
	}
	others.Wait()
	if list[1].made.cycles < list[0].made.cycles {
		return list[1], n.Ctx.Err()
	}
	return list[0], n.Ctx.Err()
}

// known lists at least two trees with which the search begins: spanning trees, and trees of messages that pass nodes.
func (n *network) known() ([]*sendtree.Tree, error) {
	first, err := n.SpanningTree()
	n.RoutingTree = nil // messages take the machine's own routes
	if err != nil {
		return nil, err
	}
	words := func(int) int { return n.words }
	if n.Kind.Name == plan.Scatter {
		blocks := max(1, n.nodes-1)
		words = func(nodes int) int { return max(1, (n.words*nodes+blocks-1)/blocks) }
	}
	list := []*sendtree.Tree{}
	for _, s := range []*topology.SpanningTree{first, sendtree.DepthFirst(n.Topology, n.Root)} {
		ordered, err := sendtree.Ordered(n.Topology, n.Machine, s, words)
		if err != nil {
			return nil, err
		}
		list = append(list, ordered, sendtree.Spanning(n.Topology, n.Machine, s, n.words))
	}
	if n.Topology.IsGrid() {
		list = append(list, sendtree.Doubling(n.Topology, n.Machine, n.Root, words))
	}
	return list, nil
}

// starts lists the forms with which the search begins, by tree, each with the best number of pieces; those that no schedule has are left out.
func (n *network) starts(trees []*sendtree.Tree) ([]*found, error) {
	var list []*found
	for _, t := range trees {
		var best *found
		limit := never
		for parts := 1; parts <= n.most; parts = max(parts+1, parts*3/2) {
			f := formOf(t, parts)
			if made := n.schedule(f, limit); made != nil {
				best, limit = &found{f, made}, made.cycles
			}
			if err := n.Ctx.Err(); err != nil {
				return nil, err
			}
		}
		list = append(list, best)
	}
	slices.SortStableFunc(list, func(a, b *found) int { return int(a.made.cycles - b.made.cycles) })
	return list, nil
}

// found is a form and its schedule.
type found struct {
	form *form
	made *schedule
}

// cost is what annealing makes small: the time, and a little of the time in which the nodes are done on the average.
func (f *found) cost() float64 { return float64(f.made.cycles) + f.made.mean/4 }

// anneal changes a form at random. Changes that make it slower are accepted as long as it is hot. The result is the fastest form.
func (n *network) anneal(from *found, seed uint64) *found {
	at, best := from, from
	random := rand.New(rand.NewPCG(seed, 0x7265e5))
	start, most := at.cost()/150, workOf*n.nodes*n.nodes
	for work := 0; work < most && best.made.cycles > n.LowerBound() && n.Ctx.Err() == nil; {
		work += 16
		f := n.changed(at, random)
		if f == nil {
			continue
		}
		heat := start * (1 - float64(work)/float64(most))
		allowed := at.cost() - heat*math.Log(1-random.Float64())
		work += f.parts * n.nodes
		made := n.schedule(f, router.Cycle(allowed)+1)
		if next := (&found{f, made}); made != nil && next.cost() <= allowed {
			at = next
			if made.cycles < best.made.cycles {
				best = next
			}
		}
	}
	return best
}

// changed is a form with a random change; nil if there is none.
func (n *network) changed(at *found, random *rand.Rand) *form {
	f := at.form
	if n.most > 1 && random.IntN(8) == 0 {
		g := *f
		g.parts = max(1, min(f.parts*(6+random.IntN(19))/12+random.IntN(3)-1, n.most))
		return &g
	}
	v := f.above(at.made.last, random)
	if random.IntN(2) == 0 || v == none {
		v = int32(random.IntN(n.nodes))
	}
	parent := f.parent[v]
	if parent == none {
		return nil
	}
	if random.IntN(7) == 0 {
		return f.moved(v, parent, random.IntN(len(f.children[parent])))
	}
	near := n.near[v]
	if random.IntN(2) == 0 {
		near = near[:min(6, len(near))]
	}
	parent = near[random.IntN(len(near))]
	if f.below(parent, v) {
		return nil
	}
	return f.moved(v, parent, random.IntN(len(f.children[parent])+1))
}

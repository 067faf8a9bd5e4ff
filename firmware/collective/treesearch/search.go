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

// fastest is the best form that is found from the two fastest of the known trees, from two copies of the first, and from the fastest of several trees.
func (n *network) fastest() (*found, error) {
	trees, err := n.known()
	if err != nil {
		return nil, err
	}
	list, err := n.starts(trees)
	if err != nil {
		return nil, err
	}
	list = list[:2]
	if n.Kind.Name != plan.Scatter {
		other, err := n.fastestOfSeveral(list[0])
		if err != nil {
			return nil, err
		}
		once := list[0]
		if other != nil {
			list = append(list, other)
			if len(other.form.trees) == 1 && other.made.cycles < once.made.cycles {
				once = other
			}
		}
		if twice := n.twice(once); twice != nil {
			list = append(list, twice)
		}
	}
	var others sync.WaitGroup
	for i, from := range list {
		others.Go(func() { list[i] = n.anneal(from, n.Seed+uint64(i)) })
	}
	others.Wait()
	best := list[0]
	for _, other := range list[1:] {
		if other.made.cycles < best.made.cycles {
			best = other
		}
	}
	return best, n.Ctx.Err()
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
	timer := newTimer(n)
	for _, t := range trees {
		var best *found
		limit := never
		for parts := 1; parts <= n.most; parts = max(parts+1, parts*3/2) {
			f := &form{[]*tree{treeOf(t)}, parts}
			if made := timer.schedule(f, limit); made != nil {
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

// twice is a form whose pieces go along two trees in turn, which are equal at first; nil if there is one piece at most.
func (n *network) twice(x *found) *found {
	t := x.form.trees[0]
	f := &form{trees: []*tree{t, t}, parts: max(2, x.form.parts)}
	if f.parts > n.most {
		return nil
	}
	return &found{f, newTimer(n).schedule(f, never)}
}

// cost is what annealing makes small: the time, and a little of the time in which the nodes are done on the average.
func (f *found) cost() float64 { return float64(f.made.cycles) + f.made.mean/4 }

// anneal changes a form at random. Changes that make it slower are accepted as long as it is hot. The result is the fastest form.
func (n *network) anneal(from *found, seed uint64) *found {
	at, best, timer := from, from, newTimer(n)
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
		made := timer.schedule(f, router.Cycle(allowed)+1)
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
	i := f.of(at.made.last.piece)
	v := f.trees[i].above(at.made.last.to, random)
	if random.IntN(2) == 0 || v == none {
		if v = int32(random.IntN(n.nodes)); len(f.trees) > 1 {
			i = random.IntN(len(f.trees))
		}
	}
	if t := n.changedTree(f.trees[i], v, random); t != nil {
		return f.with(i, t)
	}
	return nil
}

// changedTree is a tree in which a node has another place; nil if it has none.
func (n *network) changedTree(t *tree, v int32, random *rand.Rand) *tree {
	parent := t.parent[v]
	if parent == none {
		return nil
	}
	if random.IntN(7) == 0 {
		return t.moved(v, parent, random.IntN(len(t.children[parent])))
	}
	near := n.near[v]
	if random.IntN(2) == 0 {
		near = near[:min(6, len(near))]
	}
	parent = near[random.IntN(len(near))]
	if t.below(parent, v) {
		return nil
	}
	return t.moved(v, parent, random.IntN(len(t.children[parent])+1))
}

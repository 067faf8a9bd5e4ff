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
		p.Predicted.Least = min(best.made.cycles, p.LowerBound())
	}
	p.Stopped = t.Search.Err() != nil && best.made.cycles > t.LowerBound()
	return p, nil
}

// fastest is the best form that is found from some starts.
func (n *network) fastest() (*found, error) {
	list, err := n.ends()
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// ends lists the forms that are found from some starts, the fastest first.
func (n *network) ends() ([]*found, error) {
	list, err := n.begin()
	if err != nil {
		return nil, err
	}
	work := n.work
	switch n.Kind.Name {
	case plan.Broadcast, plan.Reduce:
		list = append(list, n.repeating(list)...)
	case plan.Allreduce:
		list, work = promising(list), 2*work
	}
	var others sync.WaitGroup
	for i, from := range list {
		others.Go(func() {
			list[i] = n.anneal(from, n.Seed+uint64(i), work)
			if list[i].form.periodic {
				list[i] = newTimer(n).repeated(list[i])
			}
		})
	}
	others.Wait()
	slices.SortStableFunc(list, func(a, b *found) int { return int(a.made.cycles - b.made.cycles) })
	return list, n.Ctx.Err()
}

// promising lists two starts: of the fastest ones those that take an eighth more time than the fastest at most, or one of them twice.
func promising(list []*found) []*found {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *found) int { return int(a.made.cycles - b.made.cycles) })
	second := list[min(1, len(list)-1)]
	if second.made.cycles > list[0].made.cycles*9/8 {
		second = list[0]
	}
	return []*found{list[0], second}
}

// begin lists the forms with which the search begins: the fastest of the known trees, the fastest leap, and the fastest of other trees; the second known tree and two copies of the first, or, for
// an allreduce, a reduction and a broadcast that were found by searches of their own.
func (n *network) begin() ([]*found, error) {
	trees, err := n.known()
	if err != nil {
		return nil, err
	}
	list, err := n.starts(trees)
	if err != nil {
		return nil, err
	}
	if list = list[:2]; n.Kind.Name == plan.Scatter {
		return list, nil
	}
	leaps, others := n.several()
	leap, err := n.fastestOf(leaps, list[0])
	if err != nil {
		return nil, err
	}
	other, err := n.fastestOf(others, list[0])
	if err != nil {
		return nil, err
	}
	more := []*found{leap, n.twice(list[0]), other}
	if n.Kind.Name == plan.Allreduce {
		both, err := n.halves()
		if err != nil {
			return nil, err
		}
		list, more = list[:1], []*found{leap, other, both}
	}
	for _, x := range more {
		if x != nil {
			list = append(list, x)
		}
	}
	return list, nil
}

// mostHalves is how many reductions, and how many broadcasts, are put together with one another.
const mostHalves = 4

// halves looks for reductions and broadcasts, and puts them together: those that are fastest together, with as many pieces as are fastest. When the search of the task ends, it keeps the best so far.
func (n *network) halves() (best *found, err error) {
	var ends [2][]*found
	for i, name := range []string{plan.Reduce, plan.Broadcast} {
		own, half := *n.Task, *n
		if own.Kind, err = plan.KindOf(name); err != nil {
			return nil, err
		}
		half.Task, half.work = &own, n.work/2
		if ends[i], err = half.ends(); err != nil {
			return nil, err
		}
		ends[i] = ends[i][:min(len(ends[i]), mostHalves)]
	}
	timer, limit := newTimer(n), never
	for _, in := range ends[0] {
		for _, out := range ends[1] {
			a, b := in.form.parts, out.form.parts
			for _, k := range []int{a, b, (a + b) / 2, max(a, b) * 3 / 2} {
				if best != nil && n.Search.Err() != nil {
					return best, nil
				}
				f := form{trees: out.form.trees, sums: in.form.trees, parts: max(1, min(k, n.most))}
				if x := timer.faster(f, limit); x != nil {
					best, limit = x, x.made.cycles
				}
			}
		}
	}
	return best, nil
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
	if n.Kind.Name == plan.Scatter && n.IndependentLinks() {
		for _, by := range sendtree.Sharings() {
			branched, err := sendtree.Branched(n.Topology, n.Machine, n.Root, by, words)
			if err != nil {
				return nil, err
			}
			list = append(list, branched)
		}
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
			if x := timer.faster(form{trees: []*tree{treeOf(t)}, parts: parts}, limit); x != nil {
				best, limit = x, x.made.cycles
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
func (n *network) anneal(from *found, seed uint64, most int) *found {
	at, best, timer, work := from, from, newTimer(n), 0
	random := rand.New(rand.NewPCG(seed, 0x7265e5))
	start := at.cost() / 150
	for work < most && best.made.cycles > n.LowerBound() && n.Search.Err() == nil {
		work += 16
		f := n.changed(at, random)
		if f == nil {
			continue
		}
		heat := start * (1 - float64(work)/float64(most))
		allowed := at.cost() - heat*math.Log(1-random.Float64())
		if work += f.parts * n.nodes; f.periodic {
			work += (int(f.lanes()) - f.parts) * n.nodes
		}
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
	g, last := *f, at.made.last
	if f.periodic && random.IntN(8) == 0 {
		g.slack = max(0, min(f.slack+random.IntN(5)-2, slacks))
		return &g
	}
	if n.Kind.Name == plan.Allreduce && random.IntN(32) == 0 {
		g.joint = !g.joint
		return &g
	}
	changed := &g.trees
	if n.Kind.Name == plan.Allreduce && random.IntN(3) > 0 { // sums may go their own way
		g.sums = f.up()
		if random.IntN(2) == 0 {
			changed, last = &g.sums, at.made.first
		}
	}
	list := *changed
	i := of(last.piece, list)
	v := list[i].above(last.to, random)
	if random.IntN(2) == 0 || v == none {
		if v = int32(random.IntN(n.nodes)); len(list) > 1 {
			i = random.IntN(len(list))
		}
	}
	t := n.changedTree(list[i], v, random)
	if t == nil {
		return nil
	}
	*changed = with(list, i, t)
	return &g
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

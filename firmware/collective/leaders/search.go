// SPDX-License-Identifier: Apache-2.0

package leaders

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Name is the name of the algorithm.
const Name = "multi-leader"

const (
	// workOf times the third power of the nodes is how many links and channels a search looks at, within bounds.
	workOf    = 256
	leastWork = 1 << 19
	mostWork  = 3 << 23
	// tried is how many of the first schedules are changed, and kept how many of these for longer.
	tried, kept = 8, 2
)

// heats are the parts of the time by which a schedule may become slower at the start, for one search after the other.
var heats = [...]float64{1. / 400, 1. / 100}

// Plan plans an allreduce.
func Plan(t *plan.Task) (*plan.Plan, error) {
	t.Root = t.Centre()
	n, err := newNetwork(t)
	if err != nil {
		return nil, err
	}
	best, err := n.fastest()
	if err != nil {
		return nil, err
	}
	n.RoutingTree = nil
	return n.plan(best)
}

// plan is the plan of a schedule.
func (n *network) plan(s *schedule) (*plan.Plan, error) {
	p, err := n.VectorPlan(n.list(s))
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(len(s.forms)), Unit: plan.Counted},
		plan.Fact{Key: "leaders", Name: "leaders", Value: router.Cycle(s.leaders()), Unit: plan.Counted})
	n.PredictBooked(p, s.cycles)
	p.Stopped = n.Search.Err() != nil && s.cycles > n.LowerBound()
	return p, n.Ctx.Err()
}

// effort is how many links and channels a search looks at.
func (n *network) effort() int {
	return n.Spend(min(max(leastWork, workOf*n.nodes*n.nodes*n.nodes), mostWork))
}

// Improve returns a plan that is faster than a known one; nil if none is found, or if the known plan's sums are not nested, or its time is not exact.
func Improve(t *plan.Task, known *plan.Plan) (*plan.Plan, error) {
	limit := known.Predicted.Least
	if known.List == nil || !known.List.Timed || !known.Predicted.Exact || known.TimeOnly || limit <= known.LowerBound() {
		return nil, nil
	}
	own := *t
	own.Root, own.RoutingTree = known.Root, nil
	n, err := newNetwork(&own)
	if err != nil {
		return nil, err
	}
	d, ok := n.read(known.List)
	if !ok {
		return nil, nil
	}
	from := newTimer(n).run(d, never)
	if from == nil {
		return nil, nil
	}
	best := n.anneal(from, 0, n.effort())
	if best.cycles >= limit {
		return nil, n.Ctx.Err()
	}
	return n.plan(best)
}

// leaders is the most leaders of a piece.
func (s *schedule) leaders() (most int) {
	for _, f := range s.forms {
		most = max(most, len(f.clusters[f.root].knowers))
	}
	return most
}

// list turns a schedule into transfers.
func (n *network) list(s *schedule) *transfer.List {
	l := &transfer.List{Nodes: n.nodes, Timed: true, Transfers: make([]transfer.Transfer, len(s.messages))}
	for i, m := range s.messages {
		x := transfer.Transfer{From: router.NodeID(m.from), To: router.NodeID(m.to), Start: m.handed, Due: m.whole}
		x.Out = transfer.Set{s.words(m.piece)}
		if !m.put {
			x.Op = transfer.Add
		}
		l.Transfers[i] = x
	}
	l.InSteps()
	return l
}

// fastest searches from several schedules.
func (n *network) fastest() (*schedule, error) {
	if n.total == 0 || n.nodes == 1 {
		return &schedule{}, nil
	}
	list, err := n.starts()
	if err != nil {
		return nil, err
	}
	work := n.effort()
	list = n.annealAll(list[:min(tried, len(list))], work/2/tried)
	list = n.annealAll(list[:min(kept, len(list))], work/2/kept)
	return list[0], n.Ctx.Err()
}

// annealAll searches from each of some schedules, and sorts what it finds.
func (n *network) annealAll(list []*schedule, work int) []*schedule {
	var others sync.WaitGroup
	for i, from := range list {
		others.Go(func() { list[i] = n.anneal(from, i, work) })
	}
	others.Wait()
	sortSchedules(list)
	return list
}

func sortSchedules(list []*schedule) {
	slices.SortStableFunc(list, func(a, b *schedule) int { return cmp.Compare(a.cost(), b.cost()) })
}

// starts lists the schedules with which the search begins, the fastest first.
func (n *network) starts() (list []*schedule, err error) {
	t := newTimer(n)
	try := func(forms []*form, limit router.Cycle) *schedule {
		made := t.run(n.even(forms), limit)
		if made != nil {
			list = append(list, made)
		}
		return made
	}
	least := never
	for _, x := range n.nests() {
		if made := try(n.nestForms(&x), 2*least); made != nil {
			least = min(least, made.cycles)
		}
	}
	trees, err := n.trees(n.Root)
	if err != nil {
		return nil, err
	}
	for _, tree := range trees {
		best := never
		for parts := 1; parts <= min(mostPieces, n.total); parts = max(parts+1, parts*3/2) {
			if made := try(n.treeForms(tree, parts), best); made != nil {
				best = made.cycles
			}
		}
	}
	sortSchedules(list)
	return list, n.Ctx.Err()
}

// anneal changes forms at random, in one of several searches. Changes that make them slower are accepted as long as it is hot. The result is the fastest schedule.
func (n *network) anneal(from *schedule, search, most int) *schedule {
	t, random := newTimer(n), rand.New(rand.NewPCG(n.Seed+uint64(search), 0x6c656164))
	at, best := from, from
	start := at.cost() * heats[search%len(heats)]
	for t.work < most && best.cycles > n.LowerBound() && n.Ctx.Err() == nil && n.Search.Err() == nil {
		t.work += 16
		d, ok := n.changed(at, random)
		if !ok {
			continue
		}
		left := 1 - float64(t.work)/float64(most)
		allowed := at.cost() - start*left*left*math.Log(1-random.Float64())
		if made := t.run(d, router.Cycle(allowed)+1); made != nil && made.cost() <= allowed {
			if at = made; at.cycles < best.cycles {
				best = at
			}
		}
	}
	return best
}

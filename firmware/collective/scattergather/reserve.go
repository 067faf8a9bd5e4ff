// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// SharedScatter sends over trees that have links in common. Every message
// takes the tree on which it arrives first, and leaves in the first cycle in
// which no link of its route is taken by one before it: list scheduling, the
// furthest first (Bhatt, Pucci, Ranade, Rosenberg propose such trees).
func SharedScatter(t *plan.Task) (*plan.Plan, error) {
	r, trees, err := reserve(t, plan.Scatter)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for _, b := range r.booked {
		pieces = append(pieces, piece{b.node, b.from, b.words, b.path, b.first})
	}
	p := scatterPieces(t, pieces)
	t.Predict(p, r.time())
	r.describe(p, trees, pieces)
	return p, nil
}

// SharedGather is SharedScatter reversed in time.
func SharedGather(t *plan.Task) (*plan.Plan, error) {
	r, trees, err := reserve(t, plan.Gather)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for _, b := range r.booked {
		pieces = append(pieces, piece{b.node, b.from, b.words, b.path, r.end - b.end})
	}
	p := gatherPieces(t, pieces)
	t.Predict(p, r.time())
	r.describe(p, trees, pieces)
	return p, nil
}

// request is a run of a block's words that wants a route and a time.
type request struct {
	node        router.NodeID
	from, words int
}

// booked is a request with its route and time.
type booked struct {
	request
	path       []router.NodeID
	first, end router.Cycle // its first flit stands at the root, its last one arrives (as a time)
}

// reservations are the cycles in which links are taken, counted from the
// first in which a flit can stand at the root.
type reservations struct {
	timing.Model
	task   *plan.Task
	gather bool
	links  []booking.Calendar // by link port
	base   []int32            // by node: its first port
	uses   []booking.Use
	booked []booked
	end    router.Cycle
}

// reserve books all messages, in the order that takes the least time, whole or
// the long ones in portions.
func reserve(t *plan.Task, collective string) (*reservations, []*topology.SpanningTree, error) {
	if err := t.RequireMultiport(collective + " " + plan.SharedEdges); err != nil {
		return nil, nil, err
	}
	trees, err := candidates(t)
	if err != nil {
		return nil, nil, err
	}
	var best *reservations
	for _, most := range portions(t) {
		for _, order := range requests(t, most) {
			r, err := bookAll(t, collective, order, trees)
			if err != nil {
				return nil, nil, err
			}
			if best == nil || r.end < best.end {
				best = r
			}
		}
	}
	return best, trees, nil
}

// bookAll books messages in an order. Its error is the context's.
func bookAll(t *plan.Task, collective string, order []request, trees []*topology.SpanningTree) (*reservations, error) {
	phase := progress.Begin(t.Ctx, "find routes for messages", len(order))
	defer phase.End()
	r := newReservations(t, collective)
	for _, q := range order {
		if err := phase.Step(); err != nil {
			return nil, err
		}
		r.book(q, trees)
	}
	return r, nil
}

// time returns the delivery of the last flit.
func (r *reservations) time() router.Cycle {
	if len(r.booked) == 0 {
		return 0
	}
	return r.end + router.Cycle(r.task.Machine.Startup)
}

func newReservations(t *plan.Task, collective string) *reservations {
	r := &reservations{task: t, Model: t.Timing(), gather: collective == plan.Gather, base: make([]int32, t.Topology.Nodes()+1)}
	for n := range t.Topology.Nodes() {
		r.base[n+1] = r.base[n] + int32(t.Topology.Ports(router.NodeID(n)))
	}
	r.links = make([]booking.Calendar, r.base[t.Topology.Nodes()])
	return r
}

// book gives a message the route on which it is there first.
func (r *reservations) book(q request, trees []*topology.SpanningTree) {
	var best booked
	for _, s := range trees {
		if s.Depth[q.node] < 0 || best.path != nil && r.soonest(q, int(s.Depth[q.node])) >= best.end {
			continue
		}
		path := pathTo(s, q.node)
		first := booking.Earliest(r.usesOf(q, path), 0)
		if end := first + r.soonest(q, len(path)-1); best.path == nil || end < best.end {
			best = booked{q, path, first, end}
		}
	}
	booking.Reserve(r.usesOf(q, best.path), best.first)
	r.booked = append(r.booked, best)
	r.end = max(r.end, best.end)
}

// soonest returns the time of a message that leaves at once.
func (r *reservations) soonest(q request, links int) router.Cycle { return r.Transfer(links, q.words) }

// usesOf lists the links of a message along a path. They are valid until the next call.
func (r *reservations) usesOf(q request, path []router.NodeID) []booking.Use {
	r.uses = r.uses[:0]
	for i, p := range ports(r.task, path) {
		link := &r.links[r.base[path[i]]+int32(p)]
		r.uses = append(r.uses, booking.Use{Calendar: link, At: router.Cycle(i) * r.Hop, Long: r.need(q, i, len(path)-1)})
	}
	return r.uses
}

// need returns the cycles in which a message takes link i of its route: its work, and on
// the link of a channel that sends several messages the channel's rest.
func (r *reservations) need(q request, i, links int) router.Cycle {
	behind := i == 0
	if r.gather {
		behind = i == links-1 && q.words < r.task.Lengths[q.node]
	}
	if behind {
		return r.Hold(q.words)
	}
	return r.Work(q.words)
}

// describe enters the facts about the trees in a plan.
func (r *reservations) describe(p *plan.Plan, trees []*topology.SpanningTree, pieces []piece) {
	like := &sharing{}
	if !r.gather {
		like.rest = r.Rest()
	}
	depth := 0
	for _, b := range r.booked {
		depth = max(depth, len(b.path)-1)
	}
	p.Trees, p.SplitBlocks = len(trees), splitBlocks(r.task, pieces)
	p.Facts = []plan.Fact{
		{Key: "trees", Name: "trees", Value: router.Cycle(p.Trees), Unit: plan.Counted},
		{Key: "tree_depth", Name: "longest route", Value: router.Cycle(depth), Unit: plan.Counted},
		{Key: "split_blocks", Name: "blocks in more than one piece", Value: router.Cycle(p.SplitBlocks), Unit: plan.Counted},
		{Key: "one_tree_cycles", Name: "on one breadth-first tree", Value: oneTree(r.task, like), Unit: plan.Cycles, Alike: true},
	}
}

// candidates returns the trees that messages can choose from: some on shortest
// paths, and, where flits never wait, one for each link of the root that
// begins with that link. A wormhole machine could deadlock on these: routes that
// always lead away from the root cannot wait in a circle, others can.
func candidates(t *plan.Task) ([]*topology.SpanningTree, error) {
	root := t.Root
	trees := []*topology.SpanningTree{topology.BreadthFirst(t.Topology, root), topology.BalancedBreadthFirst(t.Topology, root)}
	if t.Topology.IsGrid() {
		c, err := cover.DimensionOrders(t.Topology, root)
		if err != nil {
			return nil, err
		}
		trees = append(trees, c.Trees...)
	}
	if t.Topology.Star() != nil {
		c, err := cover.Named(t.Ctx, "star-paths", t.Topology, root, 0)
		if err != nil {
			return nil, err
		}
		trees = append(trees, c.Trees...)
	}
	if t.Bufferless() {
		for p := range router.Port(t.Topology.Ports(root)) {
			if len(trees) < maxCandidates && t.Topology.Neighbor(root, p) != router.None {
				trees = append(trees, throughLink(t.Topology, root, p))
			}
		}
	}
	trees = distinctTrees(trees)
	switch {
	case t.Trees > len(trees):
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", len(trees)), "%d trees for %s from node %d of %s", t.Trees, plan.SharedEdges, root, t.Topology)
	case t.Trees > 0:
		trees = trees[:t.Trees]
	}
	return trees, nil
}

// maxCandidates bounds the trees.
const maxCandidates = 16

// throughLink is the breadth-first tree whose root has one child, behind port p.
func throughLink(t *topology.Topology, root router.NodeID, p router.Port) *topology.SpanningTree {
	parent := slices.Repeat([]router.NodeID{router.None}, t.Nodes())
	queue := []router.NodeID{t.Neighbor(root, p)}
	parent[queue[0]] = root
	for i := 0; i < len(queue); i++ {
		for q := range router.Port(t.Ports(queue[i])) {
			if to := t.Neighbor(queue[i], q); to != router.None && to != root && parent[to] == router.None {
				parent[to] = queue[i]
				queue = append(queue, to)
			}
		}
	}
	return topology.NewSpanningTree(root, parent)
}

// distinctTrees drops trees that stand before.
func distinctTrees(trees []*topology.SpanningTree) []*topology.SpanningTree {
	var distinct []*topology.SpanningTree
	for _, s := range trees {
		if !slices.ContainsFunc(distinct, func(d *topology.SpanningTree) bool { return slices.Equal(d.Parent, s.Parent) }) {
			distinct = append(distinct, s)
		}
	}
	return distinct
}

// portions returns the limits to try for the words of one message: no limit, and, when some
// message is long, fractions of the words that each link of the root has to carry.
func portions(t *plan.Task) []int {
	whole := max(1, slices.Max(t.Lengths))
	portions := []int{whole}
	for _, parts := range []int{16, 64} {
		if part := 1 + t.TotalWords()/(parts*max(1, t.Topology.Degree(t.Root))); part < whole {
			portions = append(portions, part)
		}
	}
	return portions
}

// requests returns orders in which messages are booked: the furthest first,
// and that first which would be there last if all left at once.
func requests(t *plan.Task, most int) [][]request {
	depth := topology.BreadthFirst(t.Topology, t.Root).Depth
	var all []request
	for _, n := range t.Senders() {
		parts := (t.Lengths[n] + most - 1) / most
		for from, i := 0, 0; i < parts; i++ {
			words := (t.Lengths[n] - from) / (parts - i)
			all = append(all, request{n, from, words})
			from += words
		}
	}
	furthest, latest := slices.Clone(all), all
	hop, flit := t.Machine.Hop, t.Machine.Flit
	slices.SortStableFunc(furthest, func(a, b request) int {
		return cmp.Or(cmp.Compare(depth[b.node], depth[a.node]), cmp.Compare(b.words, a.words))
	})
	slices.SortStableFunc(latest, func(a, b request) int {
		return cmp.Compare(int(depth[b.node])*hop+b.words*flit, int(depth[a.node])*hop+a.words*flit)
	})
	return [][]request{furthest, latest}
}

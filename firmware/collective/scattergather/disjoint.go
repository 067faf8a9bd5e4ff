// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"cmp"
	"slices"

	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/plan"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// DisjointScatter shares the messages out over trees that have no link in
// common, and sends them down all at once, in each branch the furthest first
// (Bhatt, Pucci, Ranade, Rosenberg).
func DisjointScatter(t *plan.Task) (*plan.Plan, error) {
	s, c, err := disjoint(t, plan.Scatter)
	if err != nil {
		return nil, err
	}
	pieces, time := s.dispatch(c)
	p := scatterPieces(t, pieces)
	t.Predict(p, time)
	s.describe(p, c)
	return p, nil
}

// DisjointGather is the same for messages to the root, in each branch the
// nearest first, so that they come one right behind the other.
func DisjointGather(t *plan.Task) (*plan.Plan, error) {
	s, c, err := disjoint(t, plan.Gather)
	if err != nil {
		return nil, err
	}
	pieces, time := s.arrive(c)
	p := gatherPieces(t, pieces)
	t.Predict(p, time)
	s.describe(p, c)
	return p, nil
}

// disjoint shares the messages out over the cover that the job names, or over the cover that
// takes the least time.
func disjoint(t *plan.Task, collective string) (*sharing, *cover.Cover, error) {
	if err := t.RequireMultiport(collective + " " + plan.EdgeDisjoint); err != nil {
		return nil, nil, err
	}
	floor := bound.UncombinedScatter(t.Topology, t.Machine, t.Root, t.Lengths)
	if collective == plan.Gather {
		floor = bound.Gather(t.Topology, t.Machine, t.Root, t.Lengths).Cycles
	}
	chosen, err := cover.Limited(t.Ctx, t.Search, t.Cover, t.Topology, t.Root, t.Trees)
	if err != nil {
		return nil, nil, err
	}
	best := newSharing(t, chosen, collective)
	best.share(floor)
	stopped := chosen.Stopped
	for _, name := range otherCovers(t, chosen.Name) {
		if best.span() == floor {
			break
		}
		if stopped = stopped || t.Search.Err() != nil; stopped {
			break
		}
		c, err := cover.Limited(t.Ctx, t.Search, name, t.Topology, t.Root, t.Trees)
		if err != nil { // not on this topology, or not so many trees
			continue
		}
		stopped = stopped || c.Stopped
		s := newSharing(t, c, collective)
		if s.share(floor); s.span() < best.span() {
			best, chosen = s, c
		}
	}
	best.stopped = stopped && best.span() > floor
	return best, chosen, nil
}

// otherCovers names the covers that are tried besides the first cover, which suits the
// topology. There are none when the job names its own.
func otherCovers(t *plan.Task, first string) []string {
	if t.Cover != "" || t.Topology.Nodes() > plan.MaxTried || t.Topology.Kind == topology.Tree {
		return nil
	}
	return slices.DeleteFunc(cover.Names(), func(name string) bool { return name == first })
}

// dispatch schedules the pieces of a scatter; time is the end of the last piece.
func (s *sharing) dispatch(c *cover.Cover) (pieces []piece, time router.Cycle) {
	nic := timing.NewInterface(&s.task.Machine, len(s.branches))
	pieces, branch := s.pieces(c)
	for i := range pieces {
		start, last := nic.Hand(branch[i], 0, pieces[i].words)
		pieces[i].start = start
		time = max(time, nic.WholeAfter(last, len(pieces[i].path)-1)+1)
	}
	return pieces, time
}

// arrive schedules the pieces of a gather; time is the end of the last piece.
func (s *sharing) arrive(c *cover.Cover) (pieces []piece, time router.Cycle) {
	busy := make([]router.Cycle, len(s.branches)) // first cycle in which the root can take another flit
	pieces, branch := s.pieces(c)
	for i, p := range slices.Backward(pieces) {
		way := router.Cycle(len(p.path)-1) * s.hop
		first := max(s.lead+way, busy[branch[i]])
		busy[branch[i]] = first + s.header + router.Cycle(p.words)*s.flit
		pieces[i].start = first - way - s.lead
		time = max(time, busy[branch[i]])
	}
	return pieces, time
}

// pieces lists all pieces, with the branches they take: the furthest first.
func (s *sharing) pieces(c *cover.Cover) (pieces []piece, branch []int) {
	type placed struct {
		piece
		branch int
	}
	var list []placed
	for n, ways := range s.ways {
		from := 0
		for i, w := range ways {
			if words := s.parts[n][i]; words > 0 {
				path := pathTo(c.Trees[w.tree], router.NodeID(n))
				list = append(list, placed{piece{router.NodeID(n), from, words, path, 0}, w.branch})
				from += words
			}
		}
	}
	slices.SortStableFunc(list, func(a, b placed) int {
		return cmp.Or(cmp.Compare(len(b.path), len(a.path)), cmp.Compare(b.node, a.node))
	})
	for _, p := range list {
		pieces, branch = append(pieces, p.piece), append(branch, p.branch)
	}
	return pieces, branch
}

// pathTo returns the nodes on the way from the root to a node.
func pathTo(s *topology.SpanningTree, n router.NodeID) []router.NodeID {
	path := make([]router.NodeID, s.Depth[n]+1)
	for i := range slices.Backward(path) {
		path[i], n = n, s.Parent[n]
	}
	return path
}

// describe enters the facts about the trees in a plan.
func (s *sharing) describe(p *plan.Plan, c *cover.Cover) {
	pieces, _ := s.pieces(c)
	p.Stopped = s.stopped
	p.Trees, p.SplitBlocks = len(c.Trees), splitBlocks(s.task, pieces)
	p.Facts = []plan.Fact{
		{Key: "trees", Name: "trees", Value: router.Cycle(p.Trees), Unit: plan.Counted},
		{Key: "branches", Name: "links of the root in use", Value: s.used(), Unit: plan.Counted},
		{Key: "tree_depth", Name: "depth of the trees", Value: router.Cycle(c.Depth()), Unit: plan.Counted},
		{Key: "split_blocks", Name: "blocks in more than one piece", Value: router.Cycle(p.SplitBlocks), Unit: plan.Counted},
		{Key: "one_tree_cycles", Name: "on one breadth-first tree", Value: oneTree(s.task, s), Unit: plan.Cycles, Alike: true},
	}
}

// used counts the branches with work.
func (s *sharing) used() router.Cycle {
	used := router.Cycle(0)
	for b := range s.branches {
		if s.time(b) > s.lead-s.rest {
			used++
		}
	}
	return used
}

// oneTree returns the time on one breadth-first tree, all ports at work.
func oneTree(t *plan.Task, like *sharing) router.Cycle {
	one := newSharing(t, &cover.Cover{Trees: []*topology.SpanningTree{topology.BreadthFirst(t.Topology, t.Root)}}, plan.Scatter)
	one.rest = like.rest
	one.shareWhole()
	return one.span()
}

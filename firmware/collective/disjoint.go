// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/router"
	"meshwright/schedule/bound"
)

const edgeDisjoint = "edge-disjoint"

// disjointScatter shares the messages out over trees that have no link in
// common, and sends them down all at once, in each branch the furthest first
// (Bhatt, Pucci, Ranade, Rosenberg).
func disjointScatter(t *task) (*Plan, error) {
	s, c, err := t.disjoint(scatter)
	if err != nil {
		return nil, err
	}
	pieces, time := s.dispatch(c)
	p := t.scatterPieces(pieces)
	t.foretell(p, time)
	p.Facts = s.facts(c)
	return p, nil
}

// disjointGather is the same for messages to the root, in each branch the
// nearest first, so that they come one right behind the other.
func disjointGather(t *task) (*Plan, error) {
	s, c, err := t.disjoint(gather)
	if err != nil {
		return nil, err
	}
	pieces, time := s.arrive(c)
	p := t.gatherPieces(pieces)
	t.foretell(p, time)
	p.Facts = s.facts(c)
	return p, nil
}

// disjoint shares the messages out over the cover that the job names, or over
// the one that takes the least time.
func (t *task) disjoint(collective string) (*sharing, *cover.Cover, error) {
	if err := t.requireMultiport(collective + " " + edgeDisjoint); err != nil {
		return nil, nil, err
	}
	least := bound.UncombinedScatter
	if collective == gather {
		least = bound.Gather
	}
	floor := least(t.Topology, t.Machine, t.Root, t.Lengths)
	chosen, err := cover.Named(t.ctx, t.Cover, t.Topology, t.Root, t.Trees)
	if err != nil {
		return nil, nil, err
	}
	best := t.newSharing(chosen, collective)
	best.share(floor)
	for _, name := range t.otherCovers(chosen.Name) {
		if best.span() == floor {
			break
		}
		c, err := cover.Named(t.ctx, name, t.Topology, t.Root, t.Trees)
		if err != nil { // not on this topology, or not so many trees
			continue
		}
		s := t.newSharing(c, collective)
		if s.share(floor); s.span() < best.span() {
			best, chosen = s, c
		}
	}
	return best, chosen, nil
}

// maxTried bounds the nodes of a network on which several covers are tried.
const maxTried = 4096

// otherCovers names the covers that are tried besides the one that suits the
// topology: none when the job names its own.
func (t *task) otherCovers(first string) []string {
	if t.Cover != "" || t.Topology.Nodes() > maxTried || t.Topology.Kind == topology.Tree {
		return nil
	}
	return slices.DeleteFunc(cover.Names(), func(name string) bool { return name == first })
}

// dispatch schedules the pieces of a scatter; the time is that of the last one.
func (s *sharing) dispatch(c *cover.Cover) (pieces []piece, time router.Cycle) {
	times := s.task.newInjector(len(s.branches))
	pieces, branch := s.pieces(c)
	for i := range pieces {
		start, last := times.hand(branch[i], 0, router.Cycle(pieces[i].words))
		pieces[i].start = start
		time = max(time, last+router.Cycle(len(pieces[i].path)-1)*s.hop+s.flit)
	}
	return pieces, time
}

// arrive schedules the pieces of a gather; the time is that of the last one.
func (s *sharing) arrive(c *cover.Cover) (pieces []piece, time router.Cycle) {
	busy := make([]router.Cycle, len(s.branches)) // first cycle in which the root can take another flit
	pieces, branch := s.pieces(c)
	for i, p := range slices.Backward(pieces) {
		way := router.Cycle(len(p.path)-1) * s.hop
		first := max(s.lead+way, busy[branch[i]])
		busy[branch[i]] = first + router.Cycle(p.words)*s.flit
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

func (s *sharing) facts(c *cover.Cover) []Fact {
	pieces, _ := s.pieces(c)
	return []Fact{
		{"trees", "trees", router.Cycle(len(c.Trees)), Counted},
		{"branches", "links of the root in use", s.used(), Counted},
		{"tree_depth", "depth of the trees", router.Cycle(c.Depth()), Counted},
		{"split_blocks", "blocks in more than one piece", s.task.splitBlocks(pieces), Counted},
		{"one_tree_cycles", "on one breadth-first tree", s.task.oneTree(s), Cycles},
	}
}

// used counts the branches with work.
func (s *sharing) used() router.Cycle {
	used := router.Cycle(0)
	for b := range s.branches {
		if s.time(b) > s.lead-s.gap {
			used++
		}
	}
	return used
}

// oneTree returns the time on one breadth-first tree, all ports at work.
func (t *task) oneTree(like *sharing) router.Cycle {
	one := t.newSharing(&cover.Cover{Trees: []*topology.SpanningTree{topology.BreadthFirst(t.Topology, t.Root)}}, scatter)
	one.gap = like.gap
	one.shareWhole()
	return one.span()
}

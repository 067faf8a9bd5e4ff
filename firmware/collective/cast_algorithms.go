// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/cast"
	"meshwright/internal/input"
	"meshwright/router"
)

// castTrees lists the spanning trees that a broadcast chooses from: the job's
// only, or the default one, and where a node serves one child after the other
// those in which that takes less.
func (t *task) castTrees() ([]*topology.SpanningTree, error) {
	first, err := t.tree()
	t.told = nil // messages go to neighbours: all routes are the same
	if err != nil || t.Tree != "" || t.perLink() || t.Topology.Nodes() > maxTried {
		return []*topology.SpanningTree{first}, err
	}
	trees := []*topology.SpanningTree{first, cast.DepthFirst(t.Topology, t.Root)}
	for _, k := range treeKinds() {
		if k.name != "dimension-order" {
			trees = append(trees, k.grow(t.ctx, t.Topology, t.Root))
		}
	}
	return trees, t.ctx.Err()
}

// treeCasting sends the whole message along the tree that is done first.
func treeCasting(t *task) ([]*casting, error) {
	trees, err := t.castTrees()
	if err != nil {
		return nil, err
	}
	var best *cast.Tree
	least, words := router.Cycle(0), t.castWords()
	for _, s := range trees {
		tree := cast.Spanning(t.Topology, t.Machine, s, words)
		if time := tree.Cycles(t.Machine, func(router.NodeID) int { return words }); best == nil || time < least {
			best, least = tree, time
		}
	}
	l, err := t.listOf(best, best, 1)
	return []*casting{{list: l, facts: t.castFacts(best, best)}}, err
}

// maxParts bounds the messages of a broadcast whose parts the job demands.
const maxParts = 1 << 24

// pipelinedCasting sends it in parts.
func pipelinedCasting(t *task) ([]*casting, error) {
	trees, err := t.castTrees()
	if err != nil {
		return nil, err
	}
	if err := t.checkParts(); err != nil {
		return nil, err
	}
	var best *cast.Tree
	least, words, parts := router.Cycle(0), t.castWords(), 0
	for _, s := range trees {
		tree := cast.Spanning(t.Topology, t.Machine, s, words)
		k := max(1, t.Parts)
		time := tree.Pipelined(t.Machine, words, k)
		if t.Parts == 0 {
			k, time = tree.BestParts(t.Machine, words)
		}
		if best == nil || time < least {
			best, least, parts = tree, time, k
		}
	}
	facts := append([]Fact{{"parts", "parts", router.Cycle(parts), Counted}}, t.castFacts(best, best)...)
	l, err := t.listOf(best, best, parts)
	return []*casting{{list: l, facts: facts}}, err
}

// checkParts refuses more parts than there are words, or room for.
func (t *task) checkParts() error {
	words := t.castWords()
	if most := max(1, min(words, maxParts/t.Topology.Nodes())); t.Parts > most {
		return input.Errorf(fmt.Sprintf("expected 1 to %d", most), "%d parts of %s on %s", t.Parts, input.Count(words, "flit"), t.Topology)
	}
	return nil
}

// doublingCasting sends it in messages that pass nodes: on grids along the
// axes, with one channel or elsewhere also along a walk through the network.
func doublingCasting(t *task) ([]*casting, error) {
	words := t.castWords()
	same := func(int) int { return words }
	outs, err := t.doublings(same, t.kind.Name != reduce, cast.Doubling, cast.Ordered)
	if err != nil {
		return nil, err
	}
	ins, err := t.doublings(same, t.kind.Name != broadcast, cast.Joining, cast.OrderedJoining)
	if err != nil {
		return nil, err
	}
	var list []*casting
	for i, out := range outs {
		for _, in := range ins {
			alone := i == 0 && t.alongAxes() && t.kind.Name == broadcast
			l, err := t.listOf(out, in, 1)
			if err != nil {
				return nil, err
			}
			list = append(list, &casting{l, t.castFacts(out, in), !alone})
		}
	}
	return list, nil
}

// alongAxes reports whether messages that pass nodes can go along a grid's axes.
func (t *task) alongAxes() bool { return t.Topology.IsGrid() && t.Tree == "" }

// doublings grows the trees of messages that pass nodes: along the axes if
// there are any, and along a walk; of those that are not used just the first.
func (t *task) doublings(words func(int) int, used bool,
	axes func(*topology.Topology, machine.Machine, router.NodeID, func(int) int) *cast.Tree,
	walk func(*topology.Topology, machine.Machine, *topology.SpanningTree, func(int) int) (*cast.Tree, error),
) ([]*cast.Tree, error) {
	var trees []*cast.Tree
	if t.alongAxes() {
		trees = append(trees, axes(t.Topology, t.Machine, t.Root, words))
		if !used {
			return trees, nil
		}
	}
	s, err := t.tree()
	if t.told = nil; err != nil {
		return nil, err
	}
	tree, err := walk(t.Topology, t.Machine, s, words)
	return append(trees, tree), err
}

// castFacts counts the startups that follow one another, on the way out along
// one tree and in along another: in, a node is not kept waiting by those of
// the messages that it takes, only by its own.
func (t *task) castFacts(out, in *cast.Tree) []Fact {
	startups := 0
	if t.kind.Name != reduce {
		startups += out.Startups(t.Machine)
	}
	if t.kind.Name == reduce || t.kind.Name == allreduce {
		startups += in.MaxDepth()
	}
	return []Fact{{"startups", "startups in a row", router.Cycle(startups), Counted}}
}

// disjointCasting shares the words out over spanning trees without a common
// link: those of the job, or those that are done first.
func disjointCasting(t *task) ([]*casting, error) {
	if err := t.requireMultiport(t.kind.Name + " " + edgeDisjoint); err != nil {
		return nil, err
	}
	if err := t.checkParts(); err != nil {
		return nil, err
	}
	covers, err := t.spanningCovers()
	if err != nil {
		return nil, err
	}
	var best *cast.Shared
	words := t.castWords()
	for _, c := range covers {
		trees := cast.Trees(c, func(i int) *cast.Tree { return cast.Spanning(t.Topology, t.Machine, c.Trees[i], words) })
		s := cast.BestShare(t.Machine, trees, words)
		if t.Parts > 0 {
			s = cast.Share(trees, words, t.Parts)
		}
		if best == nil || s.Cycles(t.Machine) < best.Cycles(t.Machine) {
			best = s
		}
	}
	parts, depth := 0, 0
	for i, k := range best.Parts {
		parts, depth = parts+k, max(depth, best.Depth[i])
	}
	if err := t.needParts(parts); err != nil {
		return nil, err
	}
	list := best.Broadcast()
	switch t.kind.Name {
	case reduce:
		list = best.Reduce()
	case allreduce:
		list = cast.Then(best.Reduce(), list)
	}
	return []*casting{{list: list, facts: []Fact{
		{"trees", "trees", router.Cycle(len(best.Trees)), Counted},
		{"parts", "parts", router.Cycle(parts), Counted},
		{"tree_depth", "depth of the trees", router.Cycle(depth), Counted},
	}}}, nil
}

// spanningCovers makes the covers of spanning trees that a broadcast chooses from.
func (t *task) spanningCovers() ([]*cover.Cover, error) {
	names := []string{t.Cover}
	if t.Cover == "" {
		names = []string{"breadth-first", "torus-pair", "rotated-binomials"}
		if t.Topology.Nodes() <= maxTried {
			names = append(names, "arborescences")
		}
	}
	var covers []*cover.Cover
	var failed error
	for _, name := range names {
		c, err := cover.Named(t.ctx, name, t.Topology, t.Root, t.Trees)
		switch {
		case err != nil:
			failed = err
		case c.Spanning():
			covers = append(covers, c)
		default:
			failed = input.Errorf("expected torus-pair, rotated-binomials or arborescences", "the trees of cover %s reach every node only together: %s needs all of them to", c.Name, t.kind.Name)
		}
	}
	if t.ctx.Err() != nil || len(covers) == 0 {
		return nil, failed
	}
	return covers, nil
}

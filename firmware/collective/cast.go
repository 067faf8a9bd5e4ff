// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/bound"
	"meshwright/firmware/cast"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// The algorithms that broadcast, reduce and allreduce share.
const (
	wholeTree = "tree"
	pipelined = "pipelined"
	doubling  = "doubling"
	fastest   = "auto"
)

// casting is a broadcast, reduce or allreduce that has been planned.
type casting struct {
	name  string
	list  *transfer.List
	facts []Fact
	meets bool // messages may want the same link: it needs a timetable
}

// castBy plans by the algorithm of that name, in its variant that is done first.
func castBy(name string) func(*task) (*Plan, error) {
	return func(t *task) (*Plan, error) {
		if t.kind.Name != broadcast {
			if err := t.summable(); err != nil {
				return nil, err
			}
		}
		if t.kind.Name == allreduce {
			t.Root = t.centre()
		}
		var list []*casting
		for _, plan := range t.castings(name) {
			more, err := plan(t)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		best, time, err := t.first(list)
		if err != nil {
			return nil, err
		}
		p, err := t.castPlan(best.list)
		if err != nil {
			return nil, err
		}
		p.Algorithm, p.Facts = best.name, append(best.facts, t.foretold(time)...)
		return p, nil
	}
}

// castings are the generators of that name.
func (t *task) castings(name string) []func(*task) ([]*casting, error) {
	named := map[string]func(*task) ([]*casting, error){
		wholeTree: treeCasting, pipelined: pipelinedCasting, doubling: doublingCasting, edgeDisjoint: disjointCasting, scatterGossip: gossipCasting,
	}
	if name != fastest {
		return []func(*task) ([]*casting, error){named[name]}
	}
	var list []func(*task) ([]*casting, error)
	if t.Parts == 0 {
		list = append(list, treeCasting)
	}
	list = append(list, pipelinedCasting)
	if t.Parts == 0 && t.Tree == "" {
		list = append(list, doublingCasting)
	}
	if t.Tree == "" && t.perLink() {
		list = append(list, disjointCasting)
	}
	if nodes := len(t.Lengths); t.Parts == 0 && t.alongAxes() && nodes > 1 && t.castWords() > 1 {
		list = append(list, gossipCasting)
	}
	return list
}

// first settles castings and returns the one that is done first, and when.
func (t *task) first(list []*casting) (best *casting, least router.Cycle, err error) {
	for _, c := range list {
		if c.meets && t.mayDeadlock() {
			continue
		}
		time, err := t.settle(c.list, c.meets)
		if err != nil {
			return nil, 0, err
		}
		if best == nil || time < least {
			best, least = c, time
		}
	}
	if best == nil {
		m := t.Machine
		return nil, 0, input.Errorf(fmt.Sprintf("expected buffer %d or more, for the full rate that a timetable needs, or on rings and tori vcs 2", m.Hop/m.Flit+1),
			"buffer %d and vcs %d: messages of %s could block one another for good", m.Buffer, m.VCs, t.kind.Name)
	}
	return best, least, nil
}

// mayDeadlock reports whether messages that meet could block one another for
// good: where routes can close a circle, and buffers are too small for the full
// rate, so that no timetable keeps the messages apart.
func (t *task) mayDeadlock() bool { return !t.fullRate() && !t.acyclic() }

// fullRate reports whether a worm moves a flit as fast as a link takes it.
func (t *task) fullRate() bool {
	return t.bufferless() || t.Machine.Buffer > t.Machine.Hop/t.Machine.Flit
}

// acyclic reports whether worms that block one another never do so in a circle.
func (t *task) acyclic() bool {
	if t.Topology.IsGrid() {
		return t.Machine.VCs > 1 || !machine.Dateline(t.Topology)
	}
	return t.Topology.Kind == topology.Tree
}

// castPlan turns a list into firmware.
func (t *task) castPlan(l *transfer.List) (p *Plan, err error) {
	switch t.kind.Name {
	case broadcast:
		words := t.block(t.Root)
		p, err = t.transferPlan(l, func(n router.NodeID) Block {
			if n == t.Root {
				return Block{Words: words, Given: Range{From: 0, To: len(words)}}
			}
			return Block{Words: words}
		})
		if err == nil {
			p.LowerBound = bound.Broadcast(t.Topology, t.Machine, t.Root, len(words))
		}
	case reduce:
		if p, err = t.sumPlan(l, func(n router.NodeID) bool { return n == t.Root }); err == nil {
			p.LowerBound = bound.Reduce(t.Topology, t.Machine, t.Root, t.castWords())
		}
	default:
		if p, err = t.sumPlan(l, func(router.NodeID) bool { return true }); err == nil {
			p.LowerBound = bound.AllReduce(t.Topology, t.Machine, t.castWords())
		}
	}
	return p, err
}

// castWords is the length of the vector that is broadcast or reduced.
func (t *task) castWords() int { return t.Lengths[t.Root] }

// listOf lists the transfers of a tree by which the words go out, or of one by
// which they come in, or both.
func (t *task) listOf(out, in *cast.Tree, parts int) *transfer.List {
	words := t.castWords()
	switch {
	case t.kind.Name == broadcast:
		return out.Broadcast(words, parts)
	case t.kind.Name == reduce:
		return in.Reduce(words, parts)
	case out == in:
		return out.AllReduce(words, parts)
	}
	return cast.Then(in.Reduce(words, parts), out.Broadcast(words, parts))
}

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
	return []*casting{{name: wholeTree, list: t.listOf(best, best, 1), facts: t.castFacts(best, best)}}, nil
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
		k := max(1, min(t.Parts, words))
		time := tree.Pipelined(t.Machine, words, k)
		if t.Parts == 0 {
			k, time = tree.BestParts(t.Machine, words)
		}
		if best == nil || time < least {
			best, least, parts = tree, time, k
		}
	}
	facts := append([]Fact{{"parts", "parts", router.Cycle(parts), Counted}}, t.castFacts(best, best)...)
	return []*casting{{name: pipelined, list: t.listOf(best, best, parts), facts: facts}}, nil
}

func (t *task) checkParts() error {
	if most := maxParts / t.Topology.Nodes(); t.Parts > most {
		return input.Errorf(fmt.Sprintf("expected at most %d on %s", most, t.Topology), "%d parts", t.Parts)
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
			list = append(list, &casting{doubling, t.listOf(out, in, 1), t.castFacts(out, in), !alone})
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
	return []Fact{{"startups", "startups one after the other", router.Cycle(startups), Counted}}
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
	list := best.Broadcast()
	switch t.kind.Name {
	case reduce:
		list = best.Reduce()
	case allreduce:
		list = cast.Then(best.Reduce(), list)
	}
	return []*casting{{name: edgeDisjoint, list: list, facts: []Fact{
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

// settle makes a list exact: where messages could want a channel, a port or a
// link at once it gets a timetable. It returns the time foretold.
func (t *task) settle(l *transfer.List, timetable bool) (router.Cycle, error) {
	if timetable || !t.perLink() || t.Machine.Duplex == machine.Half {
		if err := transfer.Timetable(t.Topology, t.Machine, l); err != nil {
			return 0, err
		}
	}
	timing, err := transfer.Foretell(t.Topology, t.Machine, l)
	if err != nil {
		return 0, err
	}
	return timing.Cycles, nil
}

// foretold is the fact that a plan's time is known: on machines whose buffers
// allow the full rate.
func (t *task) foretold(time router.Cycle) []Fact {
	if !t.fullRate() {
		return nil
	}
	return []Fact{{"predicted_cycles", "predicted", time, Cycles}}
}

// carried returns what is in the blocks when a list has been carried out on
// some: a PE's words, and all that came to it.
func carried(l *transfer.List, start [][]uint32) [][]uint32 {
	blocks := make([][]uint32, len(start))
	for n := range start {
		blocks[n] = slices.Clone(start[n])
	}
	order := make([]int32, len(l.Transfers))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return l.Transfers[i].Step - l.Transfers[j].Step })
	var words []uint32
	for from := 0; from < len(order); {
		to := from
		words = words[:0]
		for ; to < len(order) && l.Transfers[order[to]].Step == l.Transfers[order[from]].Step; to++ {
			x := &l.Transfers[order[to]]
			for _, r := range x.Out {
				words = append(words, blocks[x.From][r.From:r.To]...)
			}
		}
		sent := words
		for _, i := range order[from:to] {
			sent = storeWords(&l.Transfers[i], blocks, sent)
		}
		from = to
	}
	return blocks
}

// storeWords puts a transfer's words, the first of those sent, into its
// taker's block and returns the others.
func storeWords(x *transfer.Transfer, blocks [][]uint32, sent []uint32) []uint32 {
	for _, r := range x.Places() {
		to := blocks[x.To][r.From:r.To]
		if x.Op == transfer.Put {
			copy(to, sent)
		} else {
			for i := range to {
				to[i] += sent[i]
			}
		}
		sent = sent[len(to):]
	}
	return sent
}

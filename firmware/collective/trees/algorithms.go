// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// candidateTrees lists the spanning trees that a broadcast chooses from: the job's
// only, or the default one, and where a node serves one child after the other
// those in which that takes less.
func candidateTrees(t *plan.Task) ([]*topology.SpanningTree, error) {
	first, err := t.SpanningTree()
	t.RoutingTree = nil // messages go to neighbours: all routes are the same
	if err != nil || t.Tree != "" || t.IndependentLinks() || t.Topology.Nodes() > plan.MaxTried {
		return []*topology.SpanningTree{first}, err
	}
	trees := []*topology.SpanningTree{first, sendtree.DepthFirst(t.Topology, t.Root)}
	for _, k := range plan.TreeKinds() {
		if k.Name != "dimension-order" {
			trees = append(trees, k.Grow(t.Ctx, t.Topology, t.Root))
		}
	}
	return trees, t.Ctx.Err()
}

// wholeTreeDrafts sends the whole message along the fastest tree.
func wholeTreeDrafts(t *plan.Task) ([]*plan.Draft, error) {
	trees, err := candidateTrees(t)
	if err != nil {
		return nil, err
	}
	var best *sendtree.Tree
	least, words := router.Cycle(0), t.VectorWords()
	for _, s := range trees {
		tree := sendtree.Spanning(t.Topology, t.Machine, s, words)
		if time := tree.Cycles(t.Machine, func(router.NodeID) int { return words }); best == nil || time < least {
			best, least = tree, time
		}
	}
	l, err := listOf(t, best, best, 1)
	return []*plan.Draft{{List: l, Facts: startupFacts(t, best, best)}}, err
}

// maxParts bounds the messages of a broadcast whose parts the job demands.
const maxParts = 1 << 24

// pipelinedDrafts sends it in parts.
func pipelinedDrafts(t *plan.Task) ([]*plan.Draft, error) {
	trees, err := candidateTrees(t)
	if err != nil {
		return nil, err
	}
	if err := checkParts(t); err != nil {
		return nil, err
	}
	var best *sendtree.Tree
	least, words, parts := router.Cycle(0), t.VectorWords(), 0
	for _, s := range trees {
		tree := sendtree.Spanning(t.Topology, t.Machine, s, words)
		k := max(1, t.Parts)
		time := tree.Pipelined(t.Machine, words, k)
		if t.Parts == 0 {
			k, time = tree.BestParts(t.Machine, words)
		}
		if best == nil || time < least {
			best, least, parts = tree, time, k
		}
	}
	facts := append([]plan.Fact{{Key: "parts", Name: "parts", Value: router.Cycle(parts), Unit: plan.Counted}}, startupFacts(t, best, best)...)
	l, err := listOf(t, best, best, parts)
	return []*plan.Draft{{List: l, Facts: facts}}, err
}

// checkParts refuses more parts than there are words, or room for.
func checkParts(t *plan.Task) error {
	words := t.VectorWords()
	if most := max(1, min(words, maxParts/t.Topology.Nodes())); t.Parts > most {
		return input.Errorf(fmt.Sprintf("expected 1 to %d", most), "%d parts of %s on %s", t.Parts, input.Count(words, "flit"), t.Topology)
	}
	return nil
}

// doublingDrafts sends it in messages that pass nodes: on grids along the
// axes, with one channel or elsewhere also along a walk through the network.
func doublingDrafts(t *plan.Task) ([]*plan.Draft, error) {
	words := t.VectorWords()
	same := func(int) int { return words }
	outs, err := doublings(t, same, t.Kind.Name != plan.Reduce, sendtree.Doubling, sendtree.Ordered)
	if err != nil {
		return nil, err
	}
	ins, err := doublings(t, same, t.Kind.Name != plan.Broadcast, sendtree.Joining, sendtree.OrderedJoining)
	if err != nil {
		return nil, err
	}
	var list []*plan.Draft
	for i, out := range outs {
		for _, in := range ins {
			alone := i == 0 && alongAxes(t) && t.Kind.Name == plan.Broadcast
			l, err := listOf(t, out, in, 1)
			if err != nil {
				return nil, err
			}
			list = append(list, &plan.Draft{List: l, Facts: startupFacts(t, out, in), NeedsTimetable: !alone})
		}
	}
	return list, nil
}

// alongAxes reports whether messages that pass nodes can go along a grid's axes.
func alongAxes(t *plan.Task) bool { return t.Topology.IsGrid() && t.Tree == "" }

// doublings grows the trees of messages that pass nodes: along the axes if
// there are any, and along a walk; of those that are not used just the first.
func doublings(t *plan.Task, words func(int) int, used bool,
	axes func(*topology.Topology, machine.Machine, router.NodeID, func(int) int) *sendtree.Tree,
	walk func(*topology.Topology, machine.Machine, *topology.SpanningTree, func(int) int) (*sendtree.Tree, error),
) ([]*sendtree.Tree, error) {
	var trees []*sendtree.Tree
	if alongAxes(t) {
		trees = append(trees, axes(t.Topology, t.Machine, t.Root, words))
		if !used {
			return trees, nil
		}
	}
	s, err := t.SpanningTree()
	if t.RoutingTree = nil; err != nil {
		return nil, err
	}
	tree, err := walk(t.Topology, t.Machine, s, words)
	return append(trees, tree), err
}

// startupFacts counts the startups that follow one another, on the way out along one tree and
// in along another. On the way in, a node waits only for its own startup, not for the startups
// of the messages that it receives.
func startupFacts(t *plan.Task, out, in *sendtree.Tree) []plan.Fact {
	startups := 0
	if t.Kind.Name != plan.Reduce {
		startups += out.Startups(t.Machine)
	}
	if t.Kind.Name == plan.Reduce || t.Kind.Name == plan.Allreduce {
		startups += in.MaxDepth()
	}
	return []plan.Fact{plan.StartupsFact(startups)}
}

// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// Broadcast pipelines the messages over spanning trees without a common link. Each message takes as
// many of the trees as it has copies.
func Broadcast(t *plan.Task) (*plan.Plan, error) {
	if err := t.RequireSteps(t.Kind.Name + " " + Name); err != nil {
		return nil, err
	}
	if err := t.NeedWords(Name); err != nil {
		return nil, err
	}
	copies := max(1, t.Copies)
	covers, err := coversFor(t, copies)
	if err != nil {
		return nil, err
	}
	var best pipeline
	least := router.Cycle(-1)
	for _, c := range covers {
		p, time, err := fastest(t, c, copies)
		if err != nil {
			return nil, err
		}
		if least < 0 || time < least {
			best, least = p, time
		}
	}
	if err := t.NeedParts(copies * best.messages); err != nil {
		return nil, err
	}
	s := best.schedule(t)
	p, err := s.plan()
	if err != nil {
		return nil, err
	}
	p.Facts = append(best.facts(t, s), p.Facts...)
	return p, nil
}

// coversFor makes the covers with enough trees. Where there are trees in closed form, several copies
// take these: their paths to a node have no inner node in common.
func coversFor(t *plan.Task, copies int) ([]*cover.Cover, error) {
	covers, err := t.SpanningCovers()
	if err != nil {
		return nil, err
	}
	most := 0
	for _, c := range covers {
		most = max(most, len(c.Trees))
	}
	if copies > most {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d: each copy takes a tree of its own", most), "%d copies on %s", copies, t.Topology)
	}
	if copies > 1 {
		covers = closedForms(t, covers)
	}
	return slices.DeleteFunc(covers, func(c *cover.Cover) bool { return len(c.Trees) < copies }), nil
}

// closedForms keeps the covers in closed form, if there are any and the job leaves the choice.
func closedForms(t *plan.Task, covers []*cover.Cover) []*cover.Cover {
	if t.Cover != "" || cover.ClosedSpanning(t.Topology) == nil {
		return covers
	}
	return slices.DeleteFunc(covers, func(c *cover.Cover) bool { return c.Name != closedCover(t.Topology) })
}

// closedCover names the cover of the trees in closed form.
func closedCover(t *topology.Topology) string {
	if t.Star() != nil {
		return "star-trees"
	}
	return "rotated-binomials"
}

// pipeline is messages that follow one another over trees.
type pipeline struct {
	trees            []*topology.SpanningTree // shallow ones first
	messages, copies int
}

// maxMessages bounds the copies that all nodes get.
const maxMessages = 1 << 24

// fastest chooses the number of messages into which the words are split: the one that the job
// demands, or the best.
func fastest(t *plan.Task, c *cover.Cover, copies int) (pipeline, router.Cycle, error) {
	trees := slices.Clone(c.Trees)
	slices.SortStableFunc(trees, func(a, b *topology.SpanningTree) int { return cmp.Compare(a.MaxDepth(), b.MaxDepth()) })
	words := t.VectorWords()
	most := max(1, min(words, maxMessages/t.Topology.Nodes()/copies))
	if t.Parts > most {
		return pipeline{}, 0, input.Errorf(fmt.Sprintf("expected 1 to %d", most), "%d parts of %s on %s", t.Parts, input.Count(words, "flit"), t.Topology)
	}
	if words == 0 {
		return pipeline{trees, 0, copies}, 0, nil
	}
	var best pipeline
	least := router.Cycle(-1)
	try := func(messages int) {
		p := pipeline{trees, messages, copies}
		time := router.Cycle(p.steps()) * period(t, (words+messages-1)/messages+sums(t))
		if least < 0 || time < least {
			best, least = p, time
		}
	}
	if t.Parts > 0 {
		try(t.Parts)
		return best, least, nil
	}
	const tried = 4096 // sizes, and numbers of messages, that are looked at
	for k := 1; k <= min(words, tried); k++ {
		if messages := (words + k - 1) / k; messages <= most {
			try(messages)
		}
		if k <= most {
			try(k)
		}
	}
	return best, least, nil
}

// steps returns the number of steps: in T steps a tree of depth d passes on at most T-d+1
// messages, and at most one copy of each.
func (p pipeline) steps() int {
	low, high := 0, p.messages*p.copies+p.trees[len(p.trees)-1].MaxDepth()
	for low < high {
		middle := (low + high) / 2
		if p.capacity(middle) < p.messages*p.copies {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// capacity returns how many copies all trees together pass on in so many steps.
func (p pipeline) capacity(steps int) int {
	sum := 0
	for _, s := range p.trees {
		sum += p.room(s, steps)
	}
	return sum
}

// room returns how many copies a tree passes on in so many steps.
func (p pipeline) room(s *topology.SpanningTree, steps int) int {
	return min(p.messages, max(0, steps-s.MaxDepth()+1))
}

// queues lists the messages that each tree takes. The copies are dealt out tree by tree, one
// after another and around: as no tree takes more copies than there are messages, none takes a
// message twice.
func (p pipeline) queues() [][]int32 {
	queues := make([][]int32, len(p.trees))
	steps, left := p.steps(), p.messages*p.copies
	next := 0
	for i, s := range p.trees {
		for range min(left, p.room(s, steps)) {
			queues[i] = append(queues[i], int32(next%p.messages))
			next++
		}
		left = p.messages*p.copies - next
	}
	return queues
}

// schedule lists the hops. The k-th message of a tree enters its links at depth d in step
// k+d.
func (p pipeline) schedule(t *plan.Task) *schedule {
	words, length := t.Block(t.Root), t.VectorWords()
	s := &schedule{Task: t, copies: p.copies}
	for m := range p.messages {
		s.messages = append(s.messages, message{t.Root, plan.Range{From: m * length / p.messages, To: (m + 1) * length / p.messages}})
	}
	s.place = func(m int32, _ router.NodeID) (int, int, bool) {
		return s.messages[m].words.From, length + int(m), true
	}
	marked := s.withCounts(words, p.messages)
	s.block = func(n router.NodeID) plan.Block {
		if n == t.Root {
			return plan.Block{Words: words, Given: plan.Range{From: 0, To: length}}
		}
		return plan.Block{Words: marked, Counts: p.messages}
	}
	s.hops = make([]hop, 0, p.copies*p.messages*(t.Topology.Nodes()-1))
	for i, queue := range p.queues() {
		tree := p.trees[i]
		for k, m := range queue {
			for _, n := range tree.Order {
				if n != t.Root {
					s.hops = append(s.hops, hop{step: int32(k) + tree.Depth[n] - 1, message: m, copy: int32(i), from: tree.Parent[n], to: n})
				}
			}
		}
	}
	return s
}

// facts tells the steps, and the bound that they are to be held against.
func (p pipeline) facts(t *plan.Task, s *schedule) []plan.Fact {
	used, depth := 0, 0
	for i, queue := range p.queues() {
		if len(queue) > 0 {
			used, depth = used+1, max(depth, p.trees[i].MaxDepth())
		}
	}
	return append([]plan.Fact{
		{Key: "trees", Name: "trees", Value: router.Cycle(used), Unit: plan.Counted},
		{Key: "tree_depth", Name: "depth of the trees", Value: router.Cycle(depth), Unit: plan.Counted},
	}, stepFacts(s, profileOf(t).Broadcast(p.messages, p.copies))...)
}

// stepFacts are the facts of all collectives in steps.
func stepFacts(s *schedule, least bound.Steps) []plan.Fact {
	parts := "parts"
	if !s.Kind.Rooted {
		parts = "parts of all nodes"
	}
	facts := []plan.Fact{
		{Key: "copies", Name: "copies of each message", Value: router.Cycle(s.copies), Unit: plan.Counted},
		{Key: "parts", Name: parts, Value: router.Cycle(len(s.messages)), Unit: plan.Counted},
		{Key: "time_steps", Name: "steps", Value: router.Cycle(s.steps()), Unit: plan.Counted},
	}
	if least.Time > 0 {
		facts = append(facts, plan.Fact{Key: "least_steps", Name: "lower bound of the steps", Value: router.Cycle(least.Time), Unit: plan.Counted})
	}
	return facts
}

// profileOf counts the nodes by their distance from the root.
func profileOf(t *plan.Task) bound.Profile {
	switch topo := t.Topology; {
	case topo.Star() != nil:
		return bound.StarProfile(topo.Star().Symbols())
	case topo.Kind == topology.Hypercube:
		return bound.HypercubeProfile(len(topo.Dims))
	}
	tree := topology.BreadthFirst(t.Topology, t.Root)
	p := bound.Profile{Links: t.Topology.Degree(t.Root), At: make([]int, tree.MaxDepth()+1)}
	for _, d := range tree.Depth {
		p.At[d]++
	}
	return p
}

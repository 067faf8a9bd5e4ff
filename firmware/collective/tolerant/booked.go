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

// Gossip broadcasts the messages of all nodes at once, each over as many disjoint trees of its node as it
// has copies.
func Gossip(t *plan.Task) (*plan.Plan, error) { return booked(t, everyNode(t), gossipIn) }

// Scatter sends the root's messages along disjoint trees, those for the furthest nodes first.
func Scatter(t *plan.Task) (*plan.Plan, error) {
	return booked(t, []router.NodeID{t.Root}, scatterIn)
}

// Exchange sends a message from each node to each other along disjoint trees of the sender.
func Exchange(t *plan.Task) (*plan.Plan, error) { return booked(t, everyNode(t), exchangeIn) }

func everyNode(t *plan.Task) []router.NodeID {
	nodes := make([]router.NodeID, t.Topology.Nodes())
	for n := range nodes {
		nodes[n] = router.NodeID(n)
	}
	return nodes
}

// maxRoots bounds the nodes for which trees are searched.
const maxRoots = 1024

// booked plans a collective in which hops are booked: with the parts that the job demands, or with the fastest of several numbers.
func booked(t *plan.Task, roots []router.NodeID, in func(*builder, int)) (*plan.Plan, error) {
	if err := t.RequireSteps(t.Kind.Name + " " + Name); err != nil {
		return nil, err
	}
	if err := t.NeedWords(Name); err != nil {
		return nil, err
	}
	b := &builder{Task: t, roots: roots, copies: max(1, t.Copies), in: in}
	if len(roots) > maxRoots && !b.translates() && cover.ClosedSpanning(t.Topology) == nil {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d, or a hypercube or star graph, or equal blocks on a ring, torus or complete graph", maxRoots), "%s %s on %s: trees for %d nodes", t.Kind.Name, Name, t.Topology, len(roots))
	}
	longest := slices.Max(t.Lengths)
	if t.Parts > max(1, longest) {
		return nil, input.Errorf(fmt.Sprintf("expected 1 to %d", max(1, longest)), "%d parts of %s on %s", t.Parts, input.Count(longest, "flit"), t.Topology)
	}
	if err := b.grow(); err != nil {
		return nil, err
	}
	var best *schedule
	least, leastSteps := router.Cycle(-1), 0
	for _, parts := range b.partsToTry(max(1, longest)) {
		if err := b.needHops(parts); err != nil {
			if best != nil {
				break // fewer parts fit
			}
			return nil, err
		}
		s := b.schedule(parts)
		if time := router.Cycle(s.steps()) * period(t, s.largest()); least < 0 || time < least {
			best, least, leastSteps = s, time, b.leastSteps(s)
		}
	}
	p, err := best.plan()
	if err != nil {
		return nil, err
	}
	p.Facts = append(stepFacts(best, bound.Steps{Time: leastSteps}), p.Facts...)
	return p, nil
}

// mostBooked bounds the hops of all numbers of parts that are tried between the least and the most.
const mostBooked = 1 << 20

// partsToTry are the numbers of parts of a block of so many flits that are compared: that of the job; or whole blocks, parts of one flit, and
// between them steps of a half and a third, as far as these are few hops.
func (b *builder) partsToTry(longest int) []int {
	if b.Parts > 0 {
		return []int{b.Parts}
	}
	list, hops := []int{1}, b.copies*len(b.roots)*len(b.Lengths)
	for parts := 2; parts < longest; parts += max(1, parts/3) {
		if hops*parts > mostBooked {
			break
		}
		list = append(list, parts)
	}
	return slices.Compact(append(list, longest))
}

// needHops asks for the memory of the hops of blocks in so many parts.
func (b *builder) needHops(parts int) error {
	const (
		perHop   = 250 // bytes of a hop and the actions and slots that it becomes
		perKnown = 850 // the same, and of its run, where the number of hops is known
	)
	nodes := float64(len(b.Lengths))
	bytes := perHop * float64(b.copies*b.depth*len(b.roots)) * nodes
	switch {
	case b.translates():
		bytes = perKnown * float64(b.hopsOfEach()) * nodes
	case b.Kind.Name == plan.Gossip:
		bytes = perKnown * float64(b.copies) * nodes * nodes
	}
	return b.NeedBlocks(float64(parts) * bytes / (nodes * nodes))
}

// builder makes the schedule of a collective.
type builder struct {
	*plan.Task
	roots  []router.NodeID
	copies int
	in     func(b *builder, parts int) // adds the hops of all roots
	trees  [][]*topology.SpanningTree  // by place in roots: the trees, shallow ones first
	depth  int                         // of the deepest tree
	booking
	messages []message
	to       []router.NodeID // by message: its destination, None: every node
	at       []int           // by message: where it goes in the block of its destination
	load     map[router.NodeID]int
}

// grow makes the trees of all roots: the shallowest cover that has enough. Where schedules are
// translated the trees of node 0 suffice.
func (b *builder) grow() error {
	roots := b.roots
	if b.translates() {
		roots = roots[:1]
	}
	for _, root := range roots {
		own := *b.Task
		own.Root = root
		covers, err := coversFor(&own, b.copies)
		if err != nil {
			return err
		}
		if b.translates() {
			covers = closedForms(&own, covers)
		}
		best := covers[0]
		for _, c := range covers {
			if len(c.Trees) > len(best.Trees) || len(c.Trees) == len(best.Trees) && c.Depth() < best.Depth() {
				best = c
			}
		}
		b.trees = append(b.trees, best.Trees)
		b.depth = max(b.depth, best.Depth())
	}
	return nil
}

// schedule makes the schedule with blocks of so many parts.
func (b *builder) schedule(parts int) *schedule {
	b.booking, b.messages, b.to, b.at = booking{}, nil, nil, nil
	if b.translates() {
		b.translate(parts)
	} else {
		b.in(b, parts)
		b.bookLinks(b.Topology)
	}
	s := &schedule{Task: b.Task, messages: b.messages, to: b.to, copies: b.copies, hops: b.hops}
	to, at := b.to, b.at
	counts := make([]int, b.Topology.Nodes()) // by node: messages that end there
	index := make([]int, len(to))             // by message for one node: its place among them
	own := make([]int, b.Topology.Nodes())    // by node: its messages for all
	for m, n := range to {
		if n == router.None {
			own[s.messages[m].source]++
			continue
		}
		index[m] = counts[n]
		counts[n]++
	}
	first := make([]int, b.Topology.Nodes()) // by node: messages for all of the nodes before it
	for n := 1; n < len(first); n++ {
		first[n] = first[n-1] + own[n-1]
	}
	if b.Kind.Name == plan.Gossip {
		for n := range counts {
			counts[n] = len(to) - own[n]
		}
	}
	s.place = func(m int32, n router.NodeID) (int, int, bool) {
		words := b.words(n)
		switch {
		case to[m] == n:
			return at[m], words + index[m], true
		case to[m] != router.None:
			return 0, 0, false
		}
		place := int(m)
		if place >= first[n] {
			place -= own[n]
		}
		return at[m], words + place, true
	}
	s.block = func(n router.NodeID) plan.Block {
		whole := b.block(n)
		whole.Words = s.withCounts(whole.Words, counts[n])
		whole.Counts = counts[n]
		return whole
	}
	return s
}

// block returns the words of a node, without counts.
func (b *builder) block(n router.NodeID) plan.Block {
	switch {
	case b.Kind.Name == plan.Gossip:
		return b.GossipBlock(n)
	case b.Kind.Name == plan.Exchange:
		return b.ExchangeBlock(n)
	case n == b.Root:
		return plan.Block{Words: b.Words, Given: plan.Range{From: 0, To: b.TotalWords()}}
	}
	return plan.Block{Words: b.Block(n)}
}

// words returns the number of words of a node's block, without counts.
func (b *builder) words(n router.NodeID) int {
	switch {
	case b.Kind.Name == plan.Gossip || b.Kind.Name == plan.Scatter && n == b.Root:
		return b.TotalWords()
	case b.Kind.Name == plan.Exchange:
		return b.ExchangeWords(n)
	}
	return b.Lengths[n]
}

// cut adds the parts of words of a source's block, with the place of the first word in the block of their
// destination, and returns their numbers.
func (b *builder) cut(source, to router.NodeID, words plan.Range, at, parts int) []int32 {
	length := words.To - words.From
	parts = min(parts, length)
	var list []int32
	for k := range parts {
		from, end := k*length/parts, (k+1)*length/parts
		list = append(list, int32(len(b.messages)))
		b.messages = append(b.messages, message{source, plan.Range{From: words.From + from, To: words.From + end}})
		b.to, b.at = append(b.to, to), append(b.at, at+from)
	}
	return list
}

// own returns a node's words for another node, or for router.None: all nodes; and their place in the
// block of their destination.
func (b *builder) own(source, to router.NodeID) (words plan.Range, at int) {
	if to == router.None {
		from := b.Offset[source]
		return plan.Range{From: from, To: from + b.Lengths[source]}, from
	}
	return b.ExchangeOut(source, to), b.ExchangeIn(to, source).From
}

func gossipIn(b *builder, parts int) {
	for n, trees := range b.trees {
		words, at := b.own(router.NodeID(n), router.None)
		for k, m := range b.cut(router.NodeID(n), router.None, words, at, parts) {
			for c := range b.copies {
				tree := (n + k*b.copies + c) % len(trees)
				b.spread(trees[tree], m, int32(tree))
			}
		}
	}
}

func scatterIn(b *builder, parts int) {
	b.send(b.trees[0], parts, func(n router.NodeID) (plan.Range, int) {
		return plan.Range{From: b.Offset[n], To: b.Offset[n+1]}, 0
	})
}

func exchangeIn(b *builder, parts int) {
	for i, trees := range b.trees {
		b.send(trees, parts, func(n router.NodeID) (plan.Range, int) { return b.own(router.NodeID(i), n) })
	}
}

// send adds the messages of a root to all other nodes, the furthest first. Each copy takes the tree in
// which it would arrive first if the root's links were all that delays it.
func (b *builder) send(trees []*topology.SpanningTree, parts int, words func(router.NodeID) (plan.Range, int)) {
	root := trees[0].Root
	b.load = map[router.NodeID]int{}
	for _, n := range furthestFirst(b.Topology, root) {
		out, at := words(n)
		for _, m := range b.cut(root, n, out, at, parts) {
			for _, tree := range b.choose(trees, n) {
				b.load[pathTo(trees[tree], n)[0]]++
				b.follow(trees[tree], n, m, int32(tree))
			}
		}
	}
}

// furthestFirst lists all nodes but one, those furthest from it first.
func furthestFirst(t *topology.Topology, from router.NodeID) []router.NodeID {
	order := slices.Clone(topology.BreadthFirst(t, from).Order[1:])
	slices.Reverse(order)
	return order
}

// choose returns the trees for the copies of a message.
func (b *builder) choose(trees []*topology.SpanningTree, to router.NodeID) []int {
	order := make([]int, len(trees))
	for i := range order {
		order[i] = i
	}
	arrival := func(i int) int { return b.load[pathTo(trees[i], to)[0]] + int(trees[i].Depth[to]) }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(arrival(i), arrival(j)) })
	return order[:b.copies]
}

// leastSteps is a number of steps that no schedule of as many messages and copies beats: over each link of
// a node one copy comes, or leaves, in a step, and all links together carry every copy over the
// distance to its destination. Where all nodes are alike, package bound knows more.
func (b *builder) leastSteps(s *schedule) int {
	t := b.Topology
	in, out := make([]int, t.Nodes()), make([]int, t.Nodes())
	hops := 0
	var from *topology.SpanningTree
	for m, to := range b.to {
		source := s.messages[m].source
		if to == router.None {
			for n := range in {
				in[n] += s.copies
			}
			in[source] -= s.copies
			hops += s.copies * (t.Nodes() - 1)
			continue
		}
		in[to] += s.copies
		out[source] += s.copies
		if from == nil || from.Root != source {
			from = topology.BreadthFirst(t, source)
		}
		hops += s.copies * int(from.Depth[to])
	}
	links := max(1, len(t.Links()))
	least := (hops + links - 1) / links
	for n := range in {
		degree := t.Degree(router.NodeID(n))
		least = max(least, (max(in[n], out[n])+degree-1)/max(1, degree))
	}
	if b.translates() {
		least = max(least, b.leastOfEach(s))
	}
	return least
}

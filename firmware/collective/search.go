// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/packet"
	"meshwright/internal/input"
	"meshwright/router"
)

// searchScatter looks for the best order and packets of a scatter.
func searchScatter(t *task) (*Plan, error) {
	tree, err := t.tree()
	if err != nil {
		return nil, err
	}
	s, err := t.newSearch(tree)
	if err != nil {
		return nil, err
	}
	f, err := s.first()
	if err != nil {
		return nil, err
	}
	if err := t.take(f); err != nil {
		return nil, err
	}
	p, err := t.scatterChunks(f.chunks)
	if err != nil {
		return nil, err
	}
	p.Facts = s.facts("furthest", f.optimal && t.pause() == 0)
	return p, nil
}

// searchGather turns the best scatter around in time.
func searchGather(t *task) (*Plan, error) {
	tree, err := t.certTree()
	if err != nil {
		return nil, err
	}
	s, err := t.newSearch(tree.SpanningTree)
	if err != nil {
		return nil, err
	}
	f, err := s.first()
	if err != nil {
		return nil, err
	}
	if err := t.take(f); err != nil {
		return nil, err
	}
	slices.Reverse(f.chunks)
	p, end, err := t.gatherChunks(tree.SpanningTree, t.inSequence(f.chunks))
	if err != nil {
		return nil, err
	}
	proved := f.optimal && end <= f.ticks+router.Cycle(t.Machine.StartupTicks())
	p.Facts = append(s.facts("nearest", proved), p.Facts...)
	return p, nil
}

// mostSearched bounds the nodes for which auto searches.
const mostSearched = 256

// packetLeast is a time that no search beats.
func (t *task) packetLeast() router.Cycle { return t.bounds.uncombined }

// search looks for orders and packets in a tree.
type search struct {
	*task
	tree    *packet.Tree
	name    []router.NodeID // by node of tree
	lengths []int           // by node of tree
	byReach *packet.Plan    // furthest first, in the best of several packetisations
}

// found is what a search came to, in ticks of the machine.
type found struct {
	chunks  []chunk // in the order of a scatter
	parts   [][]int
	ticks   router.Cycle
	optimal bool
}

func (t *task) newSearch(tree *topology.SpanningTree) (*search, error) {
	if t.Packets != nil || t.Split != "" || t.Order != nil {
		return nil, input.Errorf("expected none: it chooses them", "packets or an order for search")
	}
	simulated, number, err := t.simulated(tree)
	if err != nil {
		return nil, err
	}
	s := &search{task: t, tree: simulated, name: make([]router.NodeID, len(number)), lengths: make([]int, len(number))}
	for n, k := range number {
		s.name[k], s.lengths[k] = router.NodeID(n), t.Lengths[n]
	}
	s.byReach, err = packet.FurthestFirstContext(t.ctx, simulated, s.lengths, t.beta())
	return s, err
}

// first finds the optimum when the messages are few and small, else a good
// schedule: what packet.Find comes to for the job's seed and steps.
func (s *search) first() (*found, error) {
	plan, err := packet.Find(s.ctx, s.tree, s.lengths, s.beta(), packet.Effort{Seed: s.Seed, Steps: s.Steps})
	if err != nil {
		return nil, err
	}
	return s.found(plan), nil
}

// found translates a plan.
func (s *search) found(plan *packet.Plan) *found {
	f := &found{ticks: router.Cycle(plan.Ticks) * s.unit(), parts: make([][]int, len(s.name)), optimal: plan.Optimal}
	for _, p := range plan.Packets() {
		n := s.name[p.Node]
		f.parts[n] = append(f.parts[n], p.Flits)
		f.chunks = append(f.chunks, chunk{node: n, words: p.Flits})
	}
	s.inSequence(f.chunks)
	return f
}

// take makes a schedule's packets the task's.
func (t *task) take(f *found) error {
	largest := 0
	t.parts = f.parts
	for _, p := range f.chunks {
		largest = max(largest, p.words)
	}
	return t.fitPackets(largest)
}

// inSequence gives every packet the next words of its message.
func (t *task) inSequence(list []chunk) []chunk {
	offset := append([]int(nil), t.offset...)
	for i := range list {
		p := &list[i]
		p.offset = offset[p.node]
		offset[p.node] += p.words
	}
	return list
}

// facts says whether the schedule is proved to be the fastest on its tree, and
// what the order by distance would take, see packet.FurthestFirst.
func (s *search) facts(order string, proved bool) []Fact {
	optimal, ticks := router.Cycle(0), router.Cycle(s.byReach.Ticks)*s.unit()
	if proved {
		optimal = 1
	}
	if s.count > 0 {
		ticks += router.Cycle(s.Machine.StartupTicks())
	}
	return []Fact{
		{"optimal", "proved optimal on its tree", optimal, Truth},
		{order + "_first", order + "-first, best split", ticks, Cycles},
	}
}

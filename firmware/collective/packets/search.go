// SPDX-License-Identifier: Apache-2.0

package packets

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/packet"
)

// SearchScatter looks for the best order and packets of a scatter.
func SearchScatter(t *plan.Task) (*plan.Plan, error) {
	tree, err := t.SpanningTree()
	if err != nil {
		return nil, err
	}
	s, err := newSearch(t, tree)
	if err != nil {
		return nil, err
	}
	f, err := s.first()
	if err != nil {
		return nil, err
	}
	if err := take(t, f); err != nil {
		return nil, err
	}
	p, err := scatterChunks(t, tree, f.chunks)
	if err != nil {
		return nil, err
	}
	p.Facts, p.Stopped = s.facts("furthest", f.optimal && t.Timing().Rest() == 0), f.stopped
	return p, nil
}

// SearchGather turns the best scatter around in time.
func SearchGather(t *plan.Task) (*plan.Plan, error) {
	tree, err := t.GatherTree()
	if err != nil {
		return nil, err
	}
	s, err := newSearch(t, tree.SpanningTree)
	if err != nil {
		return nil, err
	}
	f, err := s.first()
	if err != nil {
		return nil, err
	}
	if err := take(t, f); err != nil {
		return nil, err
	}
	slices.Reverse(f.chunks)
	p, end, err := gatherChunks(t, tree.SpanningTree, inSequence(t, f.chunks))
	if err != nil {
		return nil, err
	}
	proved := f.optimal && end <= f.ticks+router.Cycle(t.Machine.StartupTicks())
	p.Facts, p.Stopped = append(s.facts("nearest", proved), p.Facts...), f.stopped
	return p, nil
}

// MaxSearched bounds the nodes for which auto searches.
const MaxSearched = 256

// search looks for orders and packets in a tree.
type search struct {
	*plan.Task
	tree    *packet.Tree
	name    []router.NodeID // by node of tree
	lengths []int           // by node of tree
	byReach *packet.Plan    // furthest first, in the best of several packetisations
}

// found is the result of a search, in ticks of the machine.
type found struct {
	chunks  []chunk // in the order of a scatter
	parts   [][]int
	ticks   router.Cycle
	optimal bool
	stopped bool // the limit of the job ended the search
}

func newSearch(t *plan.Task, tree *topology.SpanningTree) (*search, error) {
	if t.Packets != nil || t.Split != "" {
		return nil, input.Errorf("expected none: it chooses them", "packets for search")
	}
	simulated, number, err := simulated(t, tree)
	if err != nil {
		return nil, err
	}
	s := &search{Task: t, tree: simulated, name: make([]router.NodeID, len(number)), lengths: make([]int, len(number))}
	for n, k := range number {
		s.name[k], s.lengths[k] = router.NodeID(n), t.Lengths[n]
	}
	s.byReach, err = packet.FurthestFirstContext(t.Ctx, simulated, s.lengths, t.Beta())
	return s, err
}

// first finds the optimum when the messages are few and small, else a good
// schedule: what packet.Find comes to for the job's seed and steps.
func (s *search) first() (*found, error) {
	plan, err := packet.Find(s.Search, s.tree, s.lengths, s.Beta(), packet.Effort{Seed: s.Seed, Steps: s.Steps, Work: s.Spend(packet.UsualWork)})
	if err != nil {
		return nil, err
	}
	f := s.found(plan)
	f.stopped = !f.optimal && s.Search.Err() != nil
	return f, nil
}

// found translates a plan.
func (s *search) found(plan *packet.Plan) *found {
	f := &found{ticks: router.Cycle(plan.Ticks) * unit(s.Task), parts: make([][]int, len(s.name)), optimal: plan.Optimal}
	for _, p := range plan.Packets() {
		n := s.name[p.Node]
		f.parts[n] = append(f.parts[n], p.Flits)
		f.chunks = append(f.chunks, chunk{node: n, words: p.Flits})
	}
	inSequence(s.Task, f.chunks)
	return f
}

// take makes a schedule's packets the task's.
func take(t *plan.Task, f *found) error {
	largest := 0
	t.PacketSizes = f.parts
	for _, p := range f.chunks {
		largest = max(largest, p.words)
	}
	return t.FitPackets(largest)
}

// inSequence gives every packet the next words of its message.
func inSequence(t *plan.Task, list []chunk) []chunk {
	offset := append([]int(nil), t.Offset...)
	for i := range list {
		p := &list[i]
		p.offset = offset[p.node]
		offset[p.node] += p.words
	}
	return list
}

// facts returns whether the schedule is proved to be the fastest on its tree, and the time of
// the order by distance, see packet.FurthestFirst.
func (s *search) facts(order string, proved bool) []plan.Fact {
	optimal, ticks := router.Cycle(0), router.Cycle(s.byReach.Ticks)*unit(s.Task)
	if proved {
		optimal = 1
	}
	if s.Count > 0 {
		ticks += router.Cycle(s.Machine.StartupTicks())
	}
	return []plan.Fact{
		{Key: "optimal", Name: "proved optimal on its tree", Value: optimal, Unit: plan.Truth, OrByBound: true},
		{Key: order + "_first", Name: order + "-first, best split", Value: ticks, Unit: plan.Cycles},
	}
}

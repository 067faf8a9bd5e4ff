// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"slices"

	"meshwright/firmware/collective/listed"
	inrounds "meshwright/firmware/collective/rounds"
	"meshwright/router"
)

// settling looks for a faster all-to-all among messages whose blocks are known.
type settling struct {
	*network
	best   *schedule
	budget int // of work
	work   int
}

const (
	// workOfNodes times the third power of the number of nodes bounds the work: some 50 ms for 16 nodes.
	workOfNodes = 150
	// leastSettling is for few nodes: some 10 ms.
	leastSettling = 1 << 16
	// mostSettling bounds it for many: some seconds.
	mostSettling = 20 << 20
	// manyNodes have up to twice the work where what has grown takes more than farAbove tenths of the bound.
	manyNodes = 32
	farAbove  = 15
)

// settle looks for a faster all-to-all: it tightens the one that has grown, tries messages of single blocks, phases and rounds, and shakes the fastest.
func (n *network) settle(grown *schedule, drafts []draft) (*schedule, error) {
	s := &settling{network: n, best: grown, budget: min(mostSettling, max(leastSettling, workOfNodes*n.nodes*n.nodes*n.nodes))}
	if n.nodes >= manyNodes && 10*grown.cycles > farAbove*n.LowerBound() {
		s.budget = min(mostSettling, 2*s.budget)
	}
	s.budget = n.Spend(s.budget)
	if s.over(s.budget) {
		return grown, nil
	}
	s.tighten(grown)
	if !s.over(s.budget) {
		again, err := n.better(s.best, drafts, drafts, func(d draft, limit router.Cycle, most int) (*schedule, int) { return n.carry(d, limit, most) })
		if err != nil {
			return nil, err
		}
		s.tighten(again)
	}
	if n.UncombinedBound() < s.best.cycles && n.nodes <= closeNodes {
		s.relay()
		s.alone()
	}
	if n.model.Startup > 0 {
		s.inPhases()
		if err := s.inRounds(); err != nil {
			return nil, err
		}
	}
	s.shake()
	return s.best, s.Ctx.Err()
}

// over reports whether so much work has been done, or nothing more is to be found.
func (s *settling) over(work int) bool {
	return s.work >= work || s.best.cycles <= s.LowerBound() || s.Search.Err() != nil || s.Ctx.Err() != nil
}

// list makes a list of messages, each behind those that bring its blocks to its sender.
func (s *settling) list(messages []message) *listed.List {
	brought := make([]int32, s.nodes*s.nodes) // by block: the last message with it, plus 1
	list := make([]listed.Message, len(messages))
	for i := range messages {
		m := &messages[i]
		x := &list[i]
		x.From, x.To, x.Route = router.NodeID(m.from), router.NodeID(m.to), m.route
		if x.Route == nil {
			x.Route = s.Route(m.from, m.to)
		}
		for _, block := range m.pieces {
			x.Words += s.Lengths[int(block)/s.nodes]
			if before := brought[block] - 1; before >= 0 && !slices.Contains(x.After, before) {
				x.After = append(x.After, before)
			}
			brought[block] = int32(i) + 1
		}
	}
	s.work += 4 * len(messages)
	return listed.New(s.Topology, s.booked, list, s.Seed+uint64(s.work))
}

// consider gives messages times in their order, tightens them in so many rounds, and keeps them if they are the fastest. It returns their time.
func (s *settling) consider(messages []message, rounds int) router.Cycle {
	l := s.list(messages)
	t := l.InOrder(inTurn(len(messages)))
	t = l.Tighten(t, rounds)
	s.work += l.Work + s.nodes*s.nodes/4
	s.take(messages, t)
	return t.Cycles
}

// inTurn is the order in which messages are listed.
func inTurn(count int) []int32 {
	order := make([]int32, count)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// take keeps messages with their times if they are faster than the best.
func (s *settling) take(messages []message, t *listed.Times) {
	if t.Cycles >= s.best.cycles {
		return
	}
	made := &schedule{messages: slices.Clone(messages), cycles: t.Cycles}
	for i := range made.messages {
		made.messages[i].handed, made.messages[i].whole = t.Handed[i], t.Whole[i]
	}
	s.best = made
}

// mostRounds bounds how often a schedule is tightened in a row.
const mostRounds = 10

// tighten tightens a schedule.
func (s *settling) tighten(known *schedule) {
	l, t := s.listOf(known)
	t = l.Tighten(t, mostRounds)
	s.work += l.Work
	s.take(known.messages, t)
}

// listOf makes a list of a schedule, and its times.
func (s *settling) listOf(known *schedule) (*listed.List, *listed.Times) {
	known.inTime()
	t := &listed.Times{Cycles: known.cycles}
	for i := range known.messages {
		m := &known.messages[i]
		t.Handed, t.Whole = append(t.Handed, m.handed), append(t.Whole, m.whole)
	}
	return s.list(known.messages), t
}

// triesAlone is how often messages of single blocks are tried.
const triesAlone = 5

// alone tries messages of single blocks, first on the machine's routes and then on balanced ones.
func (s *settling) alone() {
	var messages []message
	for u := range int32(s.nodes) {
		for v := range int32(s.nodes) {
			if u != v && s.Lengths[u] > 0 {
				messages = append(messages, message{from: u, to: v, pieces: []int32{u*int32(s.nodes) + v}})
			}
		}
	}
	for try := range triesAlone {
		if try > 1 && s.over(s.budget/4) {
			break
		}
		l := s.list(messages)
		if try > 0 {
			l.Balance()
			for i := range messages {
				messages[i].route = l.Messages[i].Route
			}
		}
		t := l.Tighten(l.ByLoad(), mostRounds)
		s.work += l.Work
		s.take(messages, t)
	}
}

// shake spends the work that is left on the fastest schedule.
func (s *settling) shake() {
	l, t := s.listOf(s.best)
	t = l.Shake(t, listed.Limits{Least: s.LowerBound(), Work: s.budget - s.work, Ended: func() bool { return s.over(s.budget) }})
	s.take(s.best.messages, t)
}

// inRounds tries the messages that a search for a few rounds finds. The work of all this is not counted.
func (s *settling) inRounds() error {
	if s.nodes > inrounds.MaxNodes || s.over(s.work+1) {
		return nil
	}
	work := s.work
	defer func() { s.work = work }()
	return inrounds.Exchange(s.Task, s.best.cycles, func(list []inrounds.Bundle) router.Cycle {
		messages := make([]message, len(list))
		for i, b := range list {
			messages[i] = message{from: b.From, to: b.To, pieces: b.Blocks}
		}
		return s.consider(messages, mostRounds)
	})
}

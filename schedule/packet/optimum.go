// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// What Optimum takes on.
const (
	OptimumMessages = 8
	OptimumStates   = 1 << 22 // the product of length+1 over all messages
)

// Optimum finds the fastest scatter of a few small messages, lengths by node, over all orders
// and all splits into packets. Packets of several messages may alternate. When ctx ends early,
// the plan is the best so far and not marked optimal. Errors: more than OptimumMessages
// messages, or more remainders than OptimumStates.
//
// No gather is faster. A gather reversed in time is a scatter in which nodes may idle, and may
// pass packets on in another order than the order of arrival. That does not help (the
// package's tests try all orders at all nodes for small cases). Plan.Gather gives the gather
// and says whether it is as fast.
//
// The search is branch and bound over bursts, in the order of dispatch. Two restrictions lose
// nothing:
//
//   - Packets of one message in a row are an even split (Tsai, lemma 13, whose proof moves
//     flits between neighbours only). So a burst is a choice of flits and packets.
//   - No burst is followed by a burst for a node behind its own destination (lemma 1).
//
// A partial schedule is dropped if another one with the same flits left and the same last
// burst is as good: no sender and no arrival is later there. bound.PacketTree bounds the rest
// of a schedule.
func Optimum(ctx context.Context, t *Tree, lengths []int, beta rational.Rational) (*Plan, error) {
	if err := t.valid(); err != nil {
		return nil, err
	}
	start, err := Improve(ctx, t, lengths, beta, Effort{Steps: startSteps})
	if err != nil {
		return nil, err
	}
	return optimum(ctx, t, lengths, beta, 1, math.MaxInt, start)
}

// startSteps is the local search before the exact one.
const startSteps = 20_000

// OptimumUnbroken is Optimum among the schedules that send every message in a
// row: one burst each.
func OptimumUnbroken(ctx context.Context, t *Tree, lengths []int, beta rational.Rational) (*Plan, error) {
	if err := t.valid(); err != nil {
		return nil, err
	}
	start, err := FurthestFirstContext(ctx, t, lengths, beta)
	if err != nil {
		return nil, err
	}
	return optimum(ctx, t, lengths, beta, maxFlits, math.MaxInt, start)
}

// optimum searches for a schedule that is faster than start, with bursts of at least so many
// flits, or of all flits that are left of their message. It gives up after a given amount of
// work (see engine.work), or when there are too many choices.
func optimum(ctx context.Context, t *Tree, lengths []int, beta rational.Rational, least, work int, start *Plan) (*Plan, error) {
	c := clockOf(beta)
	m, err := messagesOf(t, lengths, c)
	if err != nil {
		return nil, err
	}
	if len(m.node) > OptimumMessages {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d for the exact optimum", OptimumMessages), "%s", input.Count(len(m.node), "message"))
	}
	states := 1
	for _, l := range m.flits {
		if states *= int(l) + 1; states > OptimumStates {
			return nil, input.Errorf(fmt.Sprintf("expected lengths whose product, each plus 1, is at most %d", OptimumStates), "too many flits for the exact optimum")
		}
	}
	if start.Optimal {
		return start, nil
	}
	s := newSearch(ctx, t, m, c, states, start)
	s.least, s.most = least, work
	s.best = s.plan.Ticks
	if work == math.MaxInt {
		work = 0 // nobody knows how much
	}
	s.phase.Set(0, work)
	defer s.phase.End()
	s.extend(0)
	s.plan.Optimal = !s.stopped
	s.plan.Visited = s.visited
	return s.plan, nil
}

// search is the state of Optimum.
type search struct {
	*engine
	messages
	ctx     context.Context
	weight  []int // by message: what a flit counts in the number of a remainder
	left    []int
	number  int // of the remainder left
	bounds  []int64
	fronts  map[int][][]int64 // by remainder and last message: senders' times and arrivals
	inner   []int32           // nodes whose senders matter
	uses    [][]int           // by inner node: the messages that pass it
	inside  []map[int]int64   // by inner node and remainder: the bound for what is behind it
	bursts  []Burst
	last    int
	best    Ticks
	plan    *Plan
	least   int // flits of a burst
	visited int
	most    int // work: when to give up
	stopped bool
	phase   *progress.Phase
	parents []int
	lengths []int
	vector  []int64
}

func newSearch(ctx context.Context, t *Tree, m messages, c clock, states int, start *Plan) *search {
	s := &search{engine: newEngine(t, c), messages: m, ctx: ctx, plan: start, last: -1}
	s.phase = progress.Begin(ctx, "prove the best order", 0)
	s.keep = true
	s.bounds = make([]int64, states)
	s.fronts = map[int][][]int64{}
	s.weight, s.left = make([]int, len(m.node)), make([]int, len(m.node))
	w := 1
	for i, l := range m.flits {
		s.weight[i], s.left[i] = w, int(l)
		w *= int(l) + 1
	}
	s.number = w - 1
	s.lengths, s.parents = make([]int, t.nodes()), make([]int, t.nodes())
	for v, p := range t.parent {
		s.parents[v] = int(p)
	}
	for _, v := range t.order[1:] {
		var uses []int
		for i, to := range m.node {
			if t.above(v, to) {
				uses = append(uses, i)
			}
		}
		if len(uses) > 0 {
			s.inner, s.uses = append(s.inner, v), append(s.uses, uses)
			s.inside = append(s.inside, map[int]int64{})
		}
	}
	s.vector = make([]int64, len(s.inner)+2)
	return s
}

// extend tries all bursts after those sent, which end at latest.
func (s *search) extend(latest int64) {
	s.visited++
	if s.number == 0 {
		if Ticks(latest) < s.best {
			s.best = Ticks(latest)
			s.plan.Bursts, s.plan.Ticks = slices.Clone(s.bursts), s.best
		}
		return
	}
	latest = max(latest, s.free[s.tree.root]+s.rest())
	for j := range s.inner {
		if Ticks(latest) < s.best {
			latest = max(latest, s.behind(j))
		}
	}
	if Ticks(latest) >= s.best {
		return
	}
	if s.phase.Due() {
		_, all, _ := s.phase.State()
		s.phase.Set(s.work, all)
	}
	if s.work > s.most || s.visited%16 == 1 && s.ctx.Err() != nil {
		s.stopped = true
	}
	if s.stopped || s.dominated(latest) {
		return
	}
	s.branch(latest)
}

// move is a next burst.
type move struct {
	message, flits, packets int
	promise                 int64
}

// maxMoves bounds the next bursts among which branch chooses, and with them
// the memory that it takes.
const maxMoves = 1 << 18

// branch tries all next bursts, the most promising first.
func (s *search) branch(latest int64) {
	moves := s.moves(latest)
	slices.SortStableFunc(moves, func(a, b move) int { return cmp.Compare(a.promise, b.promise) })
	mark, last := len(s.log), s.last
	for _, m := range moves {
		if Ticks(m.promise) >= s.best || s.stopped {
			break
		}
		b := Burst{int(s.node[m.message]), m.flits, m.packets}
		arrival := s.send(b)
		s.bursts, s.last = append(s.bursts, b), m.message
		s.take(m.message, m.flits)
		s.extend(max(latest, arrival))
		s.take(m.message, -m.flits)
		s.bursts, s.last = s.bursts[:len(s.bursts)-1], last
		s.back(mark)
	}
}

// moves lists the next bursts that may lead to something faster.
func (s *search) moves(latest int64) []move {
	var moves []move
	for i, left := range s.left {
		if left == 0 || i == s.last || s.last >= 0 && s.tree.above(s.node[s.last], s.node[i]) {
			continue
		}
		for flits := left; (flits == left || flits >= s.least) && flits > 0; flits-- {
			if s.work > s.most || len(moves) > maxMoves {
				s.stopped = true
				return nil
			}
			s.take(i, flits)
			moves = s.splits(moves, i, flits, latest)
			s.take(i, -flits)
		}
	}
	return moves
}

// splits adds the bursts of some flits of a message. More packets occupy the root for longer;
// when the set-up is 0, as many packets as flits are best.
func (s *search) splits(moves []move, message, flits int, latest int64) []move {
	packets := 1
	if s.clock.setup == 0 {
		packets = flits
	}
	mark, rest := len(s.log), s.rest()
	for ; packets <= flits; packets++ {
		arrival := max(latest, s.send(Burst{int(s.node[message]), flits, packets}))
		root := s.free[s.tree.root] + rest
		s.back(mark)
		if Ticks(root) >= s.best {
			break
		}
		if promise := max(arrival, root); Ticks(promise) < s.best {
			moves = append(moves, move{message, flits, packets, promise})
		}
	}
	return moves
}

// take subtracts flits from the rest of a message.
func (s *search) take(message, flits int) {
	s.number -= flits * s.weight[message]
	s.left[message] -= flits
}

// boundWork is about the cost of the bound of a remainder, for every node.
const boundWork = 20

// rest bounds the time from the root's next dispatch to the last arrival.
func (s *search) rest() int64 {
	if s.number > 0 && s.bounds[s.number] == 0 {
		clear(s.lengths)
		for i, v := range s.node {
			s.lengths[v] = s.left[i]
		}
		s.bounds[s.number] = s.bound()
	}
	return s.bounds[s.number]
}

func (s *search) bound() int64 {
	s.work += boundWork * len(s.parents)
	b, _ := bound.PacketTree(s.parents, s.lengths, router.Cycle(s.clock.setup), router.Cycle(s.clock.flit)) // the tree was checked
	return int64(b)
}

// behind bounds the last arrival by the flits that are left for the nodes behind an inner
// node. This node sends them like a root, but not before it is free and has a packet.
func (s *search) behind(j int) int64 {
	number := 0
	for _, i := range s.uses[j] {
		number += s.left[i] * s.weight[i]
	}
	if number == 0 {
		return 0
	}
	v := s.inner[j]
	b, known := s.inside[j][number]
	if !known {
		clear(s.lengths)
		for _, i := range s.uses[j] {
			s.lengths[s.node[i]] = s.left[i]
		}
		up := s.parents[v]
		s.parents[v] = -1
		b = s.bound()
		s.parents[v] = up
		s.inside[j][number] = b
	}
	return b + max(s.free[v], s.free[s.tree.root]+int64(s.tree.depth[v])*s.clock.cost(1))
}

// maxFront bounds the partial schedules kept for comparison with others.
const maxFront = 200

// dominated reports whether another partial schedule is as good; if none is, it records this
// one. A sender that is free before a packet can reach it counts as free when a packet can.
func (s *search) dominated(latest int64) bool {
	root := s.free[s.tree.root]
	v := s.vector
	v[0], v[1] = root, latest
	for i, node := range s.inner {
		v[i+2] = 0
		for _, m := range s.uses[i] {
			if s.left[m] > 0 {
				v[i+2] = max(s.free[node], root+int64(s.tree.depth[node])*s.clock.cost(1))
				break
			}
		}
	}
	key := s.number*(OptimumMessages+1) + s.last + 1
	front := s.fronts[key]
	for i, other := range front {
		if dominates(other, v) {
			front[0], front[i] = front[i], front[0]
			return true
		}
	}
	kept := slices.DeleteFunc(front, func(other []int64) bool { return dominates(v, other) })
	if len(kept) < maxFront {
		kept = append(kept, slices.Clone(v))
	}
	s.fronts[key] = kept
	return false
}

func dominates(a, b []int64) bool {
	for i := range a {
		if a[i] > b[i] {
			return false
		}
	}
	return true
}

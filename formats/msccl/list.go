// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// act is one thing that the PEs of a list do: a message, a move within a PE, or
// nothing but waiting.
type act struct {
	kind     actKind
	from, to int // ranks
	out, in  span
	op       transfer.Op
	order    int32 // the op that it is a part of; of a message the receiving op
	part     int   // of that op's acts
	step     int
	round    int // of a message: how many messages between the same ranks in the same step come before it
}

type actKind uint8

const (
	message actKind = iota
	local
	join
)

// span is chunks of a rank's memory.
type span struct{ from, count int }

// side is an act as one PE sees it.
type side struct {
	act  int32
	role role
}

type role uint8

// The roles, in the order in which a PE does what belongs to one step. What
// only waits counts like a move.
const (
	moves role = iota
	sending
	taking
)

// later returns how many steps an act must come behind another of the same PE;
// same: of the same threadblock. Within a step, moves keep their order, and so
// do messages over one connection.
func later(before, behind role, same bool) int {
	if before < behind || before == behind && (same || before != taking) {
		return 0
	}
	return 1
}

// lister turns the steps of an algorithm into acts with an order.
type lister struct {
	flow    *Flow
	a       *Algorithm
	layouts []layout
	end     []int // by rank: chunks in use
	acts    []act
	edges   []edge
	message []int32 // by op that sends
	first   []side  // by op
	last    []side
	staged  []bool // by op that receives: what it takes waits in a place of its own
	private []span // by threadblock: room for sums that are only passed on
}

// edge is an act that must come some steps (0 or 1) behind another.
type edge struct {
	from, to int32
	steps    int
}

// List returns the algorithm as transfers between PEs of the same numbers, for chunks of
// length words. It also returns the number of words of every PE's memory: input, output
// and scratch buffer as in layout, and behind them room for messages in
// flight. The algorithm's flow must be free of failures.
//
// A message is one transfer with one step for both its ends. Each threadblock's order, the
// dependences, and the order of messages and moves within a step give lower bounds between
// steps. Each action gets the least step that satisfies them. This is impossible if a rank
// receives late what was sent early; then the message is received early into memory of its
// own. Threadblocks that do not depend on each other do not wait for each other: among the
// steps that satisfy the bounds, a rank's steps follow the time (see pace).
func (f *Flow) List(length int) (*transfer.List, []int) {
	b := &lister{flow: f, a: f.Algorithm, staged: make([]bool, len(f.Algorithm.ops))}
	for rank := range b.a.GPUs {
		b.layouts = append(b.layouts, b.a.layout(rank))
	}
	for {
		b.build()
		circles := b.level()
		if circles == nil {
			break
		}
		b.stage(circles)
	}
	b.levelInTime()
	return b.list(length)
}

// build makes acts and edges.
func (b *lister) build() {
	ops := b.a.ops
	b.acts, b.edges, b.end = b.acts[:0], b.edges[:0], b.end[:0]
	for rank := range b.layouts {
		b.end = append(b.end, b.layouts[rank].end)
	}
	b.message = make([]int32, len(ops))
	b.first, b.last = make([]side, len(ops)), make([]side, len(ops))
	b.reserve()
	for _, i := range b.flow.order {
		b.enter(i)
	}
	for i := range ops {
		o := &ops[i]
		if o.next >= 0 {
			b.follow(b.last[i], b.first[o.next], true)
		}
		if o.after >= 0 {
			b.follow(b.last[o.after], b.first[i], ops[o.after].column == o.column)
		}
	}
}

// reserve gives every threadblock room for sums that it only passes on.
func (b *lister) reserve() {
	b.private = b.private[:0]
	for rank := range b.a.GPUs {
		for _, block := range b.a.GPUs[rank].Blocks {
			need := 0
			for k := range block.Steps {
				if s := &block.Steps[k]; s.Kind == ReceiveReduceSend {
					need = max(need, s.Count)
				}
			}
			b.private = append(b.private, b.room(rank, need))
		}
	}
}

// room takes chunks behind those in use.
func (b *lister) room(rank, count int) span {
	s := span{b.end[rank], count}
	b.end[rank] += count
	return s
}

// follow puts the work of a PE in act y behind the work of the same PE in act x.
func (b *lister) follow(x, y side, same bool) {
	if x.act != y.act {
		b.edges = append(b.edges, edge{x.act, y.act, later(x.role, y.role, same)})
	}
}

// chain is the acts of one step, one behind the other.
type chain struct {
	b     *lister
	o     *op
	sides []side
}

func (c *chain) add(s side) {
	if n := len(c.sides); n > 0 {
		c.b.follow(c.sides[n-1], s, true)
	}
	c.sides = append(c.sides, s)
}

// move is a copy or an addition within the rank.
func (c *chain) move(from, to span, op transfer.Op) {
	c.b.acts = append(c.b.acts, act{kind: local, from: c.o.rank, to: c.o.rank, out: from, in: to, op: op, order: c.o.number, part: len(c.sides)})
	c.add(side{int32(len(c.b.acts) - 1), moves})
}

// send begins the message that the step sends.
func (c *chain) send(from span) {
	receiver := c.b.a.ops[c.o.receiver].rank
	c.b.acts = append(c.b.acts, act{kind: message, from: c.o.rank, to: receiver, out: from, order: c.o.number})
	c.b.message[c.o.number] = int32(len(c.b.acts) - 1)
	c.add(side{int32(len(c.b.acts) - 1), sending})
}

// take ends the message that the step receives; its send has been entered.
func (c *chain) take(to span, op transfer.Op) {
	k := c.b.message[c.o.sender]
	m := &c.b.acts[k]
	if !c.b.staged[c.o.number] {
		m.in, m.op, m.order = to, op, c.o.number
		c.add(side{k, taking})
		return
	}
	m.in = c.b.room(c.o.rank, to.count)
	m.order = c.o.number
	behind := side{int32(len(c.b.acts)), moves}
	c.b.follow(side{k, taking}, behind, true)
	c.move(m.in, to, op)
}

// enter makes the acts of op i.
func (b *lister) enter(i int32) {
	o := &b.a.ops[i]
	c := chain{b: b, o: o}
	l := &b.layouts[o.rank]
	source, target := span{l.at(o.Source, 0), o.Count}, span{l.at(o.Target, 0), o.Count}
	private := span{b.private[o.column].from, o.Count}
	switch o.Kind {
	case Nop:
		b.acts = append(b.acts, act{kind: join})
		c.add(side{int32(len(b.acts) - 1), moves})
	case Send:
		c.send(source)
	case Receive:
		c.take(target, transfer.Put)
	case ReceiveCopySend:
		c.take(target, transfer.Put)
		c.send(target)
	case ReceiveReduceSend:
		c.move(source, private, transfer.Put)
		c.take(private, transfer.Add)
		c.send(private)
	case ReceiveReduceCopy, ReceiveReduceCopySend:
		if source != target { // a move reads all before it writes, so they may overlap
			c.move(source, target, transfer.Put)
		}
		c.take(target, transfer.Add)
		if o.Kind.sends() {
			c.send(target)
		}
	case Copy:
		c.move(source, target, transfer.Put)
	case Reduce:
		c.move(source, target, transfer.Add)
	}
	b.first[i], b.last[i] = c.sides[0], c.sides[len(c.sides)-1]
}

// stage lets the messages on circles be taken early.
func (b *lister) stage(circles []bool) {
	again := false
	for i := range b.a.ops {
		o := &b.a.ops[i]
		if o.sender >= 0 && !b.staged[i] && circles[b.message[o.sender]] {
			b.staged[i], again = true, true
		}
	}
	if !again {
		panic("msccl: the steps of " + b.a.Name + " have no order though each could happen")
	}
}

// list writes the acts as transfers.
func (b *lister) list(length int) (*transfer.List, []int) {
	acts := slices.DeleteFunc(b.acts, func(x act) bool { return x.kind == join || x.kind == local && x.out == x.in && x.op == transfer.Put })
	b.sort(acts)
	list := &transfer.List{Nodes: b.a.Ranks, Transfers: make([]transfer.Transfer, len(acts))}
	words := func(s span) transfer.Set {
		return transfer.Set{{From: s.from * length, To: (s.from + s.count) * length}}
	}
	for i, x := range acts {
		list.Transfers[i] = transfer.Transfer{
			Step: x.step, From: router.NodeID(x.from), To: router.NodeID(x.to), Out: words(x.out), In: words(x.in), Op: x.op,
		}
	}
	sizes := make([]int, len(b.end))
	for rank, chunks := range b.end {
		sizes[rank] = chunks * length
	}
	return list, sizes
}

// sort orders acts by step. Within one, moves come in the order in which they may
// happen; messages between the same ranks keep theirs, and otherwise every rank
// takes turns with the others, those first that follow it, so that not all send to
// the same one and no send waits for the one before.
func (b *lister) sort(acts []act) {
	when := make([]int32, len(b.a.ops))
	for k, i := range b.flow.order {
		when[i] = int32(k)
	}
	slices.SortFunc(acts, func(x, y act) int {
		return cmp.Or(cmp.Compare(x.step, y.step), cmp.Compare(when[x.order], when[y.order]), cmp.Compare(x.part, y.part))
	})
	type pair struct{ step, from, to int }
	met := map[pair]int{}
	for i := range acts {
		x := &acts[i]
		if x.kind == message {
			p := pair{x.step, x.from, x.to}
			x.round = met[p]
			met[p]++
		}
	}
	slices.SortStableFunc(acts, func(x, y act) int {
		if x.kind == local || y.kind == local {
			return cmp.Or(cmp.Compare(x.step, y.step), cmp.Compare(y.kind, x.kind), cmp.Compare(when[x.order], when[y.order]), cmp.Compare(x.part, y.part))
		}
		return cmp.Or(cmp.Compare(x.step, y.step), cmp.Compare(x.round, y.round), cmp.Compare(b.turn(&x), b.turn(&y)))
	})
}

// turn is how far behind the sender the receiver comes.
func (b *lister) turn(x *act) int { return (x.to - x.from + b.a.Ranks) % b.a.Ranks }

// Renumber puts the ranks of a list on nodes, one each.
func Renumber(l *transfer.List, nodes []router.NodeID) {
	if l == nil {
		return
	}
	for i := range l.Transfers {
		t := &l.Transfers[i]
		if uint(t.From) < uint(len(nodes)) && uint(t.To) < uint(len(nodes)) {
			t.From, t.To = nodes[t.From], nodes[t.To]
		}
	}
}

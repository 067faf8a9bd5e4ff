// SPDX-License-Identifier: Apache-2.0

package sampled

import (
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// draft is a way to make a schedule: a try, for pieces of up to so many words.
type draft struct {
	try
	size  int
	roots int // of an allreduce: pieces have so many roots, evenly among the nodes; 1: the root of the task

	base  *schedule    // whose messages of the first cycles are kept; nil: none
	until router.Cycle // these cycles, of the sums backwards in time
	sums  bool         // of an allreduce: all sums are kept
}

// schedule is messages with their times. Those of sums run backwards in time.
type schedule struct {
	by     draft
	pieces []transfer.Range
	sums   []message
	ends   router.Cycle // cycles of the sums
	out    []message
	cycles router.Cycle
}

// cut cuts the words of all roots into pieces.
func (n *network) cut(d *draft) (pieces []transfer.Range, from []source) {
	blocks, roots := n.blocks(), max(1, d.roots)
	if roots > 1 {
		words := n.VectorWords()
		blocks = nil
		for i := range roots {
			blocks = append(blocks, transfer.Range{From: words * i / roots, To: words * (i + 1) / roots})
		}
	}
	for i, b := range blocks {
		root := int32(n.Root)
		if len(blocks) > 1 {
			root = int32(i * n.nodes / len(blocks))
		}
		for at := b.From; at < b.To; at += d.size {
			from = append(from, source{node: root, piece: int32(len(pieces))})
			pieces = append(pieces, transfer.Range{From: at, To: min(b.To, at+d.size)})
		}
	}
	return pieces, from
}

// grow makes the schedule of a draft, nil if it takes as long as the limit or more work than most, and counts its work.
func (n *network) grow(d draft, limit router.Cycle, most int) (*schedule, int) {
	pieces, from := n.cut(&d)
	words := make([]int32, len(pieces))
	for i, r := range pieces {
		words[i] = int32(r.To - r.From)
	}
	made, work := &schedule{by: d, pieces: pieces}, 0
	made.by.base = nil
	if n.Kind.Name != plan.Gossip && n.Kind.Name != plan.Broadcast {
		in := newSpread(n, d.try, n.newBook(true), true, words, from)
		if d.base != nil {
			until := d.until
			if d.sums {
				until = never
			}
			in.keep(d.base.sums, until)
		}
		ok := in.run(limit, most)
		if work += in.work; !ok {
			return nil, work
		}
		made.sums, made.ends = sent(in.messages), end(in.messages)
		made.cycles = made.ends
	}
	if n.Kind.Name == plan.Reduce || n.Kind.Name == plan.ReduceScatter {
		return made, work
	}
	book := n.newBook(false)
	for _, m := range turned(made.sums, made.ends) {
		for _, p := range m.pieces {
			if m.to == from[p].node {
				from[p].at = max(from[p].at, m.whole)
			}
		}
	}
	out := newSpread(n, d.try, book, false, words, from)
	for _, m := range turned(made.sums, made.ends) {
		w := n.way(m.from, m.to, false)
		book.Reserve(w.source, w.route, out.size(m.pieces), m.handed)
	}
	if d.base != nil && (d.sums || made.sums == nil) {
		out.keep(d.base.out, d.until)
	}
	ok := out.run(limit, most)
	if work += out.work; !ok {
		return nil, work
	}
	made.out = sent(out.messages)
	made.cycles = end(made.out)
	return made, work
}

// sent are the messages that go from a node to another.
func sent(messages []message) []message {
	return slices.DeleteFunc(messages, func(m message) bool { return m.from == m.to })
}

// end is when the last message has come.
func end(messages []message) (cycles router.Cycle) {
	for i := range messages {
		cycles = max(cycles, messages[i].whole+1)
	}
	return cycles
}

// turned are messages that run backwards in time as they truly go.
func turned(messages []message, cycles router.Cycle) []message {
	list := make([]message, 0, len(messages))
	for _, m := range slices.Backward(messages) {
		list = append(list, message{m.to, m.from, cycles - 1 - m.whole, cycles - 1 - m.handed, m.pieces})
	}
	return list
}

// list turns a schedule into transfers.
func (n *network) list(s *schedule) *transfer.List {
	l := &transfer.List{Nodes: n.nodes, Timed: true}
	add := func(messages []message, op transfer.Op) {
		for _, m := range messages {
			x := transfer.Transfer{From: router.NodeID(m.from), To: router.NodeID(m.to), Start: m.handed, Due: m.whole, Op: op}
			set := make(transfer.Set, len(m.pieces))
			for i, p := range m.pieces {
				set[i] = s.pieces[p]
			}
			x.Out = transfer.Join(set)
			l.Transfers = append(l.Transfers, x)
		}
	}
	add(turned(s.sums, s.ends), transfer.Add)
	add(s.out, transfer.Put)
	l.InSteps()
	return l
}

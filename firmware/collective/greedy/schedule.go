// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/heap"
	"meshwright/router"
)

// schedule is a collective whose messages have their times.
type schedule struct {
	pieces   []transfer.Range // of the words of a node's memory
	messages []message
	cycles   router.Cycle
}

// nothing reports whether a schedule stands for what another search has found.
func (s *schedule) nothing(known router.Cycle) bool { return known < never && len(s.messages) == 0 }

// end sets the time of a schedule.
func (s *schedule) end() {
	s.cycles = 0
	for i := range s.messages {
		s.cycles = max(s.cycles, s.messages[i].whole+1)
	}
}

// inTime sorts the messages by the time at which they are handed over.
func (s *schedule) inTime() {
	slices.SortStableFunc(s.messages, func(a, b message) int { return cmp.Compare(a.handed, b.handed) })
}

// turned reverses messages in time. What was spread is then gathered.
func turned(messages []message) []message {
	end := router.Cycle(0)
	for i := range messages {
		end = max(end, messages[i].whole)
	}
	back := slices.Clone(messages)
	for i, m := range messages {
		back[i].from, back[i].to, back[i].handed, back[i].whole = m.to, m.from, end-m.whole, end-m.handed
	}
	return back
}

// list turns a schedule into transfers. A message belongs to the step behind all messages that its sender has by then.
func (s *schedule) list(nodes int) *transfer.List {
	order := make([]int32, len(s.messages))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(s.messages[a].handed, s.messages[b].handed) })
	l := &transfer.List{Nodes: nodes, Timed: true, Transfers: make([]transfer.Transfer, len(order))}
	level := make([]int, nodes)
	var arriving heap.Heap[arrival]
	for k, i := range order {
		m := &s.messages[i]
		for len(arriving) > 0 && arriving[0].at <= m.handed {
			x := &l.Transfers[arriving.Pop().message]
			level[x.To] = max(level[x.To], x.Step+1)
		}
		var words transfer.Set
		for _, p := range m.pieces {
			words = transfer.Join(words, transfer.Set{s.pieces[p]})
		}
		x := transfer.Transfer{Step: level[m.from], From: router.NodeID(m.from), To: router.NodeID(m.to), Out: words, Start: m.handed, Due: m.whole}
		if m.sum {
			x.Op = transfer.Add
		}
		l.Transfers[k] = x
		arriving.Push(arrival{m.whole, int32(k)})
	}
	return l
}

// finish turns the best schedule into a plan.
func (n *network) finish(s *schedule, p *plan.Plan) *plan.Plan {
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(len(s.pieces)), Unit: plan.Counted})
	n.PredictBooked(p, s.cycles)
	p.Stopped = n.Search.Err() != nil && s.cycles > n.LowerBound()
	return p
}

// cut cuts ranges of words into pieces of up to so many words, and says to which range each belongs.
func cut(ranges []transfer.Range, size int) (pieces []transfer.Range, of []int32) {
	for i, r := range ranges {
		for from := r.From; from < r.To; from += size {
			pieces, of = append(pieces, transfer.Range{From: from, To: min(r.To, from+size)}), append(of, int32(i))
		}
	}
	return pieces, of
}

// lengths returns the words of pieces.
func (n *network) lengths(pieces []transfer.Range) []int32 {
	words := make([]int32, len(pieces))
	n.equal = 0
	for i, r := range pieces {
		words[i] = int32(r.To - r.From)
	}
	if len(words) > 0 && slices.Min(words) == slices.Max(words) {
		n.equal = int(words[0])
	}
	return words
}

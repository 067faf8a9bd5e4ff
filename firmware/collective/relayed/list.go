// SPDX-License-Identifier: Apache-2.0

package relayed

import (
	"cmp"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/heap"
	"meshwright/router"
)

// List turns messages into transfers, in the order in which they are handed over, and returns for each node how many words it keeps for others. A message belongs to the step behind all messages that are
// whole by then. A message without a route takes the machine's.
func List(t *plan.Task, messages []Message) (l *transfer.List, extra []int) {
	order := make([]int32, len(messages))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(messages[a].Handed, messages[b].Handed) })
	nodes := len(t.Lengths)
	l = &transfer.List{Nodes: nodes, Timed: true, Transfers: make([]transfer.Transfer, len(messages))}
	k := &keeper{Task: t, nodes: nodes, place: make([]int32, nodes*nodes), extra: make([]int, nodes)}
	step := 0
	var arriving heap.Heap[event]
	for i, at := range order {
		m := &messages[at]
		for len(arriving) > 0 && arriving[0].at <= m.Handed {
			step = max(step, l.Transfers[arriving.Pop().what].Step+1)
		}
		arriving.Push(event{m.Whole, int32(i)})
		out, in := k.move(m)
		l.Transfers[i] = transfer.Transfer{Step: step, From: router.NodeID(m.From), To: router.NodeID(m.To), Out: out, In: in, Route: m.Route, Start: m.Handed, Due: m.Whole}
	}
	return l, k.extra
}

// keeper gives the blocks that wait at other nodes places behind these nodes' own words.
type keeper struct {
	*plan.Task
	nodes   int
	place   []int32 // by block: its first word where it is kept; 0: it is at its source
	extra   []int   // words by node
	sets    transfer.Store
	out, in transfer.Set
}

// move returns where the words of a message are, and where they go. They travel in the order in which they are kept, those for the receiver first, so that they have few ranges.
func (k *keeper) move(m *Message) (out, in transfer.Set) {
	slices.SortFunc(m.Blocks, func(a, b int32) int {
		return cmp.Or(k.first(m.To, a)-k.first(m.To, b), cmp.Compare(k.at(a).From, k.at(b).From))
	})
	k.out, k.in = k.out[:0], k.in[:0]
	for _, block := range m.Blocks {
		from, to := router.NodeID(int(block)/k.nodes), router.NodeID(int(block)%k.nodes)
		here := k.at(block)
		next := k.ExchangeIn(to, from)
		if to != router.NodeID(m.To) {
			first := k.ExchangeWords(router.NodeID(m.To)) + k.extra[m.To]
			next = transfer.Range{From: first, To: first + k.Lengths[from]}
			k.extra[m.To] += k.Lengths[from]
			k.place[block] = int32(first)
		}
		k.out, k.in = joined(k.out, here), joined(k.in, next)
	}
	return k.sets.Keep(k.out), k.sets.Keep(k.in)
}

// first orders the blocks for a node before others.
func (k *keeper) first(node, block int32) int {
	if block%int32(k.nodes) == node {
		return 0
	}
	return 1
}

// at returns the words of a block where it is kept now.
func (k *keeper) at(block int32) transfer.Range {
	from, to := int(block)/k.nodes, int(block)%k.nodes
	if first := int(k.place[block]); first > 0 {
		return transfer.Range{From: first, To: first + k.Lengths[from]}
	}
	return k.ExchangeOut(router.NodeID(from), router.NodeID(to))
}

// joined adds a range to a set.
func joined(set transfer.Set, r transfer.Range) transfer.Set {
	if last := len(set) - 1; last >= 0 && set[last].To == r.From {
		set[last].To = r.To
		return set
	}
	return append(set, r)
}

// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// message carries pieces from a node to another. In a network that runs backwards it goes from the receiver of the true message to its sender.
type message struct {
	from, to int32
	pieces   []int32 // in rising order; shared, never changed
	skip     int32   // of an allreduce: the last sums of those at the sender that it does not bring, since they come too late
}

// order is a list of messages, and the sizes of the pieces.
type order struct {
	messages []message
	ends     []int32 // by piece: the end of its words
}

// cut cuts the words of a list of transfers into pieces, so that each transfer has whole pieces, also at some words.
func cut(l *transfer.List, at []int) []transfer.Range {
	for i := range l.Transfers {
		for _, r := range l.Transfers[i].Out {
			at = append(at, r.From, r.To)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	var pieces []transfer.Range
	for i := 1; i < len(at); i++ {
		pieces = append(pieces, transfer.Range{From: at[i-1], To: at[i]})
	}
	return pieces
}

// orderOf returns the messages of a timed list in the order in which they are handed over, backwards in time for a reduction. Of a list that is long the
// order is cut off when the search ends.
func (n *network) orderOf(l *transfer.List) (o order) {
	for _, p := range n.pieces {
		o.ends = append(o.ends, int32(p.To))
	}
	list := make([]int32, 0, len(l.Transfers))
	for i := range l.Transfers {
		if x := &l.Transfers[i]; x.Out.Words() > 0 {
			list = append(list, int32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		x, y := &l.Transfers[a], &l.Transfers[b]
		if n.back {
			return cmp.Compare(y.Due, x.Due)
		}
		return cmp.Compare(x.Start, y.Start)
	})
	received := make([][]int32, n.nodes) // by node, of an allreduce: the messages to it so far
	for k, i := range list {
		if k%orderPart == 0 && n.Search.Err() != nil {
			return order{}
		}
		x := &l.Transfers[i]
		m := message{from: int32(x.From), to: int32(x.To)}
		for p, r := range n.pieces {
			if slices.ContainsFunc(x.Out, func(s transfer.Range) bool { return s.From <= r.From && r.To <= s.To }) {
				m.pieces = append(m.pieces, int32(p))
			}
		}
		if n.back {
			m.from, m.to = m.to, m.from
		}
		if n.sums {
			for _, j := range received[x.From] {
				if y := &l.Transfers[j]; y.Due > x.Start && overlap(x.Out, y.Out) {
					m.skip++
				}
			}
			received[x.To] = append(received[x.To], i)
		}
		o.messages = append(o.messages, m)
	}
	return o
}

// orderPart is how many messages orderOf takes before it looks whether the search goes on.
const orderPart = 64

func overlap(a, b transfer.Set) bool {
	for _, x := range a {
		for _, y := range b {
			if x.From < y.To && y.From < x.To {
				return true
			}
		}
	}
	return false
}

// list turns booked messages into transfers.
func (n *network) list(o *outcome) *transfer.List {
	l := &transfer.List{Nodes: n.nodes, Timed: true, Transfers: make([]transfer.Transfer, len(o.messages))}
	for i, m := range o.messages {
		x := transfer.Transfer{From: router.NodeID(m.from), To: router.NodeID(m.to), Start: m.handed, Due: m.whole}
		if n.back {
			x.From, x.To, x.Start, x.Due = x.To, x.From, o.cycles-1-x.Due, o.cycles-1-x.Start
		}
		if n.back || m.add {
			x.Op = transfer.Add
		}
		for _, p := range m.pieces {
			x.Out = transfer.Join(x.Out, transfer.Set{{From: start(o.ends, p), To: int(o.ends[p])}})
		}
		l.Transfers[i] = x
	}
	l.InSteps()
	return l
}

// start is the first word of a piece.
func start(ends []int32, p int32) int {
	if p == 0 {
		return 0
	}
	return int(ends[p-1])
}

func size(ends []int32, p int32) int { return int(ends[p]) - start(ends, p) }

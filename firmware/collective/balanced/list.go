// SPDX-License-Identifier: Apache-2.0

package balanced

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// messages counts those of all nodes.
func (s *schedule) messages() (count int) {
	for _, t := range []*timetable{s.sums, s.out} {
		if t != nil {
			count += len(t.messages) * len(s.pieces)
		}
	}
	return count
}

// list lists the messages of all nodes, and returns the cycles that they take.
func (s *schedule) list() (*transfer.List, router.Cycle) {
	l := &lister{schedule: s, List: &transfer.List{Nodes: len(s.pieces), Timed: true, Transfers: make([]transfer.Transfer, 0, s.messages())}}
	if s.sums != nil {
		l.add(s.backwards, s.sums)
	}
	if s.out != nil {
		l.add(s.forwards, s.out)
	}
	l.InSteps()
	return l.List, l.cycles
}

// lister lists the messages of a schedule.
type lister struct {
	*schedule
	*transfer.List
	store  transfer.Store
	words  []transfer.Range // of a message
	cycles router.Cycle
}

// add adds the messages of a timetable, but for those without words.
func (l *lister) add(n *network, t *timetable) {
	for i := range t.messages {
		m := &t.messages[i]
		for v := range router.NodeID(n.nodes) {
			x := transfer.Transfer{From: v, To: n.Topology.Translate(v, router.NodeID(n.sides[m.side].to)), Start: m.handed}
			if n.backwards {
				x.From, x.To, x.Op, x.Start = x.To, x.From, transfer.Add, t.cycles-1-m.whole
			}
			if x.Out = l.wordsOf(n, t, m, v); len(x.Out) > 0 {
				x.Due = x.Start + n.model.UntilWhole(1, x.Out.Words())
				l.cycles = max(l.cycles, x.Due+1)
				l.Transfers = append(l.Transfers, x)
			}
		}
	}
}

// wordsOf returns the words of a message, when node v sends it as node 0 does.
func (l *lister) wordsOf(n *network, t *timetable, m *message, v router.NodeID) transfer.Set {
	l.words = l.words[:0]
	for _, item := range m.items {
		r := l.pieces[n.Topology.Translate(v, router.NodeID(int(item)%n.nodes))]
		p, words := int(item)/n.nodes, r.To-r.From
		l.words = append(l.words, transfer.Range{From: r.From + words*p/t.pieces, To: r.From + words*(p+1)/t.pieces})
	}
	slices.SortFunc(l.words, func(a, b transfer.Range) int { return cmp.Compare(a.From, b.From) })
	return l.store.Keep(transfer.Join(l.words))
}

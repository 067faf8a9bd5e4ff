// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"cmp"
	"slices"

	"meshwright/router"
)

// Kind is the kind of a PE's action.
type Kind uint8

// The kinds of actions, in the order in which they come within a step.
const (
	Grant Kind = iota // a token to the sender of what will be taken
	Local             // a move within the memory
	Send
	Take
)

// Action is one entry of a PE's part of a list.
type Action struct {
	Kind     Kind
	Transfer int32 // its index in the list
}

// Parts returns the actions of every PE, in order. Transfers without words are left out. It is
// nil if an end of a transfer is none of the list's nodes.
func (l *List) Parts() [][]Action {
	if !l.amongNodes() {
		return nil
	}
	order := make([]int32, 0, len(l.Transfers))
	for i := range l.Transfers {
		if !l.Transfers[i].Out.empty() {
			order = append(order, int32(i))
		}
	}
	sortStable(order, func(a, b int32) int {
		return cmp.Compare(l.Transfers[a].Step, l.Transfers[b].Step)
	})
	parts := l.emptyParts(order)
	if l.Timed {
		l.inTime(parts, order)
		return parts
	}
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && l.Transfers[order[to]].Step == l.Transfers[order[from]].Step {
			to++
		}
		l.enterStep(parts, order[from:to])
		from = to
	}
	return parts
}

// emptyParts makes room for the actions of transfers, in one piece.
func (l *List) emptyParts(order []int32) [][]Action {
	end := make([]int, l.Nodes+1)
	for _, i := range order {
		t := &l.Transfers[i]
		end[t.To+1]++
		if t.From == t.To {
			continue
		}
		end[t.From+1]++
		if l.Sync {
			end[t.To+1]++
		}
	}
	parts := make([][]Action, l.Nodes)
	for n := range parts {
		end[n+1] += end[n]
	}
	all := make([]Action, end[l.Nodes])
	for n := range parts {
		if end[n] < end[n+1] {
			parts[n] = all[end[n]:end[n]:end[n+1]]
		}
	}
	return parts
}

// sortStable sorts what is not sorted already.
func sortStable[E any](list []E, compare func(a, b E) int) {
	if !slices.IsSortedFunc(list, compare) {
		slices.SortStableFunc(list, compare)
	}
}

// inTime enters all actions of a timed list. What is due is taken before anything
// is sent in the same cycle.
func (l *List) inTime(parts [][]Action, order []int32) {
	for _, i := range order {
		t := &l.Transfers[i]
		parts[t.From] = append(parts[t.From], Action{Send, i})
		parts[t.To] = append(parts[t.To], Action{Take, i})
	}
	at := func(a Action) router.Cycle {
		if a.Kind == Take {
			return l.Transfers[a.Transfer].Due
		}
		return l.Transfers[a.Transfer].Start
	}
	for _, part := range parts {
		sortStable(part, func(a, b Action) int {
			return cmp.Or(cmp.Compare(at(a), at(b)), -cmp.Compare(a.Kind, b.Kind))
		})
	}
}

// enterStep appends the actions of one step.
func (l *List) enterStep(parts [][]Action, step []int32) {
	for kind := Grant; kind <= Take; kind++ {
		if kind == Send {
			step = slices.Clone(step)
			sortStable(step, func(a, b int32) int { return cmp.Compare(l.Transfers[a].Start, l.Transfers[b].Start) })
		}
		if kind == Take {
			slices.Sort(step)
		}
		for _, i := range step {
			t := &l.Transfers[i]
			if (kind == Local) != (t.From == t.To) || kind == Grant && !l.Sync {
				continue
			}
			n := t.To
			if kind == Send {
				n = t.From
			}
			parts[n] = append(parts[n], Action{kind, i})
		}
	}
}

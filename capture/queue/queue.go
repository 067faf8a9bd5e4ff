// SPDX-License-Identifier: Apache-2.0

// Package queue counts the flits that wait in the buffers of nodes. A flit waits in a cycle if it arrived
// in an earlier one and has not left before.
package queue

import (
	"cmp"
	"math"
	"slices"

	"meshwright/router"
)

// Record collects how the numbers of waiting flits change, in any order of cycles and nodes.
type Record struct {
	From router.Cycle // the first cycle of interest

	before  map[router.NodeID]int     // changes up to From, summed up
	pending map[router.Cycle][]change // later ones that are not settled, by cycle
	changes []change                  // those that are, one for a cycle and node
	nodes   router.NodeID             // all that the record names are below it
	sorted  bool
	spare   [][]change `snapshot:"-"` // room for pending ones
}

// change says that from a cycle on more flits wait at a node, or fewer.
type change struct {
	cycle router.Cycle
	node  router.NodeID
	more  int32
}

// Arrive enters a flit that arrives in a buffer of a node in a cycle: it waits from the next cycle on.
func (r *Record) Arrive(at router.NodeID, cycle router.Cycle) { r.enter(change{cycle + 1, at, 1}) }

// Leave enters a flit that leaves a buffer of a node in a cycle.
func (r *Record) Leave(at router.NodeID, cycle router.Cycle) { r.enter(change{cycle + 1, at, -1}) }

func (r *Record) enter(c change) {
	r.nodes = max(r.nodes, c.node+1)
	if c.cycle > r.From {
		if r.pending == nil {
			r.pending = map[router.Cycle][]change{}
		}
		list, known := r.pending[c.cycle]
		if last := len(r.spare) - 1; !known && last >= 0 {
			list, r.spare = r.spare[last], r.spare[:last]
		}
		r.pending[c.cycle] = append(list, c)
		return
	}
	if r.before == nil {
		r.before = map[router.NodeID]int{}
	}
	r.before[c.node] += int(c.more)
}

// Settle sums up the changes up to a cycle: most flits leave in the cycle in which they arrive, and change nothing.
// Later calls for these cycles are allowed, and cost a sort in the end.
func (r *Record) Settle(cycle router.Cycle) {
	var due []router.Cycle
	for at := range r.pending {
		if at <= cycle {
			due = append(due, at)
		}
	}
	slices.Sort(due)
	for _, at := range due {
		r.settle(r.pending[at])
		r.spare = append(r.spare, r.pending[at][:0])
		delete(r.pending, at)
	}
}

// settle sums up the changes of a cycle.
func (r *Record) settle(list []change) {
	slices.SortFunc(list, func(a, b change) int { return cmp.Compare(a.node, b.node) })
	for len(list) > 0 {
		sum := list[0]
		for list = list[1:]; len(list) > 0 && list[0].node == sum.node; list = list[1:] {
			sum.more += list[0].more
		}
		if sum.more != 0 {
			r.changes, r.sorted = append(r.changes, sum), false
		}
	}
}

// Drop forgets everything.
func (r *Record) Drop() { r.before, r.pending, r.changes, r.spare = nil, nil, nil, nil }

// Span returns the first and the last cycle in which flits wait. Of flits that never leave, the last cycle is the
// first in which nothing changes any more. False: no flit waits.
func (r *Record) Span() (first, last router.Cycle, ok bool) {
	w := r.Walk()
	total := 0
	for _, flits := range w.waiting {
		total += flits
	}
	if total > 0 {
		first, last, ok = r.From, r.From, true
	}
	for k := 0; k < len(r.changes); {
		cycle := r.changes[k].cycle
		if total > 0 {
			last = cycle - 1
		}
		for ; k < len(r.changes) && r.changes[k].cycle == cycle; k++ {
			total += int(r.changes[k].more)
		}
		if total > 0 && !ok {
			first, ok = cycle, true
		}
		if total > 0 {
			last = cycle
		}
	}
	return first, last, ok
}

// Walk is a way through the cycles of a record.
type Walk struct {
	waiting []int // by node
	rest    []change
}

// Walk begins at the record's first cycle.
func (r *Record) Walk() *Walk {
	r.Settle(math.MaxInt64)
	if !r.sorted {
		slices.SortStableFunc(r.changes, func(a, b change) int { return cmp.Compare(a.cycle, b.cycle) })
		r.sorted = true
	}
	w := &Walk{waiting: make([]int, r.nodes), rest: r.changes}
	for n, flits := range r.before {
		w.waiting[n] = flits
	}
	return w
}

// To goes on to a cycle that is no earlier than the last one.
func (w *Walk) To(cycle router.Cycle) {
	for ; len(w.rest) > 0 && w.rest[0].cycle <= cycle; w.rest = w.rest[1:] {
		w.waiting[w.rest[0].node] += int(w.rest[0].more)
	}
}

// At returns the number of flits that wait at a node in the cycle of the walk.
func (w *Walk) At(n router.NodeID) int {
	if int(n) >= len(w.waiting) {
		return 0
	}
	return w.waiting[n]
}

// SPDX-License-Identifier: Apache-2.0

// Package queue counts the flits that wait in the buffers of nodes. A flit waits in a cycle if it arrived
// in an earlier one and has not left before.
package queue

import (
	"cmp"
	"maps"
	"slices"

	"meshwright/router"
)

// Record collects how the numbers of waiting flits change, in any order of cycles and nodes.
type Record struct {
	From router.Cycle // the first cycle of interest

	before  map[router.NodeID]int // changes up to From, summed up
	changes []change              // later ones
	sorted  bool
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
	if c.cycle > r.From {
		r.changes, r.sorted = append(r.changes, c), false
		return
	}
	if r.before == nil {
		r.before = map[router.NodeID]int{}
	}
	r.before[c.node] += int(c.more)
}

// Drop forgets everything.
func (r *Record) Drop() { r.before, r.changes = nil, nil }

// Span returns the first and the last cycle in which flits wait. Of flits that never leave, the last cycle is the
// first in which nothing changes any more. False: no flit waits.
func (r *Record) Span() (first, last router.Cycle, ok bool) {
	w := r.Walk()
	total := 0
	for n := range maps.Values(w.waiting) {
		total += n
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
	waiting map[router.NodeID]int
	rest    []change
}

// Walk begins at the record's first cycle.
func (r *Record) Walk() *Walk {
	if !r.sorted {
		slices.SortStableFunc(r.changes, func(a, b change) int { return cmp.Compare(a.cycle, b.cycle) })
		r.sorted = true
	}
	w := &Walk{waiting: map[router.NodeID]int{}, rest: r.changes}
	maps.Copy(w.waiting, r.before)
	return w
}

// To goes on to a cycle that is no earlier than the last one.
func (w *Walk) To(cycle router.Cycle) {
	for ; len(w.rest) > 0 && w.rest[0].cycle <= cycle; w.rest = w.rest[1:] {
		w.waiting[w.rest[0].node] += int(w.rest[0].more)
	}
}

// At returns the number of flits that wait at a node in the cycle of the walk.
func (w *Walk) At(n router.NodeID) int { return w.waiting[n] }

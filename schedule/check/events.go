// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math/bits"

	"meshwright/router"
)

// eventKind is the kind of an event.
type eventKind uint8

const (
	placing  eventKind = iota // a PE places a head in its injection register; of a chip
	arriving                  // a head is in the chip behind a link, to be cut through; of a slot
	crossed                   // a tail is off a link since the last tick; of a slot
	roomy                     // the buffer behind a requested link has room; of a slot
)

// event is something that happens at the start of a tick.
type event struct {
	at   router.Cycle
	of   int32
	kind eventKind
}

// events is a queue for times that never go back: an event is in the bucket of
// the highest bit in which its time differs from the present, and moves to lower
// buckets only (a radix heap).
type events struct {
	now     router.Cycle
	buckets [64][]event
	spare   []event
}

// add takes an event of a later tick, or, before the first call of next, of any.
func (q *events) add(e event) {
	b := &q.buckets[bits.Len64(uint64(e.at^q.now))]
	*b = append(*b, e)
}

// next returns the first tick with events and all of them, which are valid until
// the next call; nil when there is none.
func (q *events) next() (router.Cycle, []event) {
	low := 0
	for ; low < len(q.buckets) && len(q.buckets[low]) == 0; low++ {
	}
	if low == len(q.buckets) {
		return 0, nil
	}
	if low > 0 {
		from := q.buckets[low]
		q.now = from[0].at
		for i := range from {
			q.now = min(q.now, from[i].at)
		}
		for _, e := range from {
			q.add(e)
		}
		q.buckets[low] = from[:0]
	}
	list := q.buckets[0]
	q.buckets[0], q.spare = q.spare[:0], list
	return q.now, list
}

// pushRequest and popRequest keep a heap of requests, the one to grant first at [0].
// They compare requests directly; package heap calls a method for it.
func pushRequest(heap []request, r request) []request {
	heap = append(heap, r)
	i := len(heap) - 1
	for ; i > 0 && r.before(heap[(i-1)/2]); i = (i - 1) / 2 {
		heap[i] = heap[(i-1)/2]
	}
	heap[i] = r
	return heap
}

func popRequest(heap []request) []request {
	last := len(heap) - 1
	r := heap[last]
	heap = heap[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			if last > 0 {
				heap[i] = r
			}
			return heap
		}
		if child+1 < last && heap[child+1].before(heap[child]) {
			child++
		}
		if !heap[child].before(r) {
			heap[i] = r
			return heap
		}
		heap[i] = heap[child]
		i = child
	}
}

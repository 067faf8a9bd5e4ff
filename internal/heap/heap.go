// SPDX-License-Identifier: Apache-2.0

// Package heap is the project's binary heap: a queue whose first element comes before
// all others. The elements are in the slice itself, without the
// interfaces of container/heap.
package heap

// Ordered is an element of a heap. Before is a strict order. Elements of which neither comes
// before the other leave in any order, but always in the same.
type Ordered[T any] interface{ Before(T) bool }

// Heap is a binary heap; its first element is Heap[0]. The zero value is empty.
type Heap[T Ordered[T]] []T

// Init makes a heap of elements in any order.
func (h Heap[T]) Init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

// Push adds an element.
func (h *Heap[T]) Push(x T) {
	*h = append(*h, x)
	q := *h
	i := len(q) - 1
	for i > 0 && x.Before(q[(i-1)/2]) {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = x
}

// Pop removes the first element of a heap that is not empty, and returns it.
func (h *Heap[T]) Pop() T {
	q := *h
	first, last := q[0], len(q)-1
	q[0] = q[last]
	var none T
	q[last] = none // so that nothing is kept alive
	*h = q[:last]
	if last > 0 {
		h.down(0)
	}
	return first
}

// FixFirst restores the order after a change of the first element.
func (h Heap[T]) FixFirst() { h.down(0) }

// down moves element i to its place below.
func (h Heap[T]) down(i int) {
	x := h[i]
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].Before(h[child]) {
			child++
		}
		if !h[child].Before(x) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = x
}

// SPDX-License-Identifier: Apache-2.0

package pe

import "meshwright/router"

// timer is a PE that waits for a cycle.
type timer struct {
	at router.Cycle
	pe int32
}

// timers is a binary heap, the earliest first.
type timers []timer

func (h *timers) push(t timer) {
	*h = append(*h, t)
	q := *h
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if q[up].at <= q[i].at {
			return
		}
		q[up], q[i] = q[i], q[up]
		i = up
	}
}

func (h *timers) pop() timer {
	q := *h
	top := q[0]
	last := len(q) - 1
	q[0] = q[last]
	q = q[:last]
	*h = q
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return top
		}
		if child+1 < last && q[child+1].at < q[child].at {
			child++
		}
		if q[i].at <= q[child].at {
			return top
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
}

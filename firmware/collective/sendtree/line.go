// SPDX-License-Identifier: Apache-2.0

package sendtree

import "meshwright/router"

// line is the fastest way to inform the nodes on one side of a node that has
// the words, in whole messages that pass nodes: the node sends to one of them,
// which takes over all from some node on, on both of its sides, and goes on
// with those that are nearer.
//
// With C(m) the least time for m nodes, k of them kept, and the receiver placed
// behind j of the q = m-k that it takes over,
//
//	C(m) = min over k, j of max(turn(q) + C(k), whole(q, k+1+j) + max(C(j), C(q-1-j)))
//
// which is solved for all m at once: the best j for every q does not depend on
// k. Messages that one startup sends to both sides, and all later ones, use
// different links or follow one another, so that none waits.
type line struct {
	keep []int // by m: the nodes that are kept
	near []int // by q: those between them and the receiver
	time []router.Cycle
}

// maxExact bounds the lines that are solved exactly, which takes quadratic
// time; longer ones are cut in thirds.
const maxExact = 8192

// newLine plans for up to most nodes; words gives the words of a message for q nodes.
func newLine(c *clock, most int, words func(q int) int) *line {
	l := &line{keep: make([]int, most+1), near: make([]int, most+1), time: make([]router.Cycle, most+1)}
	behind := make([]router.Cycle, most+1) // by q: least j*h + max(C(j), C(q-1-j))
	for m := 1; m <= most; m++ {
		l.near[m], behind[m] = l.place(c, m)
		if m > maxExact {
			k := m / 3
			l.keep[m], l.time[m] = k, l.split(c, m, k, words(m-k), behind)
			continue
		}
		for k := range m {
			if k > 0 && c.turn(words(m-k))+l.time[k] >= l.time[m] {
				if words(m-k) == words(m) { // it only grows with k
					break
				}
				continue
			}
			if at := l.split(c, m, k, words(m-k), behind); k == 0 || at < l.time[m] {
				l.keep[m], l.time[m] = k, at
			}
		}
	}
	return l
}

// place puts the receiver behind j of q nodes.
func (l *line) place(c *clock, q int) (near int, time router.Cycle) {
	if q > maxExact {
		j := (q - 1) / 2
		return j, router.Cycle(j)*c.Hop + max(l.time[j], l.time[q-1-j])
	}
	for j := range (q + 1) / 2 {
		if j > 0 && router.Cycle(j)*c.Hop >= time {
			break
		}
		if at := router.Cycle(j)*c.Hop + max(l.time[j], l.time[q-1-j]); j == 0 || at < time {
			near, time = j, at
		}
	}
	return near, time
}

func (l *line) split(c *clock, m, k, words int, behind []router.Cycle) router.Cycle {
	return max(c.turn(words)+l.time[k], c.UntilWhole(k+1, words)+behind[m-k])
}

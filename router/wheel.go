// SPDX-License-Identifier: Apache-2.0

package router

import "math"

// wheel is a timer for each of many chips: lists by tick, modulo the number of
// lists. A timer that is set for longer than a turn of the wheel stays in its
// list for some turns.
type wheel struct {
	first   []int32 // by tick modulo the size: a chip, -1: none
	next    []int32 // by chip: the next one of the same list
	due     []Cycle // by chip
	running int
}

// maxWheel bounds the lists.
const maxWheel = 4096

// newWheel returns a wheel for timers of up to span ticks.
func newWheel(chips int, span Cycle) wheel {
	size := 1
	for size < maxWheel && Cycle(size) <= span {
		size *= 2
	}
	w := wheel{first: make([]int32, size), next: make([]int32, chips), due: make([]Cycle, chips)}
	for i := range w.first {
		w.first[i] = -1
	}
	return w
}

func (w *wheel) slot(t Cycle) int { return int(t) & (len(w.first) - 1) }

// start sets the timer of a chip, which does not run, to tick t.
func (w *wheel) start(chip int32, t Cycle) {
	slot := w.slot(t)
	w.due[chip] = t
	w.next[chip] = w.first[slot]
	w.first[slot] = chip
	w.running++
}

// expire returns the chips whose timers are due at tick t, in list; they stop.
func (w *wheel) expire(t Cycle, list []int32) []int32 {
	list = list[:0]
	slot := w.slot(t)
	kept := int32(-1)
	for chip := w.first[slot]; chip >= 0; {
		next := w.next[chip]
		if w.due[chip] == t {
			list = append(list, chip)
		} else {
			w.next[chip] = kept
			kept = chip
		}
		chip = next
	}
	w.first[slot] = kept
	w.running -= len(list)
	return list
}

// soonest returns the first tick from t on in which a timer may be due.
func (w *wheel) soonest(t Cycle) Cycle {
	if w.running == 0 {
		return math.MaxInt64
	}
	for end := t + Cycle(len(w.first)); t < end; t++ {
		for chip := w.first[w.slot(t)]; chip >= 0; chip = w.next[chip] {
			if w.due[chip] == t {
				return t
			}
		}
	}
	return t
}

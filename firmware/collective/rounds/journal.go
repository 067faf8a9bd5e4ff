// SPDX-License-Identifier: Apache-2.0

package rounds

// journal is what a change has changed, so that it can be undone.
type journal struct {
	to            []was[int32]
	brings, known []was[uint64]
	loads         []was[load]
	sum           []float64
	used          []int
	lacks         int
}

// was is what was in a place.
type was[T any] struct {
	at  int32
	old T
}

// restore puts everything back, the last first.
func restore[T any](list []was[T], places []T) {
	for k := len(list) - 1; k >= 0; k-- {
		places[list[k].at] = list[k].old
	}
}

// move lets a slot of a round send to another node, or to none.
type move struct{ slot, to int32 }

// change makes moves, and works out what follows.
func (f *form) change(moves []move) {
	f.remember()
	for _, m := range moves {
		f.redirect(m.slot, m.to)
	}
	f.follow()
}

// remember begins a change.
func (f *form) remember() {
	j := &f.past
	j.to, j.brings, j.known, j.loads = j.to[:0], j.brings[:0], j.known[:0], j.loads[:0]
	j.sum, j.used, j.lacks = append(j.sum[:0], f.sum...), append(j.used[:0], f.used...), f.lacks
}

// undo takes the last change back.
func (f *form) undo() {
	j := &f.past
	for k := len(j.to) - 1; k >= 0; k-- {
		f.link(j.to[k].at, j.to[k].old)
	}
	restore(j.brings, f.brings)
	restore(j.known, f.known)
	restore(j.loads, f.loads)
	copy(f.sum, j.sum)
	copy(f.used, j.used)
	f.lacks = j.lacks
}

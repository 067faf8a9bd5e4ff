// SPDX-License-Identifier: Apache-2.0

package router

import "slices"

// wormTable keeps the worms in flight; slots are used again.
type wormTable struct {
	worms []Worm
	free  []uint32
}

// slot returns a slot that is free.
func (t *wormTable) slot() uint32 {
	if n := len(t.free); n > 0 {
		id := t.free[n-1]
		t.free = t.free[:n-1]
		return id
	}
	t.worms = append(t.worms, Worm{})
	return uint32(len(t.worms) - 1)
}

// Worm returns the header that the flits of slot id share.
func (t *wormTable) Worm(id uint32) *Worm { return &t.worms[id] }

// NewWorm enters a message into the table and returns its slot. The caller writes the header, all of it.
func (b *Bank) NewWorm() (id uint32, w *Worm) {
	id = b.slot()
	return id, b.Worm(id)
}

// ReserveWorms makes room for more worms at the same time.
func (b *Bank) ReserveWorms(more int) { b.wormTable.worms = slices.Grow(b.wormTable.worms, more) }

// FreeWorm gives a slot back; no flit of the worm may be in the network.
func (b *Bank) FreeWorm(id uint32) { b.free = append(b.free, id) }

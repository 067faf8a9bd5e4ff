// SPDX-License-Identifier: Apache-2.0

package router

import "slices"

// wormTable keeps the worms in flight; slots are used again.
type wormTable struct {
	worms []Worm
	free  []uint32
}

// AddWorm enters a message into the table and returns its slot.
func (b *Bank) AddWorm(w Worm) uint32 {
	t := &b.worms
	if n := len(t.free); n > 0 {
		id := t.free[n-1]
		t.free = t.free[:n-1]
		t.worms[id] = w
		return id
	}
	t.worms = append(t.worms, w)
	return uint32(len(t.worms) - 1)
}

// ReserveWorms makes room for more worms at the same time.
func (b *Bank) ReserveWorms(more int) { b.worms.worms = slices.Grow(b.worms.worms, more) }

// Worm returns the header that the flits of slot id share.
func (b *Bank) Worm(id uint32) *Worm { return &b.worms.worms[id] }

// FreeWorm gives a slot back; no flit of the worm may be in the network.
func (b *Bank) FreeWorm(id uint32) { b.worms.free = append(b.worms.free, id) }

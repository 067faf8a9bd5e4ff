// SPDX-License-Identifier: Apache-2.0

package router

// UseReference gives an empty bank the reference engine in place of one that streams.
func (b *Bank) UseReference() { b.engine = newReference(b.shared) }

// CheckRoutes counts, in a bufferless bank, the flits whose output was copied from
// the flit before them, and among these the flits whose output is wrong.
func (b *Bank) CheckRoutes() (known, wrong int) {
	e := b.engine.(*bufferless)
	for i := range e.cells {
		c := &e.cells[i]
		if c.out < 0 || !e.occupied.words.Has(int32(i)) {
			continue
		}
		known++
		if c.out != b.outputFor(int32(i), b.Worm(c.f.Worm), c.f.Hop, c.f.VC) {
			wrong++
		}
	}
	return known, wrong
}

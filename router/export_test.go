// SPDX-License-Identifier: Apache-2.0

package router

// TakeGeneralWay makes a bank use the general evaluation where it would have
// used the streaming evaluation.
func (b *Bank) TakeGeneralWay() { b.streaming = false }

// CheckRoutes counts, in a bufferless bank, the flits whose output was copied from
// the flit before them, and among these the flits whose output is wrong.
func (b *Bank) CheckRoutes() (known, wrong int) {
	for i := range b.bufferless.cells {
		c := &b.bufferless.cells[i]
		if c.out < 0 || !b.bufferless.held.words.Has(int32(i)) {
			continue
		}
		known++
		if c.out != b.outputFor(int32(i), b.Worm(c.f.Worm), c.f.Hop, c.f.VC) {
			wrong++
		}
	}
	return known, wrong
}

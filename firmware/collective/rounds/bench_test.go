// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkSearch times changes of forms on a mesh of 40 nodes.
func BenchmarkSearch(b *testing.B) {
	n := networkOf(b, "mesh:8x5", 4)
	random := rand.New(rand.NewPCG(1, 1))
	f := newForm(n, 3, nil)
	f.scatter(random)
	n.search(f, 1<<22, random)
	var moves []move
	cost := f.cost()
	for b.Loop() {
		moves = f.moves(moves[:0], random)
		f.change(moves)
		if now := f.cost(); now > cost {
			f.undo()
		} else {
			cost = now
		}
	}
}

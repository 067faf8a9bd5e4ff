// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a node does, its images do, after any changes.
func TestImagesDoTheSame(t *testing.T) {
	for _, row := range []struct {
		spec   string
		groups []int // symmetries of each
	}{{"torus:4x4", []int{16, 4}}, {"mesh:4x2", []int{4}}, {"hypercube:3", []int{8, 2}}, {"path:6", []int{2}}, {"random-tree:42,882", nil}, {"random-tree:12,3", nil}} {
		n, random := networkOf(t, row.spec, 2), rand.New(rand.NewPCG(1, 3))
		list := n.symmetric()
		require.Len(t, list, len(row.groups), row.spec)
		for k, m := range list {
			require.Len(t, m.nodes, row.groups[k], row.spec)
			f := newForm(n, 3, m)
			f.scatter(random)
			for range 100 {
				f.change(f.moves(nil, random))
				if random.IntN(2) == 0 {
					f.undo()
				}
			}
			for g, s := range m.nodes {
				for i, v := range f.to {
					round, slot := i/len(n.slots), i%len(n.slots)
					if v != none {
						v = s[v]
					}
					require.Equal(t, v, f.to[round*len(n.slots)+int(m.slots[g][slot])], row.spec)
				}
			}
		}
	}
}

// Where a symmetry leaves a node where it is, but brings its receiver elsewhere, the node sends to one of both.
func TestNodesThatAreTheirOwnImages(t *testing.T) {
	n, random := networkOf(t, "path:5", 2), rand.New(rand.NewPCG(1, 3))
	f := newForm(n, 3, n.symmetric()[0])
	requireFollows(t, f, random)
	require.Less(t, n.search(f, 1<<18, random).form.lacks, 5)
}

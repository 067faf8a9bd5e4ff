// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"math/rand/v2"
	"slices"

	"meshwright/firmware/collective/sendtree"
)

// form is a tree of messages, and how many pieces go along it.
type form struct {
	parent   []int32   // by node; none at the root
	children [][]int32 // by node, in the order in which it serves them
	parts    int
}

// none is no node.
const none = int32(-1)

// formOf is the form of a tree.
func formOf(t *sendtree.Tree, parts int) *form {
	f := &form{parent: make([]int32, len(t.Parent)), children: make([][]int32, len(t.Parent)), parts: parts}
	f.parent[t.Root] = none
	for _, n := range t.Order[1:] {
		p := int32(t.Parent[n])
		f.parent[n] = p
		f.children[p] = append(f.children[p], int32(n))
	}
	return f
}

// moved returns a form in which a node is child number place of another parent, with all that is below the node.
func (f *form) moved(n, parent int32, place int) *form {
	g := &form{parent: slices.Clone(f.parent), children: slices.Clone(f.children), parts: f.parts}
	old, i := f.parent[n], slices.Index(f.children[f.parent[n]], n)
	g.children[old] = slices.Concat(f.children[old][:i], f.children[old][i+1:])
	g.children[parent] = slices.Insert(slices.Clone(g.children[parent]), min(place, len(g.children[parent])), n)
	g.parent[n] = parent
	return g
}

// below reports whether a node is another one or below it.
func (f *form) below(n, top int32) bool {
	for ; n != none; n = f.parent[n] {
		if n == top {
			return true
		}
	}
	return false
}

// above returns a node between a node and the root, or the node itself, at random; none if it is the root.
func (f *form) above(n int32, random *rand.Rand) int32 {
	depth := 0
	for v := n; f.parent[v] != none; v = f.parent[v] {
		depth++
	}
	if depth == 0 {
		return none
	}
	for range random.IntN(depth) {
		n = f.parent[n]
	}
	return n
}

// sums adds up the words of each node's subtree.
func (f *form) sums(words []int) []int {
	sum := make([]int, len(f.parent))
	for n := range f.parent {
		for v := int32(n); v != none; v = f.parent[v] {
			sum[v] += words[n]
		}
	}
	return sum
}

// depths returns the messages from the root to each node.
func (f *form) depths() []int32 {
	depth := make([]int32, len(f.parent))
	for n := range f.parent {
		for v := int32(n); f.parent[v] != none; v = f.parent[v] {
			depth[n]++
		}
	}
	return depth
}

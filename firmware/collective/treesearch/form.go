// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"math/rand/v2"
	"slices"

	"meshwright/firmware/collective/sendtree"
)

// form is one tree of messages or several, which the pieces take in turn, and how many pieces there are.
type form struct {
	trees []*tree
	sums  []*tree // of an allreduce: along which sums go to the root; nil: along the same
	joint bool    // of an allreduce: whether both ways are booked together, see joint
	parts int

	periodic bool // whether every piece does the same as the one before it
	slack    int  // by how many slacks the period is longer than it must be
}

// slacks is how often the least period is divided.
const slacks = 32

// up lists the trees along which sums go to the root.
func (f *form) up() []*tree {
	if f.sums == nil {
		return f.trees
	}
	return f.sums
}

// tree is a tree of messages.
type tree struct {
	parent   []int32   // by node; none at the root
	children [][]int32 // by node, in the order in which it serves them
}

// none is no node.
const none = int32(-1)

// treeOf takes over a tree that sends.
func treeOf(t *sendtree.Tree) *tree {
	f := newTree(len(t.Parent))
	for _, n := range t.Order[1:] {
		f.add(int32(n), int32(t.Parent[n]))
	}
	return f
}

// newTree is a tree in which no node has a parent.
func newTree(nodes int) *tree {
	return &tree{parent: slices.Repeat([]int32{none}, nodes), children: make([][]int32, nodes)}
}

// add makes a node the last child of a parent.
func (f *tree) add(n, parent int32) {
	f.parent[n] = parent
	f.children[parent] = append(f.children[parent], n)
}

// of returns which of several trees a piece takes.
func of(piece int32, trees []*tree) int { return int(piece) % len(trees) }

// with returns trees with another one in the place of one.
func with(trees []*tree, i int, t *tree) []*tree {
	list := slices.Clone(trees)
	list[i] = t
	return list
}

// moved returns a tree in which a node is child number place of another parent, with all that is below the node.
func (f *tree) moved(n, parent int32, place int) *tree {
	g := &tree{parent: slices.Clone(f.parent), children: slices.Clone(f.children)}
	old, i := f.parent[n], slices.Index(f.children[f.parent[n]], n)
	g.children[old] = slices.Concat(f.children[old][:i], f.children[old][i+1:])
	g.children[parent] = slices.Insert(slices.Clone(g.children[parent]), min(place, len(g.children[parent])), n)
	g.parent[n] = parent
	return g
}

// below reports whether a node is another one or below it.
func (f *tree) below(n, top int32) bool {
	for ; n != none; n = f.parent[n] {
		if n == top {
			return true
		}
	}
	return false
}

// above returns a node between a node and the root, or the node itself, at random; none if it is the root.
func (f *tree) above(n int32, random *rand.Rand) int32 {
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
func (f *tree) sums(words []int) []int {
	sum := make([]int, len(f.parent))
	for n := range f.parent {
		for v := int32(n); v != none; v = f.parent[v] {
			sum[v] += words[n]
		}
	}
	return sum
}

// depths returns the messages from the root to each node.
func (f *tree) depths() []int32 {
	depth := make([]int32, len(f.parent))
	for n := range f.parent {
		for v := int32(n); f.parent[v] != none; v = f.parent[v] {
			depth[n]++
		}
	}
	return depth
}

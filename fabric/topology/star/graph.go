// SPDX-License-Identifier: Apache-2.0

// Package star computes with star graphs: nodes, routes, symmetries and spanning trees.
//
// The nodes of the star graph S_n are the n! permutations of the symbols 1 to n. A link of
// dimension d, from 2 to n, exchanges the symbols at positions 1 and d. Here is S_3, a ring
// of six nodes:
//
//	     123 -- 2 -- 213
//	    /               \
//	   3                 3
//	  /                   \
//	321                   312
//	  \                   /
//	   2                 2
//	    \               /
//	     231 -- 3 -- 132
//
// A node's number is its place in the lexicographic order of the permutations: node 0 is the
// identity, 12..n. Port j of every node is dimension j+2, and leads back by the same port.
//
// The terms and the trees are after P. Fragopoulou and S. G. Akl, Edge-Disjoint Spanning
// Trees on the Star Network with Applications to Fault Tolerance.
package star

import (
	"math/bits"
	"strings"

	"meshwright/internal/input"
	"meshwright/router"
)

// Graph is a star graph. It is read-only once made, and its methods but Necklace and Route
// allocate nothing.
type Graph struct {
	symbols int
	nodes   []Permutation
}

// New makes the star graph of n symbols. The error is an *input.Error.
func New(n int) (*Graph, error) {
	if n < MinSymbols || n > MaxSymbols {
		return nil, input.Errorf("expected 2 to 9", "a star graph of %s", input.Count(n, "symbol"))
	}
	count := 1
	for i := range n {
		count *= i + 1
	}
	g := &Graph{symbols: n, nodes: make([]Permutation, count)}
	for rank := range g.nodes {
		g.nodes[rank] = unrank(rank, n, count)
	}
	return g, nil
}

// unrank returns the permutation of n symbols at a place in the lexicographic order of all count = n!.
func unrank(rank, n, count int) Permutation {
	v := identity
	unused := uint32(1<<(n+1) - 2)
	for i := 1; i <= n; i++ {
		count /= n + 1 - i
		rest := unused
		for range rank / count {
			rest &= rest - 1
		}
		rank %= count
		v[i] = uint8(bits.TrailingZeros32(rest))
		unused &^= 1 << v[i]
	}
	return v
}

// rank is the inverse of unrank.
func (v *Permutation) rank(n int) router.NodeID {
	place := 0
	unused := uint32(1<<(n+1) - 2)
	for i := 1; i <= n; i++ {
		unused &^= 1 << v[i]
		place = place*(n+1-i) + bits.OnesCount32(unused&(1<<v[i]-1))
	}
	return router.NodeID(place)
}

// Symbols returns n.
func (g *Graph) Symbols() int { return g.symbols }

// Nodes returns n!.
func (g *Graph) Nodes() int { return len(g.nodes) }

// Ports returns the number of ports of every node, n-1.
func (g *Graph) Ports() int { return max(0, g.symbols-1) }

// Diameter returns the largest distance between two nodes, floor(3(n-1)/2).
func (g *Graph) Diameter() int { return 3 * g.Ports() / 2 }

// Dimension returns the dimension of a port: the position that its link exchanges with position 1.
func Dimension(p router.Port) int { return int(p) + 2 }

// port is the inverse of Dimension.
func port(dimension int) router.Port { return router.Port(dimension - 2) }

func (g *Graph) has(n router.NodeID) bool { return n >= 0 && int(n) < len(g.nodes) }

// Permutation returns the permutation of a node; the zero value if there is no such node.
func (g *Graph) Permutation(n router.NodeID) Permutation {
	if !g.has(n) {
		return Permutation{}
	}
	return g.nodes[n]
}

// Node returns the node of a permutation; router.None if it is none of the graph's.
func (g *Graph) Node(v Permutation) router.NodeID {
	if g.symbols == 0 || !v.valid(g.symbols) {
		return router.None
	}
	return v.rank(g.symbols)
}

// Name writes the permutation of a node, "2134"; "" if there is no such node.
func (g *Graph) Name(n router.NodeID) string {
	if !g.has(n) {
		return ""
	}
	var b strings.Builder
	for _, symbol := range g.nodes[n][1 : g.symbols+1] {
		b.WriteByte('0' + symbol)
	}
	return b.String()
}

// Named is the inverse of Name; router.None if no node has the name.
func (g *Graph) Named(name string) router.NodeID {
	if g.symbols == 0 || len(name) != g.symbols {
		return router.None
	}
	v := identity
	for i := range g.symbols {
		if name[i] < '1' || name[i] > '9' {
			return router.None
		}
		v[i+1] = name[i] - '0'
	}
	return g.Node(v)
}

// Neighbor returns the node behind port p of node n; router.None if there is no such node or port.
func (g *Graph) Neighbor(n router.NodeID, p router.Port) router.NodeID {
	if !g.has(n) || p < 0 || int(p) >= g.Ports() {
		return router.None
	}
	v := g.nodes[n]
	d := Dimension(p)
	v[1], v[d] = v[d], v[1]
	return v.rank(g.symbols)
}

// Translate returns the node at which v is when the network is moved so that node 0 comes to
// root: root's permutation applied to the symbols of v. Links stay links, of the same dimension.
func (g *Graph) Translate(root, v router.NodeID) router.NodeID {
	if !g.has(root) || !g.has(v) {
		return router.None
	}
	w := g.nodes[v].after(&g.nodes[root])
	return w.rank(g.symbols)
}

// Rotate returns the node at which v is when the network is rotated: 2 -> 3 -> .. -> n -> 2, for
// positions and for symbols. Node 0 stays; a link of dimension d becomes one of the next dimension.
func (g *Graph) Rotate(v router.NodeID) router.NodeID {
	if !g.has(v) {
		return router.None
	}
	w := g.nodes[v].rotate(g.symbols)
	return w.rank(g.symbols)
}

// Necklace returns the unfolded necklace of v: v and the nodes to which 1, 2, … n-2 rotations
// take it. All are equally far from node 0. A necklace is the set of these nodes; when it has
// fewer than n-1 nodes, their number divides n-1, and the unfolded necklace repeats them.
// It is nil if there is no such node.
func (g *Graph) Necklace(v router.NodeID) []router.NodeID {
	if !g.has(v) {
		return nil
	}
	nodes := make([]router.NodeID, g.Ports())
	for i := range nodes {
		nodes[i], v = v, g.Rotate(v)
	}
	return nodes
}

// relative returns the permutation at which v is when the network is translated so that root comes
// to node 0.
func (g *Graph) relative(root, v router.NodeID) Permutation {
	if root == 0 {
		return g.nodes[v]
	}
	back := g.nodes[root].inverse()
	return g.nodes[v].after(&back)
}

// Distance returns the links of a shortest route between two nodes, -1 if one of them is no node.
func (g *Graph) Distance(a, b router.NodeID) int {
	if !g.has(a) || !g.has(b) {
		return -1
	}
	v := g.relative(b, a)
	return v.distance()
}

// Next returns the port by which a shortest route leaves node at for node to, router.Here
// at its end, router.NoPort if one of them is no node. All routes to a node form its shortest-path tree.
func (g *Graph) Next(at, to router.NodeID) router.Port {
	if !g.has(at) || !g.has(to) {
		return router.NoPort
	}
	if at == to {
		return router.Here
	}
	v := g.relative(to, at)
	return port(v.shorter(v.misplaced()))
}

// Route returns the ports of the shortest route of Next; nil if one of them is no node.
func (g *Graph) Route(from, to router.NodeID) []router.Port {
	if !g.has(from) || !g.has(to) {
		return nil
	}
	route := []router.Port{}
	for v := g.relative(to, from); v != identity; {
		d := v.shorter(v.misplaced())
		v[1], v[d] = v[d], v[1]
		route = append(route, port(d))
	}
	return route
}

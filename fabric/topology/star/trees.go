// SPDX-License-Identifier: Apache-2.0

package star

import (
	"meshwright/router"
)

// Trees are the n-1 spanning trees T_2 .. T_n of S_n for a root of choice. No two have a common
// directed link. Tree i, from 0, is T_(i+2): its root has one child, behind port i.
//
// For the identity as the root, let v be another node, k its first symbol and p the position of
// symbol 1. This is the dimension of the link from v to its parent in T_l; "of x" is the position
// of symbol x:
//
//	           l = p   l = k   l = v[k]   other l
//	k = 1      l       l       l          l
//	k not p    k       p       of p       of l
//
//	k = p      l = p   l = v[q]   other l
//	           q       p          of l        q: the first misplaced position after p, cyclically
//	           p       -          l           if no other position is misplaced
//
// Every row holds each dimension once, so the trees differ at every node. Other roots have the
// trees that a translation of the network makes of these. A rotation makes T_(l+1) of T_l. The
// trees are floor(3n/2)+1 deep for n > 2. Fragopoulou and Akl published these trees. Tests show
// these properties for all nodes of S_3 to S_7 and for samples of larger graphs.
type Trees struct{ g *Graph }

// Trees returns the n-1 disjoint spanning trees.
func (g *Graph) Trees() Trees { return Trees{g} }

// Count returns the number of trees, n-1.
func (t Trees) Count() int {
	if t.g == nil {
		return 0
	}
	return t.g.Ports()
}

// Depth returns the depth of every tree, in links.
func (t Trees) Depth() int { return TreeDepth(t.Count() + 1) }

// TreeDepth returns the depth of the disjoint spanning trees of S_n.
func TreeDepth(n int) int {
	if n <= 2 {
		return max(0, n-1)
	}
	return 3*n/2 + 1
}

// has reports whether there are such a tree and such nodes.
func (t Trees) has(tree int, root, v router.NodeID) bool {
	return tree >= 0 && tree < t.Count() && t.g.has(root) && t.g.has(v)
}

// Parent returns the port of node v that leads to its parent in a tree; router.NoPort at the
// root, and if there is no such tree or node. It takes time O(n) and allocates nothing.
func (t Trees) Parent(tree int, root, v router.NodeID) router.Port {
	if !t.has(tree, root, v) || v == root {
		return router.NoPort
	}
	at := t.g.standing(root, v)
	return port(at.parent(tree + 2))
}

// Children appends to ports the ports of node v that lead to its children in a tree, rising,
// and returns them. It takes time O(n) and allocates nothing if ports has room for n-1 more.
func (t Trees) Children(tree int, root, v router.NodeID, ports []router.Port) []router.Port {
	if !t.has(tree, root, v) {
		return ports
	}
	at := t.g.standing(root, v)
	for d := 2; d <= t.g.symbols; d++ {
		at.exchange(d)
		if at.misplaced != 0 && at.parent(tree+2) == d {
			ports = append(ports, port(d))
		}
		at.exchange(d)
	}
	return ports
}

// ShortestPaths are the n-1 subtrees of the shortest-path graph of Fragopoulou and Akl, for a root
// of choice. All their routes are as short as in the network, and no two have a common directed
// link. Tree i, from 0, begins with the root's port i; for the identity as the root it reaches the
// (n-1)! nodes with symbol 1 at position p = i+2, and those nodes that begin with symbol 1 and have
// another symbol than p at position p. Together the trees reach every node.
type ShortestPaths struct{ g *Graph }

// ShortestPaths returns the subtrees of the shortest-path graph.
func (g *Graph) ShortestPaths() ShortestPaths { return ShortestPaths{g} }

// Count returns the number of trees, n-1.
func (t ShortestPaths) Count() int { return Trees(t).Count() }

// Depth returns the depth of every tree, the diameter of the graph.
func (t ShortestPaths) Depth() int { return 3 * t.Count() / 2 }

// Parent returns the port of node v that leads to its parent in a tree; router.NoPort at the
// root, at nodes that the tree does not reach, and if there is no such tree or node.
func (t ShortestPaths) Parent(tree int, root, v router.NodeID) router.Port {
	if !Trees(t).has(tree, root, v) || v == root {
		return router.NoPort
	}
	at := t.g.standing(root, v)
	d := at.shorter(tree + 2)
	if d == 0 {
		return router.NoPort
	}
	return port(d)
}

// Children appends to ports the ports of node v that lead to its children in a tree, rising,
// and returns them.
func (t ShortestPaths) Children(tree int, root, v router.NodeID, ports []router.Port) []router.Port {
	if !Trees(t).has(tree, root, v) {
		return ports
	}
	at := t.g.standing(root, v)
	for d := 2; d <= t.g.symbols; d++ {
		at.exchange(d)
		if at.misplaced != 0 && at.shorter(tree+2) == d {
			ports = append(ports, port(d))
		}
		at.exchange(d)
	}
	return ports
}

// standing is a permutation in which all places are looked up in time O(1).
type standing struct {
	v         Permutation // symbols by position
	of        Permutation // positions by symbol
	misplaced uint32      // positions from 2 on without their symbols, as bits
}

// standing returns the standing of v when the network is translated so that root comes to node
// 0.
func (g *Graph) standing(root, v router.NodeID) standing {
	s := standing{v: g.relative(root, v)}
	s.of, s.misplaced = s.v.inverse(), s.v.misplaced()
	return s
}

// exchange goes along dimension d.
func (s *standing) exchange(d int) {
	v := &s.v
	v[1], v[d] = v[d], v[1]
	s.of[v[1]], s.of[v[d]] = 1, uint8(d)
	if s.misplaced &^= 1 << d; int(v[d]) != d {
		s.misplaced |= 1 << d
	}
}

// shorter returns the dimension of the link to the parent in the l-th subtree of the shortest-path
// graph; 0 if that does not reach the node.
func (s *standing) shorter(l int) int {
	switch p := int(s.of[1]); {
	case p == 1 && s.misplaced>>l&1 == 1:
		return l
	case p == l && p != 1:
		return s.v.shorter(s.misplaced)
	}
	return 0
}

// parent returns the dimension of the link to the parent in T_l, see Trees.
func (s *standing) parent(l int) int {
	k, p := int(s.v[1]), int(s.of[1])
	if k == 1 {
		return l
	}
	if k != p {
		switch l {
		case p:
			return k
		case k:
			return p
		case int(s.v[k]):
			return int(s.of[p])
		}
		return int(s.of[l])
	}
	switch q := cyclicallyAfter(s.misplaced, p); {
	case l == p && q == 0:
		return p
	case l == p:
		return q
	case q != 0 && l == int(s.v[q]):
		return p
	}
	return int(s.of[l])
}

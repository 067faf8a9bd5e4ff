// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"math/bits"

	"meshwright/fabric/topology"
	"meshwright/fabric/topology/star"
	"meshwright/internal/input"
	"meshwright/router"
)

// Closed is a set of trees without common directed links that are known in closed form, for every
// root: a node's place in a tree follows from the numbers of the node and the root alone. The root
// has one child in each tree. The methods allocate nothing but room in ports.
type Closed interface {
	// Count returns the number of trees.
	Count() int
	// Depth returns the depth of the deepest tree, in links.
	Depth() int
	// Parent returns the port of node v that leads to its parent in a tree, counted from 0;
	// router.NoPort at the root, at nodes that the tree does not reach, and if there is no such
	// tree or node.
	Parent(tree int, root, v router.NodeID) router.Port
	// Children appends to ports the ports of node v that lead to its children in a tree.
	Children(tree int, root, v router.NodeID, ports []router.Port) []router.Port
}

// ClosedSpanning returns the disjoint spanning trees of t that are known in closed form: as many as
// a node has links. It is nil if t is neither a hypercube nor a star graph.
func ClosedSpanning(t *topology.Topology) Closed {
	switch {
	case t.Valid() != nil:
		return nil
	case t.Kind == topology.Hypercube:
		return binomials{len(t.Dims)}
	case t.Star() != nil:
		return t.Star().Trees()
	}
	return nil
}

// treesOf lists the trees from a root.
func treesOf(t *topology.Topology, f Closed, root router.NodeID) []*topology.SpanningTree {
	var trees []*topology.SpanningTree
	for tree := range f.Count() {
		parent := noParents(t)
		for n := range router.NodeID(t.Nodes()) {
			parent[n] = t.Neighbor(n, f.Parent(tree, root, n))
		}
		trees = append(trees, topology.NewSpanningTree(root, parent))
	}
	return trees
}

// coverRotatedBinomials covers a hypercube of D dimensions with D spanning trees of
// depth D+1 at most, after Johnsson and Ho: see binomials.
func coverRotatedBinomials(t *topology.Topology, root router.NodeID) (*Cover, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	if t.Kind != topology.Hypercube {
		return nil, input.Errorf("expected hypercube:D", "no rotated binomial trees for %s", t)
	}
	return &Cover{Name: "rotated-binomials", Trees: treesOf(t, ClosedSpanning(t), root)}, nil
}

// coverStarTrees covers a star graph with as many spanning trees as a node has links, after
// Fragopoulou and Akl: see package star.
func coverStarTrees(t *topology.Topology, root router.NodeID) (*Cover, error) {
	g, err := starGraph(t, root)
	if err != nil {
		return nil, err
	}
	return &Cover{Name: "star-trees", Trees: treesOf(t, g.Trees(), root)}, nil
}

// coverStarPaths covers a star graph with as many trees on shortest paths as a node has links,
// after Fragopoulou and Akl: see package star.
func coverStarPaths(t *topology.Topology, root router.NodeID) (*Cover, error) {
	g, err := starGraph(t, root)
	if err != nil {
		return nil, err
	}
	return &Cover{Name: "star-paths", Trees: treesOf(t, g.ShortestPaths(), root)}, nil
}

func starGraph(t *topology.Topology, root router.NodeID) (*star.Graph, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	if t.Star() == nil {
		return nil, input.Errorf("expected star:N", "no trees of a star graph for %s", t)
	}
	return t.Star(), nil
}

// binomials are the D rotated binomial trees of a hypercube, after Johnsson and Ho. Seen from
// the root, node v is joined in tree j to v with bit j set when that is 0, else to v without its
// first bit that is 1 below bit j, cyclically (which is j itself when there is no other).
// The link into v along a dimension k in which v is 0 is so in tree k, and one
// in which v is 1 in the tree of v's next bit above k.
type binomials struct{ dimensions int }

func (b binomials) Count() int { return b.dimensions }

func (b binomials) Depth() int { return BinomialDepth(b.dimensions) }

// BinomialDepth returns the depth of the rotated binomial trees of a hypercube.
func BinomialDepth(dimensions int) int {
	if dimensions < 2 {
		return max(0, dimensions)
	}
	return dimensions + 1
}

func (b binomials) has(tree int, root, v router.NodeID) bool {
	return tree >= 0 && tree < b.dimensions && root >= 0 && v >= 0 && root>>b.dimensions == 0 && v>>b.dimensions == 0
}

func (b binomials) Parent(tree int, root, v router.NodeID) router.Port {
	if !b.has(tree, root, v) || v == root {
		return router.NoPort
	}
	return bitPort(v, b.bit(tree, uint32(v^root)))
}

func (b binomials) Children(tree int, root, v router.NodeID, ports []router.Port) []router.Port {
	if !b.has(tree, root, v) {
		return ports
	}
	for d := range b.dimensions {
		if child := uint32(v^root) ^ 1<<d; child != 0 && b.bit(tree, child) == d {
			ports = append(ports, bitPort(v, d))
		}
	}
	return ports
}

// bit returns the dimension of tree j's link into node v, seen from the root.
func (b binomials) bit(j int, v uint32) int {
	if v>>j&1 == 0 {
		return j
	}
	if below := v & (1<<j - 1); below != 0 {
		return bits.Len32(below) - 1
	}
	return bits.Len32(v) - 1
}

// bitPort returns the port of a hypercube's node that changes a bit of its number.
func bitPort(v router.NodeID, bit int) router.Port {
	return router.Port(2*bit) + router.Port(v>>bit&1)
}

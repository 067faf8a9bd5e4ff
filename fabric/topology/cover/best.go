// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"fmt"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Names lists the constructions.
func Names() []string {
	return []string{"breadth-first", "dimension-orders", "torus-pair", "rotated-binomials", "arborescences", "partial-trees"}
}

// Named makes a cover of k trees by the construction of that name, "" for the
// one that suits the topology (see Best); k = 0: as many as are useful.
// Errors are *input.Error.
func Named(name string, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	if root < 0 || int(root) >= t.Nodes() {
		return nil, input.Errorf(fmt.Sprintf("expected 0 to %d", t.Nodes()-1), "root %d is not a node", root)
	}
	if k < 0 {
		return nil, input.Errorf("expected at least 1, or 0 for as many as are useful", "%d trees", k)
	}
	switch name {
	case "":
		return Best(t, root, k)
	case "breadth-first":
		return exactly(&Cover{Name: name, Trees: []*topology.SpanningTree{topology.BreadthFirst(t, root)}}, k)
	case "dimension-orders":
		c, err := DimensionOrders(t, root)
		if err != nil {
			return nil, err
		}
		return exactly(c, k)
	case "torus-pair":
		c, err := TorusPair(t, root)
		if err != nil {
			return nil, err
		}
		return some(c, k)
	case "rotated-binomials":
		c, err := RotatedBinomials(t, root)
		if err != nil {
			return nil, err
		}
		return some(c, k)
	case "arborescences":
		if k == 0 {
			most, _ := Most(t, root)
			k = max(1, most)
		}
		return Arborescences(t, root, k)
	case "partial-trees":
		if k == 0 {
			k = max(1, t.Degree(root))
		}
		return PartialTrees(t, root, k)
	}
	return nil, input.Errorf(input.Suggest(name, Names()), "unknown cover %q", name)
}

// Best makes a cover by the construction that suits the topology: rotated
// binomial trees on hypercubes, on other grids a tree for each order of the
// dimensions, elsewhere a spanning tree for each link of the root, or, where
// there are not so many, partial ones. A number k of trees other than that of a
// construction is met by Arborescences, as far as there are so many spanning
// trees; 0 is as many as are useful. Errors are *input.Error.
func Best(t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	names := []string{"arborescences"}
	switch {
	case k == 0 && t.Kind == topology.Graph:
		if !spanningForEach(t, root) {
			names = []string{"partial-trees"}
		}
	case k == 1 || t.Kind == topology.Tree:
		names = []string{"breadth-first", "arborescences"}
	case t.Kind == topology.Hypercube:
		names = []string{"rotated-binomials", "arborescences"}
	case t.IsGrid():
		names = []string{"dimension-orders", "arborescences"}
	}
	var c *Cover
	var err error
	for _, name := range names {
		if c, err = Named(name, t, root, k); err == nil {
			break
		}
	}
	return c, err
}

// spanningForEach reports whether there is a spanning tree for each of the
// root's links.
func spanningForEach(t *topology.Topology, root router.NodeID) bool {
	for n := range router.NodeID(t.Nodes()) {
		if t.Degree(n) < t.Degree(root) {
			return false
		}
	}
	most, _ := Most(t, root)
	return most == t.Degree(root)
}

// exactly wants the number of trees that a cover has: its trees only reach
// every node together.
func exactly(c *Cover, k int) (*Cover, error) {
	if k == 0 || k == len(c.Trees) {
		return c, nil
	}
	return nil, input.Errorf(fmt.Sprintf("expected %d, or 0 for all", len(c.Trees)), "%d trees of the cover %s", k, c.Name)
}

// some keeps the first k of trees that each reach every node.
func some(c *Cover, k int) (*Cover, error) {
	if k > len(c.Trees) {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", len(c.Trees)), "%d trees of the cover %s", k, c.Name)
	}
	if k > 0 {
		c.Trees = slices.Clip(c.Trees[:k])
	}
	return c, nil
}

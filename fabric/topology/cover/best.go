// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"context"
	"fmt"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// construction is a way to make a cover of k trees, 0: as many as are useful.
type construction struct {
	name     string
	spanning bool // each of its trees reaches all nodes
	grow     func(ctx limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error)
}

// limited is a context, and one that ends with it or before: then a search is content with the best trees so far.
type limited struct {
	context.Context
	search context.Context
}

func constructions() []construction {
	return []construction{
		{"breadth-first", true, breadthFirst},
		{"dimension-orders", false, dimensionOrders},
		{"torus-pair", true, torusPair},
		{"rotated-binomials", true, rotatedBinomials},
		{"star-trees", true, starTrees},
		{"star-paths", false, starPaths},
		{"arborescences", true, arborescences},
		{"shallow", true, shallow},
		{"partial-trees", false, partialTrees},
	}
}

func breadthFirst(_ limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	return exactly(&Cover{Name: "breadth-first", Trees: []*topology.SpanningTree{topology.BreadthFirst(t, root)}}, k)
}

func dimensionOrders(_ limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	c, err := DimensionOrders(t, root)
	if err != nil {
		return nil, err
	}
	return exactly(c, k)
}

func torusPair(_ limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	c, err := coverTorusPair(t, root)
	if err != nil {
		return nil, err
	}
	return some(c, k)
}

func rotatedBinomials(_ limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	c, err := coverRotatedBinomials(t, root)
	if err != nil {
		return nil, err
	}
	return some(c, k)
}

func starTrees(_ limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	c, err := coverStarTrees(t, root)
	if err != nil {
		return nil, err
	}
	return some(c, k)
}

func starPaths(_ limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	c, err := coverStarPaths(t, root)
	if err != nil {
		return nil, err
	}
	return exactly(c, k)
}

func arborescences(ctx limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	if k == 0 {
		most, _, err := Most(ctx, t, root)
		if err != nil {
			return nil, err
		}
		k = max(1, most)
	}
	return growArborescences(ctx, t, root, k)
}

func partialTrees(ctx limited, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	if k == 0 {
		k = max(1, t.Degree(root))
	}
	return growPartialTrees(ctx, t, root, k)
}

// Names lists the constructions.
func Names() []string {
	var names []string
	for _, c := range constructions() {
		names = append(names, c.name)
	}
	return names
}

// SpanningNames lists the constructions whose trees each reach all nodes.
func SpanningNames() []string {
	var names []string
	for _, c := range constructions() {
		if c.spanning {
			names = append(names, c.name)
		}
	}
	return names
}

// Named makes a cover of k trees by the construction of that name. "" is the construction that
// suits the topology (see Best); k = 0: as many trees as are useful. Errors are *input.Error,
// or the context's.
func Named(ctx context.Context, name string, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	return Limited(ctx, ctx, name, t, root, k)
}

// Limited is Named with a context for searches, which ends with the other one or before. Then a search returns the best trees so far, and the cover is Stopped.
func Limited(ctx, search context.Context, name string, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	if k < 0 {
		return nil, input.Errorf("expected at least 1, or 0 for as many as are useful", "%d trees", k)
	}
	if name == "" {
		return Best(ctx, t, root, k)
	}
	for _, c := range constructions() {
		if c.name == name {
			return c.grow(limited{ctx, search}, t, root, k)
		}
	}
	return nil, input.Errorf(input.Suggest(name, Names()), "unknown cover %q", name)
}

// Best makes a cover by the construction that suits the topology: rotated
// binomial trees on hypercubes, trees on shortest paths on star graphs, on other grids a tree for each order of the
// dimensions, elsewhere a spanning tree for each link of the root, or, where
// there are not so many, partial ones. A number k of trees other than that of a
// construction is met by growArborescences, as far as there are so many spanning
// trees; 0 is as many as are useful. Errors are *input.Error, or the context's.
func Best(ctx context.Context, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	names := []string{"arborescences"}
	switch {
	case k == 0 && t.Kind == topology.Graph:
		if !spanningForEach(ctx, t, root) {
			names = []string{"partial-trees"}
		}
	case k == 1 || t.Kind == topology.Tree:
		names = []string{"breadth-first", "arborescences"}
	case t.Star() != nil:
		names = []string{"star-paths", "star-trees"}
	case t.Kind == topology.Hypercube:
		names = []string{"rotated-binomials", "arborescences"}
	case t.IsGrid():
		names = []string{"dimension-orders", "arborescences"}
	}
	var c *Cover
	var err error
	for _, name := range names {
		if c, err = Named(ctx, name, t, root, k); err == nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil && k <= t.Degree(root) && t.Kind != topology.Tree {
		return nil, notSpanning(ctx, t, root, k)
	}
	return c, err
}

// notSpanning is the error of k trees where only partial ones are so many.
func notSpanning(ctx context.Context, t *topology.Topology, root router.NodeID, k int) error {
	most, _, err := Most(ctx, t, root)
	if err != nil {
		return err
	}
	want := fmt.Sprintf("expected at most %d: no more reach every node without a common link; partial-trees, which reach all nodes together, are up to %d", most, t.Degree(root))
	return input.Errorf(want, "%d trees from node %d of %s", k, root, t)
}

// spanningForEach reports whether there is a spanning tree for each of the
// root's links.
func spanningForEach(ctx context.Context, t *topology.Topology, root router.NodeID) bool {
	for n := range router.NodeID(t.Nodes()) {
		if t.Degree(n) < t.Degree(root) {
			return false
		}
	}
	most, _, _ := Most(ctx, t, root) // an error of the context shows again in what follows
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

// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// treeKind is a way to span a network.
type treeKind struct {
	Name string
	Grow func(context.Context, *topology.Topology, router.NodeID) *topology.SpanningTree
}

func TreeKinds() []treeKind {
	quick := func(grow func(*topology.Topology, router.NodeID) *topology.SpanningTree) func(context.Context, *topology.Topology, router.NodeID) *topology.SpanningTree {
		return func(_ context.Context, t *topology.Topology, root router.NodeID) *topology.SpanningTree {
			return grow(t, root)
		}
	}
	return []treeKind{
		{"breadth-first", quick(topology.BreadthFirst)},
		{"balanced", quick(topology.BalancedBreadthFirst)},
		{"least-broadcast", topology.LeastBroadcast},
		{"dimension-order", quick(topology.DimensionOrder)},
	}
}

// TreeNames lists the spanning trees that a Job can ask for.
func TreeNames() []string {
	var names []string
	for _, k := range TreeKinds() {
		names = append(names, k.Name)
	}
	return names
}

// SpanningTree returns the tree along which a rooted collective goes, and notes when the
// network has to be told its routes. If the job names no tree, it is the tree that the
// machine's routes from the root form: dimension order on grids, the only tree of a tree,
// elsewhere a breadth-first tree.
func (t *Task) SpanningTree() (s *topology.SpanningTree, err error) {
	switch {
	case t.Tree != "":
		s, err = GrowTree(t.Ctx, t.Topology, t.Root, t.Tree)
	case t.Topology.IsGrid():
		return topology.DimensionOrder(t.Topology, t.Root), nil
	case t.Topology.Kind == topology.Tree:
		return topology.BreadthFirst(t.Topology, t.Root), nil
	default:
		s = topology.BreadthFirst(t.Topology, t.Root)
	}
	t.RoutingTree = s
	return s, err
}

// GrowTree grows the spanning tree of that name. Errors are *input.Error, or
// the context's.
func GrowTree(ctx context.Context, t *topology.Topology, root router.NodeID, name string) (*topology.SpanningTree, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	for _, k := range TreeKinds() {
		if k.Name != name {
			continue
		}
		if name == "dimension-order" && !t.IsGrid() {
			return nil, input.Errorf("expected breadth-first", "tree dimension-order on %s", t)
		}
		return k.Grow(ctx, t, root), ctx.Err()
	}
	return nil, input.Errorf(input.Suggest(name, TreeNames()), "unknown tree %q", name)
}

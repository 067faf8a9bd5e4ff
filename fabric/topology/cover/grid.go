// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// DimensionOrders covers a grid (path, ring, mesh, torus, hypercube) with a
// tree for each of its d dimensions: tree i goes along dimension i first, then
// along i+1, i+2 and so on, cyclically, and reaches the nodes that differ from
// the root in dimension i, all of them on shortest paths. On a mesh of two
// dimensions these are the row of the root with all other columns, and its
// column with all other rows.
//
// The trees are disjoint as undirected edges: a line along dimension j, at
// certain other coordinates, belongs to the tree of the first dimension after
// j, cyclically, in which they differ from the root's, or to j's own.
func DimensionOrders(t *topology.Topology, root router.NodeID) (*Cover, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	if !t.IsGrid() {
		return nil, input.Errorf("expected path, ring, mesh, torus or hypercube", "%s has no dimensions", t)
	}
	c := &Cover{Name: "dimension-orders"}
	for first := range t.Dims {
		if t.Dims[first] == 1 {
			continue
		}
		parent := noParents(t)
		from := line(t, parent, []router.NodeID{root}, first)
		for i := 1; i < len(t.Dims); i++ {
			from = append(from, line(t, parent, from, (first+i)%len(t.Dims))...)
		}
		c.Trees = append(c.Trees, topology.NewSpanningTree(root, parent))
	}
	if len(c.Trees) == 0 { // one node
		c.Trees = append(c.Trees, topology.BreadthFirst(t, root))
	}
	return c, nil
}

// line extends a tree from some nodes to all others on their lines along
// dimension d, the shorter way, and returns these.
func line(t *topology.Topology, parent, from []router.NodeID, d int) []router.NodeID {
	var added []router.NodeID
	for _, start := range from {
		for direction, most := range t.Reach(d) {
			at := start
			for range most {
				to := t.Neighbor(at, router.Port(2*d+direction))
				if to == router.None {
					break
				}
				parent[to] = at
				added = append(added, to)
				at = to
			}
		}
	}
	return added
}

func noParents(t *topology.Topology) []router.NodeID {
	return slices.Repeat([]router.NodeID{router.None}, t.Nodes())
}

// coverTorusPair covers a torus of two dimensions, A x B, with two spanning trees
// that are disjoint as undirected edges. Seen from the root, one takes its row
// both ways and climbs from it along all other columns; column 0 it reaches
// from column A-1, over the edges that the rows of the other tree leave free.
// The other is the same with rows and columns exchanged. Together they take
// 2(AB-1) of the 2AB edges, the most that is possible, and are at most
// max(max(A/2,2)+B-1, max(B/2,2)+A-1) deep.
func coverTorusPair(t *topology.Topology, root router.NodeID) (*Cover, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	if t.Kind != topology.Torus || len(t.Dims) != 2 || !t.Wrap[0] || !t.Wrap[1] {
		return nil, input.Errorf("expected torus:AxB with A and B at least 3", "no pair of trees for %s", t)
	}
	return &Cover{Name: "torus-pair", Trees: []*topology.SpanningTree{
		torusTree(t, root, 0), torusTree(t, root, 1),
	}}, nil
}

// torusTree grows the tree whose row is along dimension d.
func torusTree(t *topology.Topology, root router.NodeID, d int) *topology.SpanningTree {
	rows, columns := t.Dims[d], t.Dims[1-d] // sizes along d and across
	plus, minus, up := router.Port(2*d), router.Port(2*d+1), router.Port(2*(1-d))
	parent := noParents(t)
	foot := root // of the column at distance x in + direction
	for x := range rows {
		switch {
		case x > rows/2:
			parent[foot] = t.Neighbor(foot, plus)
		case x > 0:
			parent[foot] = t.Neighbor(foot, minus)
		}
		for at, y := foot, 1; y < columns; y++ {
			to := t.Neighbor(at, up)
			if parent[to] = at; x == 0 {
				parent[to] = t.Neighbor(to, minus)
			}
			at = to
		}
		foot = t.Neighbor(foot, plus)
	}
	return topology.NewSpanningTree(root, parent)
}

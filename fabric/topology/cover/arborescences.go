// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"context"
	"slices"
	"strconv"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/maxflow"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Most returns the largest number of spanning trees rooted at root without a
// common directed link, and the links that say so: a smallest set of links
// without which some nodes cannot be reached, each tree needs one of them.
// (Edmonds: the number is the least of the maximum flows from the root to a
// node.) A network of one node has no links: 0. The error is the context's.
//
// A node that was looked at belongs to the root from then on: a set of nodes
// that it is in has been found to have no fewer links into it than the best so
// far. So most searches end near the node where they begin.
func Most(ctx context.Context, t *topology.Topology, root router.NodeID) (k int, cut []topology.Link, err error) {
	if err := t.ValidNode("root", root); err != nil {
		return 0, nil, err
	}
	links := t.Links()
	f := maxflow.New(t.Nodes(), len(links))
	for _, link := range links {
		f.Arc(int32(link.From), int32(link.To), 1)
	}
	nodes := make([]router.NodeID, t.Nodes())
	for n := range nodes {
		nodes[n] = router.NodeID(n)
	}
	// Nodes with few links come first: the fewer ways the sooner a search is over.
	slices.SortStableFunc(nodes, func(a, b router.NodeID) int { return t.Degree(a) - t.Degree(b) })
	phase := progress.Begin(ctx, "count the disjoint trees of "+t.String(), len(nodes))
	defer phase.End()
	for _, n := range nodes {
		if err := phase.Step(); err != nil {
			return 0, nil, err
		}
		if n == root || len(cut) == 1 {
			continue
		}
		// No more than the best so far is of interest; the first search has to
		// go on until it fails, and leaves a cut.
		most := t.Degree(n) + 1
		if cut != nil {
			most = min(most, len(cut))
		}
		if f.Send(int32(root), int32(n), int64(most)) < int64(most) {
			cut = crossing(f, links)
		}
		f.Reset()
		f.Arc(int32(root), int32(n), maxflow.Unlimited)
	}
	return len(cut), cut, nil
}

// crossing lists the links of the minimum cut that the last search has found.
func crossing(f *maxflow.Network, links []topology.Link) []topology.Link {
	var cut []topology.Link
	for _, link := range links {
		if !f.Reaches(int32(link.From)) && f.Reaches(int32(link.To)) {
			cut = append(cut, link)
		}
	}
	return cut
}

// growArborescences covers any network with k spanning trees without a common
// directed link; they exist whenever no fewer than k links lead into any set
// of nodes without the root (Edmonds). All trees grow at the same time, a node
// each in turn, breadth first, so that they stay shallow. A tree takes a link only
// if the node that the link enters stays in reach of the k-1 other trees. The test
// is a flow to that node over the links that are left, one unit for each other
// tree; a tree's unit may start at any node that the tree has reached. The test at
// this one node is enough, as only sets that the link enters lose it (Lovasz'
// proof). A link that fails once fails for good, so each tree tries each link once.
//
// More trees than there are is an *input.Error that says how many there are;
// another error is the context's.
func growArborescences(ctx context.Context, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	if k < 1 {
		return nil, input.Errorf("expected at least 1", "%d trees", k)
	}
	c := &Cover{Name: "arborescences"}
	if t.Nodes() == 1 {
		k = 1
	}
	if k <= t.Degree(root) || k == 1 {
		g := newGrower(t, root, k)
		if err := g.grow(ctx, g.spare); err != nil {
			return nil, err
		}
		if c.Trees = g.done(); c.Spanning() {
			return c, nil
		}
	}
	most, _, err := Most(ctx, t, root)
	if err != nil {
		return nil, err
	}
	return nil, input.Errorf("expected at most "+strconv.Itoa(most)+": there are no more without a common link", "%d trees from node %d of %s", k, root, t)
}

// grower grows trees side by side.
type grower struct {
	t      *topology.Topology
	f      *maxflow.Network // the network, a node for every tree and the source
	base   []int32          // by node: its first entry in arcOf
	arcOf  []int32          // by link port: its arc in the flow network, -1 unconnected
	trees  []*growing
	source int32
}

// growing is a tree while it grows.
type growing struct {
	node   int32 // in the flow network
	gate   int32 // the arc from the source
	parent []router.NodeID
	in     []bool
	order  []router.NodeID
	start  router.Port // the port that is looked at first
	at     int         // place in order of the node whose links are looked at
	port   router.Port // ports of that node that have been looked at
}

func newGrower(t *topology.Topology, root router.NodeID, k int) *grower {
	nodes := t.Nodes()
	g := &grower{t: t, f: maxflow.New(nodes+k+1, len(t.Links())+k*nodes+k), source: int32(nodes + k), base: make([]int32, nodes+1)}
	for n := range router.NodeID(nodes) {
		for p := range router.Port(t.Ports(n)) {
			arc := int32(-1)
			if to := t.Neighbor(n, p); to != router.None {
				arc = g.f.Arc(int32(n), int32(to), 1)
			}
			g.arcOf = append(g.arcOf, arc)
		}
		g.base[n+1] = int32(len(g.arcOf))
	}
	for i := range k {
		s := &growing{node: int32(nodes + i), start: router.Port(i), parent: noParents(t), in: make([]bool, nodes)}
		s.gate = g.f.Arc(g.source, s.node, 1)
		g.trees = append(g.trees, s)
		g.adopt(s, root, router.None)
	}
	return g
}

// adopt adds a node to a tree: the tree's unit can start there from now on.
func (g *grower) adopt(s *growing, n, parent router.NodeID) {
	s.in[n], s.parent[n] = true, parent
	s.order = append(s.order, n)
	g.f.Arc(s.node, int32(n), maxflow.Unlimited)
}

// grow adds nodes to the trees in turn, over links that a test allows and
// takes, until none can grow any more or ctx ends.
func (g *grower) grow(ctx context.Context, allow func(s *growing, arc int32, to router.NodeID) bool) error {
	for _, s := range g.trees {
		s.at, s.port = 0, 0
	}
	for grown := true; grown; {
		if err := ctx.Err(); err != nil {
			return err
		}
		grown = false
		for _, s := range g.trees {
			if g.step(s, allow) {
				grown = true
			}
		}
	}
	return nil
}

// done returns the trees that have grown.
func (g *grower) done() []*topology.SpanningTree {
	root := g.trees[0].order[0]
	var trees []*topology.SpanningTree
	for i, s := range g.trees {
		if i == 0 || len(s.order) > 1 {
			trees = append(trees, topology.NewSpanningTree(root, s.parent))
		}
	}
	return trees
}

// step adds the next possible node to a tree.
func (g *grower) step(s *growing, allow func(*growing, int32, router.NodeID) bool) bool {
	for ; s.at < len(s.order); s.at, s.port = s.at+1, 0 {
		at := s.order[s.at]
		ports := router.Port(g.t.Ports(at))
		for ; s.port < ports; s.port++ {
			p := (s.port + s.start) % ports
			to := g.t.Neighbor(at, p)
			if to == router.None || s.in[to] {
				continue
			}
			arc := g.arcOf[g.base[at]+int32(p)]
			if g.f.Left(arc) == 0 || !allow(s, arc, to) {
				continue
			}
			g.adopt(s, to, at)
			return true
		}
	}
	return false
}

// spare takes an arc out of the network for a tree, if that leaves enough.
func (g *grower) spare(s *growing, arc int32, to router.NodeID) bool {
	g.f.SetLeft(arc, 0)
	g.f.SetLeft(s.gate, 0)
	others := int64(len(g.trees) - 1)
	enough := g.f.Send(g.source, int32(to), others) == others
	g.f.Reset()
	g.f.SetLeft(s.gate, 1)
	if !enough {
		g.f.SetLeft(arc, 1)
	}
	return enough
}

// growPartialTrees covers any network with k trees without a common directed link.
// A tree need not reach every node, so there may be more trees than spanning trees
// where few links lead into some nodes. At best each node is in as many trees as
// there are paths to it without a common link, or in all trees (Bang-Jensen, Frank,
// Jackson). The trees grow as in growArborescences. A tree takes a link only if as
// many trees as before can still reach the node that the link enters; this rule
// does not always find the best trees. At the end the first tree that can use a
// left-over link takes it. Errors are *input.Error, or the context's.
func growPartialTrees(ctx context.Context, t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	if err := t.ValidNode("root", root); err != nil {
		return nil, err
	}
	if k < 1 || k > max(1, t.Degree(root)) {
		return nil, input.Errorf("expected at least 1 and no more than its links, "+strconv.Itoa(t.Degree(root)), "%d trees from node %d of %s", k, root, t)
	}
	g := newGrower(t, root, k)
	if err := g.grow(ctx, g.harmless); err != nil {
		return nil, err
	}
	if err := g.grow(ctx, g.anyLink); err != nil {
		return nil, err
	}
	return &Cover{Name: "partial-trees", Trees: g.done()}, nil
}

// harmless takes an arc out of the network for a tree, if as many trees as
// before can still reach the node it enters.
func (g *grower) harmless(s *growing, arc int32, to router.NodeID) bool {
	// No more trees can reach a node than links lead into it: to look for one
	// more would take a search through all of the network.
	most := int64(min(len(g.trees), g.t.Degree(to)))
	before := g.f.Send(g.source, int32(to), most)
	g.f.Reset()
	g.f.SetLeft(arc, 0)
	g.f.SetLeft(s.gate, 0)
	after := g.f.Send(g.source, int32(to), before-1)
	g.f.Reset()
	g.f.SetLeft(s.gate, 1)
	if after < before-1 {
		g.f.SetLeft(arc, 1)
		return false
	}
	return true
}

func (g *grower) anyLink(_ *growing, arc int32, _ router.NodeID) bool {
	g.f.SetLeft(arc, 0)
	return true
}

// SPDX-License-Identifier: Apache-2.0

package cover

import (
	"strconv"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Most returns the largest number of spanning trees rooted at root without a
// common directed link, and the links that say so: a smallest set of links
// without which some nodes cannot be reached, each tree needs one of them.
// (Edmonds: the number is the least of the maximum flows from the root to a
// node.) A network of one node has no links: 0.
func Most(t *topology.Topology, root router.NodeID) (k int, cut []topology.Link) {
	links := t.Links()
	f := newFlow(t.Nodes(), len(links))
	for _, link := range links {
		f.arc(int32(link.From), int32(link.To), 1)
	}
	best := len(links)
	for n := range router.NodeID(t.Nodes()) {
		if n == root || best <= 1 && cut != nil {
			continue
		}
		// One unit more than the best would need no search to the end; a
		// search that fails before leaves the cut behind.
		most := t.Degree(n) + 1
		if cut != nil {
			most = min(most, best)
		}
		units := f.units(int32(root), int32(n), most)
		if units < most && (cut == nil || units < best) {
			best, cut = units, f.cut(links)
		}
		f.reset()
	}
	return len(cut), cut
}

// cut lists the links into the nodes that the last search has seen.
func (f *flow) cut(links []topology.Link) []topology.Link {
	var cut []topology.Link
	for _, link := range links {
		if f.seen[link.From] != f.search && f.seen[link.To] == f.search {
			cut = append(cut, link)
		}
	}
	return cut
}

// Arborescences covers any network with k spanning trees without a common
// directed link; they exist whenever no fewer than k links lead into any set
// of nodes without the root (Edmonds). All trees grow at the same time, a node
// each in turn, breadth first, so that they stay shallow. A link may be taken
// when k units still flow to the node it enters, of which those of the trees
// that have reached a node start there (Lovasz' proof; the test at the one
// node is enough, as only sets that the link enters lose). A link that fails
// once fails for good, so that each is tried once for each tree.
//
// More trees than there are is an *input.Error that says how many there are.
func Arborescences(t *topology.Topology, root router.NodeID, k int) (*Cover, error) {
	if k < 1 {
		return nil, input.Errorf("expected at least 1", "%d trees", k)
	}
	c := &Cover{Name: "arborescences"}
	if t.Nodes() == 1 {
		k = 1
	}
	if k <= t.Degree(root) || k == 1 {
		if trees := newGrower(t, root, k).grow(); trees != nil {
			c.Trees = trees
			return c, nil
		}
	}
	most, _ := Most(t, root)
	return nil, input.Errorf("expected at most "+strconv.Itoa(most)+": there are no more without a common link", "%d trees from node %d of %s", k, root, t)
}

// grower grows trees side by side.
type grower struct {
	t      *topology.Topology
	f      *flow   // the network, a node for every tree and the source
	base   []int32 // by node: its first entry in arcOf
	arcOf  []int32 // by link port: its arc in the flow network, -1 unconnected
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
	g := &grower{t: t, f: newFlow(nodes+k+1, len(t.Links())+k*nodes+k), source: int32(nodes + k), base: make([]int32, nodes+1)}
	for n := range router.NodeID(nodes) {
		for p := range router.Port(t.Ports(n)) {
			arc := int32(-1)
			if to := t.Neighbor(n, p); to != router.None {
				arc = g.f.arc(int32(n), int32(to), 1)
			}
			g.arcOf = append(g.arcOf, arc)
		}
		g.base[n+1] = int32(len(g.arcOf))
	}
	for i := range k {
		s := &growing{node: int32(nodes + i), start: router.Port(i), parent: noParents(t), in: make([]bool, nodes)}
		s.gate = g.f.arc(g.source, s.node, 1)
		g.trees = append(g.trees, s)
		g.adopt(s, root, router.None)
	}
	return g
}

// adopt adds a node to a tree: the tree's unit can start there from now on.
func (g *grower) adopt(s *growing, n, parent router.NodeID) {
	s.in[n], s.parent[n] = true, parent
	s.order = append(s.order, n)
	g.f.arc(s.node, int32(n), unlimited)
}

// grow returns the trees, or nil when there are not so many.
func (g *grower) grow() []*topology.SpanningTree {
	root := g.trees[0].order[0]
	for range g.t.Nodes() - 1 {
		for _, s := range g.trees {
			if !g.step(s) {
				return nil
			}
		}
	}
	var trees []*topology.SpanningTree
	for _, s := range g.trees {
		trees = append(trees, topology.NewSpanningTree(root, s.parent))
	}
	return trees
}

// step adds the next possible node to a tree.
func (g *grower) step(s *growing) bool {
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
			if g.f.capacity[arc] == 0 || !g.spare(s, arc, to) {
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
	g.f.capacity[arc], g.f.capacity[s.gate] = 0, 0
	others := len(g.trees) - 1
	enough := g.f.units(g.source, int32(to), others) == others
	g.f.reset()
	g.f.capacity[s.gate] = 1
	if !enough {
		g.f.capacity[arc] = 1
	}
	return enough
}

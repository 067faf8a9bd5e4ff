// SPDX-License-Identifier: Apache-2.0

package leaders

import (
	"slices"

	"meshwright/router"
)

// item is a sum at a node.
type item struct {
	node, piece int32
	smaller     int32 // what the node has before: a part of the sum; none
	larger      int32 // what it has next; none
	in, out     span  // messages: those that bring its parts, and those that bring it to others
	put         bool  // it comes as a whole, and takes the place of what is there
	last        bool  // the sum over all nodes
	needed      bool
	tail        router.Cycle // the least time from the item to the end
}

// span is a part of a list.
type span struct{ from, to int32 }

// edge is a message before it has times.
type edge struct {
	from, to int32 // items
	early    int32
}

// graph is what the messages of some forms wait for.
type graph struct {
	*network
	items []item    // what an item is made of comes before it
	edges []edge    // by receiving item
	out   []int32   // edges by sending item
	own   [][]int32 // by cluster and knower: the item
	tops  []int32   // by node: its last item
	design
}

// lay lists the items and messages of a design.
func (g *graph) lay(d design) {
	g.design, g.items, g.edges = d, g.items[:0], g.edges[:0]
	for p, f := range d.forms {
		g.layPiece(f, int32(p))
	}
	g.weigh()
	g.skip()
	g.sort()
}

func (g *graph) layPiece(f *form, piece int32) {
	for len(g.own) < len(f.clusters) {
		g.own = append(g.own, nil)
	}
	g.tops = slices.Grow(g.tops[:0], g.nodes)[:g.nodes]
	for v := range int32(g.nodes) {
		g.tops[v] = g.item(v, piece, none)
		g.own[v] = append(g.own[v][:0], g.tops[v])
	}
	g.layCluster(f, f.root, piece)
	for _, v := range f.clusters[f.root].knowers {
		g.items[g.tops[v]].last = true
	}
	for v := range int32(g.nodes) {
		g.layDown(f, v, piece)
	}
}

func (g *graph) item(node, piece, smaller int32) int32 {
	i := int32(len(g.items))
	at := int32(len(g.edges))
	g.items = append(g.items, item{node: node, piece: piece, smaller: smaller, larger: none, in: span{at, at}})
	if smaller != none {
		g.items[smaller].larger = i
	}
	return i
}

// message adds a message to the last item.
func (g *graph) message(from, to, early int32) {
	g.edges = append(g.edges, edge{from, to, early})
	g.items[to].in.to++
}

// layCluster lays the parts of a cluster, and then the cluster.
func (g *graph) layCluster(f *form, c, piece int32) {
	x := &f.clusters[c]
	if len(x.children) == 0 {
		return
	}
	for _, d := range x.children {
		g.layCluster(f, d, piece)
	}
	g.own[c] = g.own[c][:0]
	for i, v := range x.knowers {
		made := g.item(v, piece, g.tops[v])
		g.own[c] = append(g.own[c], made)
		for j, u := range x.givers[i] {
			if u != none {
				d := x.children[j]
				g.message(g.own[d][slices.Index(f.clusters[d].knowers, u)], made, f.early[u])
			}
		}
	}
	for i, v := range x.knowers {
		g.tops[v] = g.own[c][i]
	}
}

// layDown lays the route of the whole sum to a node.
func (g *graph) layDown(f *form, v, piece int32) {
	if g.items[g.tops[v]].last {
		return
	}
	u := f.down[v]
	g.layDown(f, u, piece)
	made := g.item(v, piece, g.tops[v])
	g.message(g.tops[u], made, f.early[g.nodes+int(v)])
	g.tops[v] = made
	g.items[made].put, g.items[made].last = true, true
}

// weigh finds out which items are needed for whole sums, and how much is to come behind each.
func (g *graph) weigh() {
	for i := len(g.items) - 1; i >= 0; i-- {
		x := &g.items[i]
		if x.needed = x.needed || x.last; !x.needed {
			continue
		}
		for _, e := range g.edges[x.in.from:x.in.to] {
			y := &g.items[e.from]
			y.needed = true
			y.tail = max(y.tail, x.tail+g.time(&e))
		}
		if x.smaller != none && !x.put {
			y := &g.items[x.smaller]
			y.needed, y.tail = true, max(y.tail, x.tail)
		}
	}
}

// skip leaves out what is not needed among the items that nodes have before they get whole sums.
func (g *graph) skip() {
	for i := range g.items {
		x := &g.items[i]
		if !x.put {
			continue
		}
		for x.smaller != none && !g.items[x.smaller].needed {
			x.smaller = g.items[x.smaller].smaller
		}
		if x.smaller != none {
			g.items[x.smaller].larger = int32(i)
		}
	}
}

// time is how long a message takes if nothing is in its way.
func (g *graph) time(e *edge) router.Cycle {
	x, y := &g.items[e.from], &g.items[e.to]
	return g.model.UntilWhole(g.Links(x.node, y.node), g.size(x.piece)) + 1
}

// sort lists the messages that bring needed items by their senders.
func (g *graph) sort() {
	for k := range g.edges {
		if g.items[g.edges[k].to].needed {
			g.items[g.edges[k].from].out.to++
		}
	}
	at := int32(0)
	for i := range g.items {
		x := &g.items[i]
		size := x.out.to
		x.out = span{at, at}
		at += size
	}
	g.out = slices.Grow(g.out[:0], int(at))[:at]
	for k := range g.edges {
		if e := &g.edges[k]; g.items[e.to].needed {
			x := &g.items[e.from]
			g.out[x.out.to] = int32(k)
			x.out.to++
		}
	}
}

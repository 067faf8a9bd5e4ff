// SPDX-License-Identifier: Apache-2.0

package relayed

import (
	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// leg is a part of routes: links that a message takes at once.
type leg struct {
	from, to int32
	route    []router.Port
}

// Routes are the routes of all blocks. A block is its source times the nodes plus its destination.
type Routes struct {
	nodes int
	legs  []leg
	next  []int32  // by class and node: the leg by which blocks leave
	left  []uint16 // by class and node: the legs to the destination
	own   bool     // each block is a class of its own; otherwise those for the same node are one
}

// class returns where the legs of a block are listed.
func (w *Routes) class(block int32) int {
	if w.own {
		return int(block) * w.nodes
	}
	return int(block) % w.nodes * w.nodes
}

// links lists the legs of one link each, and returns the first of each node.
func links(t *topology.Topology) (legs []leg, base []int32) {
	base = make([]int32, t.Nodes()+1)
	for v := range t.Nodes() {
		base[v] = int32(len(legs))
		for p := range router.Port(t.Ports(router.NodeID(v))) {
			legs = append(legs, leg{int32(v), int32(t.Neighbor(router.NodeID(v), p)), []router.Port{p}})
		}
	}
	base[t.Nodes()] = int32(len(legs))
	return legs, base
}

// Along returns the routes of the blocks of a list, each a port of every node on its route.
func Along(t *topology.Topology, blocks []int32, ways [][]router.Port) *Routes {
	nodes := t.Nodes()
	legs, base := links(t)
	w := &Routes{nodes: nodes, legs: legs, next: make([]int32, nodes*nodes*nodes), left: make([]uint16, nodes*nodes*nodes), own: true}
	for i, block := range blocks {
		at, class := block/int32(nodes), w.class(block)
		for k, p := range ways[i] {
			l := base[at] + int32(p)
			w.next[class+int(at)], w.left[class+int(at)] = l, uint16(len(ways[i])-k)
			at = legs[l].to
		}
	}
	return w
}

// long returns the routes of trees with legs of so many links each, or fewer for the last. Legs with the same ends are one. A leg of several links takes the route of the machine, unless that is longer than the route of a tree.
func (b *trees) long(reach int, net *fabric.Routes) *Routes {
	nodes := b.nodes
	if reach == 1 {
		return &Routes{nodes: nodes, legs: b.legs, next: b.next, left: b.links}
	}
	w := &Routes{nodes: nodes, left: make([]uint16, nodes*nodes), next: make([]int32, nodes*nodes)}
	known := make([]int32, nodes*nodes) // by both ends: the leg, plus 1
	for to := range nodes {
		tree := b.next[to*nodes:][:nodes]
		for _, v := range b.byDistance(to)[1:] {
			at, links := v, 0
			for ; links < reach && int(at) != to; links++ {
				at = b.legs[tree[at]].to
			}
			w.left[to*nodes+int(v)] = w.left[to*nodes+int(at)] + 1
			k := &known[int(v)*nodes+int(at)]
			if *k == 0 {
				w.legs = append(w.legs, leg{v, at, net.AppendRoute(nil, router.NodeID(v), router.NodeID(at))})
				*k = int32(len(w.legs))
			}
			w.next[to*nodes+int(v)] = *k - 1
			if l := &w.legs[*k-1]; len(l.route) > links {
				l.route = b.route(tree, v, at)
			}
		}
	}
	return w
}

// route returns the ports from a node to another on its way to the root of a tree.
func (b *trees) route(tree []int32, from, to int32) (route []router.Port) {
	for at := from; at != to; at = b.legs[tree[at]].to {
		route = append(route, b.legs[tree[at]].route[0])
	}
	return route
}

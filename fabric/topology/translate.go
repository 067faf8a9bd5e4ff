// SPDX-License-Identifier: Apache-2.0

package topology

import "meshwright/router"

// A translation moves a network onto itself, and can bring node 0 to any node. Links stay links, of
// the same generator: the generators number the links of a node so that no translation
// changes the number of a link. (Such networks are Cayley graphs.)
//
//	network               translation by r                   generator of a link
//	star:N                r applied to the symbols            its dimension
//	hypercube:D           exclusive or with r                 its dimension
//	ring:N, torus:AxB..   r's coordinates added, modulo size  its dimension and direction
//	twisted-torus:AxB     r's steps added, see package twisted    its dimension and direction
//	complete:N            r added, modulo N                   the difference of its ends
//
// So a schedule of node 0 that uses each generator once in a step, moved to all nodes, uses each
// link of the network once in a step: a link of generator g from node u carries what the one
// node sends whose translation brings node 0's hop over g to u.

// Translates reports whether the network has translations: star graphs, twisted tori, complete graphs, and grids of
// which every dimension is a ring or has at most two nodes.
func (t *Topology) Translates() bool {
	if t.star != nil || t.twisted != nil || t.IsComplete() {
		return true
	}
	for d, size := range t.Dims {
		if size > 2 && !t.Axis(d).Wrap {
			return false
		}
	}
	return t.IsGrid()
}

// IsComplete reports whether the network is a graph in which every node has a link to each other.
func (t *Topology) IsComplete() bool {
	return t.Kind == Graph && t.Nodes() > 0 && t.AllPorts() == t.Nodes()*(t.Nodes()-1)
}

// Translate returns the node at which v is when the network is moved so that node 0 comes to root;
// router.None if there is no such node, or the network has no translations.
func (t *Topology) Translate(root, v router.NodeID) router.NodeID {
	switch {
	case !t.Has(root) || !t.Has(v) || !t.Translates():
		return router.None
	case t.star != nil:
		return t.star.Translate(root, v)
	case t.twisted != nil:
		return t.twisted.Translate(root, v)
	case t.IsComplete():
		return (root + v) % router.NodeID(t.Nodes())
	}
	to, stride := 0, 1
	for _, size := range t.Dims {
		to += (int(root)/stride + int(v)/stride) % size * stride
		stride *= size
	}
	return router.NodeID(to)
}

// Generator returns the generator of the link behind port p of node n, less than Ports(n); -1 if
// there is no such link, or the network has no translations.
func (t *Topology) Generator(n router.NodeID, p router.Port) int {
	switch {
	case t.Neighbor(n, p) == router.None || !t.Translates():
		return -1
	case t.IsComplete():
		return (int(t.Neighbor(n, p)-n)+t.Nodes())%t.Nodes() - 1
	case t.IsGrid() && t.Axis(int(p/2)).Size == 2: // + from one of two nodes, - from the other
		return int(p &^ 1)
	}
	return int(p)
}

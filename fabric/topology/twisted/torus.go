// SPDX-License-Identifier: Apache-2.0

// Package twisted computes with twisted tori: neighbours, shortest routes and translations.
//
// A twisted torus is a torus of two dimensions. The links that close the rings of its shorter
// dimension end at nodes that lie the twist further along the longer dimension. Here are the links that
// close the rings of y, up from the highest row, of 6 x 3 nodes with a twist of 3:
//
//	y    to 3  4  5  0  1  2
//	2 |    12 13 14 15 16 17
//	1 |     6  7  8  9 10 11
//	0 |     0  1  2  3  4  5
//	  +----------------------
//	        0  1  2  3  4  5  x
//
// So the ring up from node 0 goes on through 6, 12, 3, 9 and 15 before it closes.
//
// A torus of 2k x k nodes with a twist of k is the rectangular twisted torus of J. M. Cámara, M. Moretó,
// E. Vallejo, R. Beivide, J. Miguel-Alonso, C. Martínez and J. Navaridas, Twisted Torus Topologies for
// Enhanced Interconnection Networks, IEEE Transactions on Parallel and Distributed Systems, 2010. Its
// diameter is k where that of the torus of equal size is k + floor(k/2).
package twisted

import (
	"fmt"

	"meshwright/internal/input"
	"meshwright/router"
)

// Torus is a twisted torus. It is read-only once made, and its methods allocate nothing. Nodes are
// numbered as in a torus, the first dimension fastest; port 2d leads in the + direction of dimension
// d, and port 2d+1 in the - direction.
type Torus struct {
	sides   [2]int
	twist   int
	along   int           // the dimension along which the rings of the other one are shifted
	columns int           // of those that one ring of the other dimension goes through: those with the same rest
	first   []router.Port // by difference of two nodes: the port by which the route leaves
}

// Ports is the number of link ports of a node.
const Ports = 4

// New makes a twisted torus of a x b nodes. The rings of the shorter dimension are shifted along the
// longer one by twist nodes; those of the first dimension along the second where both are equal. The
// longer side is at least 3, the shorter one at least 2, and the twist from 1 to the longer side less
// 1. The error is an *input.Error.
func New(a, b, twist int) (*Torus, error) {
	t := &Torus{sides: [2]int{a, b}, twist: twist, along: 1}
	if a > b {
		t.along = 0
	}
	long, short := t.sides[t.along], t.sides[1-t.along]
	switch {
	case short < 2 || long < 3:
		return nil, input.Errorf("expected sides of at least 2 and 3", "a twisted torus of %d x %d nodes", a, b)
	case twist < 1 || twist >= long:
		return nil, input.Errorf(fmt.Sprintf("expected 1 to %d", long-1), "a twisted torus of %d x %d nodes with twist %d", a, b, twist)
	}
	t.columns = divisor(long, twist)
	t.first = t.routes()
	return t, nil
}

// divisor returns the greatest common divisor of two numbers.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Sides returns the nodes along both dimensions.
func (t *Torus) Sides() [2]int { return t.sides }

// Twist returns by how many nodes closing links are shifted, and along which dimension.
func (t *Torus) Twist() (nodes, dimension int) { return t.twist, t.along }

// Nodes returns the number of nodes.
func (t *Torus) Nodes() int { return t.sides[0] * t.sides[1] }

func (t *Torus) has(n router.NodeID) bool { return n >= 0 && int(n) < t.Nodes() }

// Coordinates returns the position of a node; zeros if there is no such node.
func (t *Torus) Coordinates(n router.NodeID) [2]int {
	if !t.has(n) {
		return [2]int{}
	}
	return [2]int{int(n) % t.sides[0], int(n) / t.sides[0]}
}

// node returns the node so many steps from node 0 in both dimensions, each less than one
// round of its side.
func (t *Torus) node(at [2]int) router.NodeID {
	long, short := t.along, 1-t.along
	switch {
	case at[short] >= t.sides[short]:
		at[short] -= t.sides[short]
		at[long] += t.twist
	case at[short] < 0:
		at[short] += t.sides[short]
		at[long] -= t.twist
	}
	at[long] = (at[long]%t.sides[long] + t.sides[long]) % t.sides[long]
	return router.NodeID(at[0] + t.sides[0]*at[1])
}

// Neighbor returns the node behind port p of node n; router.None if there is no such node or port.
func (t *Torus) Neighbor(n router.NodeID, p router.Port) router.NodeID {
	if !t.has(n) || p < 0 || p >= Ports {
		return router.None
	}
	at := t.Coordinates(n)
	at[p/2] += 1 - 2*int(p%2)
	return t.node(at)
}

// Translate returns the node at which v is when the network is moved so that node 0 comes to
// root; router.None if one of them is no node.
func (t *Torus) Translate(root, v router.NodeID) router.NodeID {
	if !t.has(root) || !t.has(v) {
		return router.None
	}
	a, b := t.Coordinates(root), t.Coordinates(v)
	return t.node([2]int{a[0] + b[0], a[1] + b[1]})
}

// Reflect returns the node at which v is when the network is turned about node 0 and then moved so that node 0 comes to root: each step to
// v becomes one in the other direction. It returns router.None if one of them is no node.
func (t *Torus) Reflect(root, v router.NodeID) router.NodeID {
	if !t.has(root) || !t.has(v) {
		return router.None
	}
	return t.difference(v, root)
}

// difference returns the node that the translation of node 0 to at moves to to.
func (t *Torus) difference(at, to router.NodeID) router.NodeID {
	a, b := t.Coordinates(at), t.Coordinates(to)
	return t.node([2]int{b[0] - a[0], b[1] - a[1]})
}

// Next returns the port by which a message for node to leaves node at: the shortest route, first along x, then
// along y. It is router.Here at the destination, and router.NoPort if one of them is no node.
func (t *Torus) Next(at, to router.NodeID) router.Port {
	if !t.has(at) || !t.has(to) {
		return router.NoPort
	}
	return t.first[t.difference(at, to)]
}

// Closes reports whether the link behind port p of node n is the dateline of its ring. Every ring
// of links of one dimension has one such link in each direction, between the same two nodes.
func (t *Torus) Closes(n router.NodeID, p router.Port) bool {
	if !t.has(n) || p < 0 || p >= Ports {
		return false
	}
	d := int(p / 2)
	low, high := n, t.Neighbor(n, p) // the ends of the link, the one after the dateline first
	if p%2 == 0 {
		low, high = high, low
	}
	first, last := t.Coordinates(low), t.Coordinates(high)
	if first[d] != 0 || last[d] != t.sides[d]-1 {
		return false
	}
	return d == t.along || first[t.along] < t.columns
}

// SPDX-License-Identifier: Apache-2.0

// Package topology says which chips a network has and which links join them.
//
// A [Topology] is made by [Parse] from a spec such as "mesh:8x8" or
// "tree:file.csv". Nodes are numbered with the first dimension fastest:
// id = x + A*y + A*B*z. In path, ring, mesh, torus, twisted torus and hypercube, port 2k of a
// chip leads in the + direction of dimension k and port 2k+1 in the - direction;
// in trees and graphs, port j leads to the node's j-th neighbour in rising order.
// In star graphs port j is dimension j+2, see package star. For twisted tori see package twisted.
//
// Trees and graphs are read from files or generated; the random ones are
// functions of their seed:
//
//	hub:N             node 0 joined to all others
//	binary:D          the complete binary tree of depth D; node n's parent is (n-1)/2
//	comb:AxB          a spine 0..A-1, on node i of it a tooth A+iB, A+iB+1, …
//	random-tree:N     each of the N^(N-2) labelled trees is as likely, root 0
//	recursive-tree:N  every node's parent is any of the lower numbers
//	complete:N        all pairs of nodes joined
//	debruijn:D        2^D nodes, n joined to 2n and 2n+1 modulo 2^D
//	random:N,D        a random tree and random edges up to an average degree of D
package topology

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"meshwright/fabric/topology/star"
	"meshwright/fabric/topology/twisted"
	"meshwright/router"
)

// Kind names a family of topologies.
type Kind string

// The kinds of topologies.
const (
	Path         Kind = "path"
	Ring         Kind = "ring"
	Mesh         Kind = "mesh"
	Torus        Kind = "torus"
	TwistedTorus Kind = "twisted-torus"
	Hypercube    Kind = "hypercube"
	Star         Kind = "star"
	Tree         Kind = "tree"
	Graph        Kind = "graph"

	Shapeless Kind = "shapeless" // any of the others, see WithoutShape
)

// MaxNodes bounds the size of a network, so that a slip of the keyboard is an
// error and not a machine out of memory.
const MaxNodes = 1 << 22

// Topology is a network's shape; it is read-only once made.
type Topology struct {
	Spec string // as the user wrote it
	Kind Kind
	Dims []int  // nodes along each dimension; nil for twisted torus, star, tree and graph
	Wrap []bool // whether the dimension closes to a ring; nil like Dims
	Root router.NodeID

	base    []int32         // ports of node n: base[n] to base[n+1]
	next    []router.NodeID // neighbour behind each port, router.None where unconnected
	back    []router.Port   // the neighbour's port that leads back
	star    *star.Graph     // nil of other kinds
	twisted *twisted.Torus  // nil of other kinds
	cycle   []router.NodeID // a Hamiltonian cycle that is known; nil: see HamiltonianCycle
	whole   *Topology       // of WithoutShape
	left    *Survivors      // of what faults leave of another network
}

// Link is one directed link.
type Link struct {
	From     router.NodeID
	FromPort router.Port
	To       router.NodeID
	ToPort   router.Port
}

// Nodes returns the number of nodes, 0 of a Topology that Parse has not made.
func (t *Topology) Nodes() int { return max(0, len(t.base)-1) }

// Ports returns the number of link ports of node n, unconnected ones included;
// 0 if n is no node.
func (t *Topology) Ports(n router.NodeID) int {
	if n < 0 || int(n)+1 >= len(t.base) {
		return 0
	}
	return int(t.base[n+1] - t.base[n])
}

// AllPorts returns the number of link ports of all nodes, unconnected ones included.
func (t *Topology) AllPorts() int {
	if t.Nodes() == 0 {
		return 0
	}
	return int(t.base[t.Nodes()])
}

// MaxPorts returns the largest number of link ports of a node.
func (t *Topology) MaxPorts() int {
	most := 0
	for n := range t.Nodes() {
		most = max(most, t.Ports(router.NodeID(n)))
	}
	return most
}

// Neighbor returns the node behind port p of node n, or router.None; also if
// there is no such node or port.
func (t *Topology) Neighbor(n router.NodeID, p router.Port) router.NodeID {
	if uint(p) >= uint(t.Ports(n)) {
		return router.None
	}
	return t.next[t.base[n]+int32(p)]
}

// BackPort returns the port of the node behind port p of n that leads back;
// router.NoPort if there is no such node or port.
func (t *Topology) BackPort(n router.NodeID, p router.Port) router.Port {
	if uint(p) >= uint(t.Ports(n)) {
		return router.NoPort
	}
	return t.back[t.base[n]+int32(p)]
}

// PortTo returns the port of node n that leads to its neighbour m; false if
// none does.
func (t *Topology) PortTo(n, m router.NodeID) (router.Port, bool) {
	if !t.Has(n) || !t.Has(m) {
		return router.NoPort, false
	}
	if t.Kind == Tree || t.Kind == Graph { // the ports of a hub are many, and lead to rising nodes
		p, ok := slices.BinarySearch(t.next[t.base[n]:t.base[n+1]], m)
		if !ok {
			return router.NoPort, false
		}
		return router.Port(p), true
	}
	for p := range t.Ports(n) {
		if t.Neighbor(n, router.Port(p)) == m {
			return router.Port(p), true
		}
	}
	return router.NoPort, false
}

// Degree returns the number of connected ports of node n.
func (t *Topology) Degree(n router.NodeID) int {
	degree := 0
	for p := range t.Ports(n) {
		if t.Neighbor(n, router.Port(p)) != router.None {
			degree++
		}
	}
	return degree
}

// Links lists the directed links, rising by node and port: a link's index in
// this list is its id everywhere.
func (t *Topology) Links() []Link { return slices.Collect(t.EachLink()) }

// EachLink ranges over the directed links in the order of Links.
func (t *Topology) EachLink() iter.Seq[Link] {
	return func(yield func(Link) bool) {
		for n := range router.NodeID(t.Nodes()) {
			for p := range router.Port(t.Ports(n)) {
				if m := t.Neighbor(n, p); m != router.None && !yield(Link{n, p, m, t.BackPort(n, p)}) {
					return
				}
			}
		}
	}
}

// PortName names port p for people: +x, -x, +y … on grids and twisted tori, dim2, dim3 … on star
// graphs, the neighbour elsewhere; "" if there is no such node or port.
func (t *Topology) PortName(n router.NodeID, p router.Port) string {
	if uint(p) >= uint(t.Ports(n)) {
		return ""
	}
	switch {
	case t.star != nil:
		return fmt.Sprintf("dim%d", star.Dimension(p))
	case !t.IsGrid() && t.twisted == nil:
		return fmt.Sprintf("to%d", t.Neighbor(n, p))
	}
	sign := "+-"[p%2 : p%2+1]
	if d := int(p / 2); d < 3 {
		return sign + "xyz"[d:d+1]
	}
	return fmt.Sprintf("%sd%d", sign, p/2)
}

// NodeText names a node for people: "14", and "14 (3124)" on a star graph. Nodes of no topology have numbers.
func (t *Topology) NodeText(n router.NodeID) string {
	number := strconv.Itoa(int(n))
	if t == nil || t.star == nil {
		return number
	}
	return number + " (" + t.star.Name(n) + ")"
}

// LinkText names a link for people, with a sign between its nodes: "0>14", and "0>14 (1234>3124)" on a star graph.
func (t *Topology) LinkText(from, to router.NodeID, sign string) string {
	numbers := strconv.Itoa(int(from)) + sign + strconv.Itoa(int(to))
	if t == nil || t.star == nil {
		return numbers
	}
	return numbers + " (" + t.star.Name(from) + sign + t.star.Name(to) + ")"
}

// Star returns the permutations, routes and trees of a star graph; nil if the topology
// is another one.
func (t *Topology) Star() *star.Graph { return t.star }

// Twisted returns the coordinates and routes of a twisted torus; nil if the topology is
// another one.
func (t *Topology) Twisted() *twisted.Torus { return t.twisted }

// WithoutShape returns the same nodes, ports and links as a network of which nothing else is known but a Hamiltonian cycle: plans of messages whose routes do not
// follow dimensions are made on it.
func (t *Topology) WithoutShape() *Topology {
	return &Topology{Spec: t.Spec, Kind: Shapeless, Root: t.Root, base: t.base, next: t.next, back: t.back, cycle: HamiltonianCycle(t), whole: t}
}

// Whole returns the network that WithoutShape was called of, or that faults have left this one of, see Survivors; or else the network itself.
func (t *Topology) Whole() *Topology {
	switch {
	case t == nil:
		return nil
	case t.left != nil:
		return t.left.Whole.Whole()
	case t.whole != nil:
		return t.whole
	}
	return t
}

// Rings reports whether links close rings: on rings, tori and twisted tori.
func (t *Topology) Rings() bool {
	return t != nil && (t.twisted != nil || slices.Contains(t.Wrap, true))
}

// Closes reports whether the link behind port p of node n closes a ring: the dateline.
func (t *Topology) Closes(n router.NodeID, p router.Port) bool {
	switch {
	case t == nil || t.Neighbor(n, p) == router.None:
		return false
	case t.twisted != nil:
		return t.twisted.Closes(n, p)
	case !t.IsGrid() || !t.Wrap[p/2]:
		return false
	}
	at := t.Coordinate(n, int(p/2))
	if p%2 == 0 {
		return at == t.Dims[p/2]-1
	}
	return at == 0
}

// Reach returns the steps in + and in - direction of dimension d after which a
// line from a node has come to every other one, each the shorter way; on a mesh
// it may end before at the border. Both are 0 if there is no such dimension.
func (t *Topology) Reach(d int) [2]int {
	if uint(d) >= uint(len(t.Dims)) || d >= len(t.Wrap) {
		return [2]int{}
	}
	size := t.Dims[d]
	if t.Wrap[d] {
		return [2]int{size / 2, (size - 1) / 2}
	}
	return [2]int{size - 1, size - 1}
}

// String returns the spec the topology was made from.
func (t *Topology) String() string { return t.Spec }

// SPDX-License-Identifier: Apache-2.0

package balanced

import (
	"fmt"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/booking"
	"meshwright/fabric/timing"
	"meshwright/firmware/collective/orbits"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// network is what node 0 sees of the others.
type network struct {
	*plan.Task
	nodes     int
	backwards bool // in time
	model     timing.Model
	words     int // of a block, at most
	sides     []side
	layers    [][]int32          // nodes by distance
	distance  []int              // by node
	may       [][]int32          // by node: the sides over which its block comes on a shortest route
	kept      []booking.Calendar // what is booked before
}

// side is a neighbour to which node 0 sends, when all others send to theirs.
type side struct {
	to   int32
	sees []int32 // by node: where the neighbour sees it
	seen []int32 // by node: where node 0 sees what the neighbour sees there
	way  orbits.Uses
}

// mostSides bounds the neighbours of a node: where there are many, all nodes are near, and messages need not go from neighbour to neighbour.
const mostSides = 64

// newNetwork fails if nodes cannot send to all neighbours when all do the same.
func newNetwork(t *plan.Task, words int, backwards bool) (*network, error) {
	n := &network{Task: t, nodes: t.Topology.Nodes(), backwards: backwards, words: words, model: timing.Stalling(&t.Machine)}
	routes, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	if n.findSides(); len(n.sides) > mostSides {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", mostSides), "%s %s for nodes with %d links", t.Kind.Name, Name, len(n.sides))
	}
	if err := n.findWays(routes); err != nil {
		return nil, err
	}
	n.findLayers()
	n.findMay()
	return n, nil
}

// findSides lists the neighbours of node 0, and what they see.
func (n *network) findSides() {
	for p := range router.Port(n.Topology.Ports(0)) {
		to := n.Topology.Neighbor(0, p)
		if to == router.None || slices.ContainsFunc(n.sides, func(s side) bool { return s.to == int32(to) }) {
			continue
		}
		s := side{to: int32(to), sees: make([]int32, n.nodes), seen: make([]int32, n.nodes)}
		for y := range router.NodeID(n.nodes) {
			x := n.Topology.Translate(to, y)
			s.sees[x], s.seen[y] = int32(y), int32(x)
		}
		n.sides = append(n.sides, s)
	}
}

// findWays finds out what messages to neighbours use. It fails if those of all nodes to a side meet, or do not go there directly.
func (n *network) findWays(routes *fabric.Routes) error {
	book, c := booking.NewStalling(n.Topology, n.Machine, n.backwards), orbits.NewClasses()
	uses := func(u router.NodeID, s *side) []booking.Use {
		v := n.Topology.Translate(u, router.NodeID(s.to))
		if n.backwards {
			u, v = v, u
		}
		if route := routes.AppendRoute(nil, u, v); len(route) == 1 {
			return book.Uses(u, route, 0)
		}
		return nil
	}
	for k := range n.sides {
		first := uses(0, &n.sides[k])
		for u := range router.NodeID(n.nodes) {
			brought := uses(u, &n.sides[k])
			if len(brought) == 0 {
				return input.Errorf("expected routes that are links", "%s %s with routes between neighbours over other nodes", n.Kind.Name, Name)
			}
			c.Join(first, brought)
		}
	}
	n.kept = make([]booking.Calendar, c.Count())
	for k := range n.sides {
		s := &n.sides[k]
		s.way.Links = 1
		s.way.Add(uses(0, s), c, n.nodes)
		if s.way.Limit(n.model, 1, n.words*n.nodes); s.way.Most < n.words {
			return input.Errorf("expected nic.duplex full, or shorter blocks", "%s %s on %s with nic.duplex half: messages of neighbours to each other meet", n.Kind.Name, Name, n.Topology)
		}
	}
	return nil
}

// findLayers sorts the nodes by distance from node 0.
func (n *network) findLayers() {
	n.distance = slices.Repeat([]int{-1}, n.nodes)
	n.distance[0] = 0
	for layer := []int32{0}; len(layer) > 0; {
		n.layers = append(n.layers, layer)
		var next []int32
		for _, x := range layer {
			for k := range n.sides {
				if y := n.sides[k].sees[x]; n.distance[y] < 0 {
					n.distance[y] = len(n.layers)
					next = append(next, y)
				}
			}
		}
		slices.Sort(next)
		layer = next
	}
}

// findMay lists the sides over which the blocks of the nodes may come.
func (n *network) findMay() {
	n.may = make([][]int32, n.nodes)
	for y := range n.may {
		for k := range n.sides {
			if n.distance[n.sides[k].seen[y]] == n.distance[y]-1 {
				n.may[y] = append(n.may[y], int32(k))
			}
		}
	}
}

// tree is the routes of the pieces of blocks. Item p*nodes+y is piece p of the block of y.
type tree struct {
	pieces int
	each   int     // words of a piece, at most
	via    []int32 // by item: the side from which it comes
	behind []int32 // by item: links that it goes on from node 0
}

// newTree finds trees for so many pieces.
func (n *network) newTree(pieces int) *tree {
	t := &tree{pieces: pieces, each: (n.words + pieces - 1) / pieces, behind: make([]int32, pieces*n.nodes)}
	d := &divider{network: n, load: make([]int, len(n.sides)), total: make([]int, len(n.sides))}
	for p := range pieces {
		via, behind := d.divide(), t.behind[p*n.nodes:][:n.nodes]
		t.via = append(t.via, via...)
		for _, layer := range slices.Backward(n.layers[1:]) {
			for _, y := range layer {
				x := n.sides[via[y]].seen[y]
				behind[x] = max(behind[x], behind[y]+1)
			}
		}
	}
	return t
}

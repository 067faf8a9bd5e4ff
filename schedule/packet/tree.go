// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"fmt"
	"math"

	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// Tree is a rooted tree of nodes 0..n-1 over whose edges all packets travel.
type Tree struct {
	parent   []int32 // the root's is -1
	depth    []int32
	order    []int32 // parents before children, children by number
	children [][]int32
	root     int32
}

// maxNodes bounds trees.
const maxNodes = 1 << 22

// NewTree makes the tree in which parent[v] is v's parent, -1 for the root.
// Errors: no node or too many, no root or several, a parent that does not
// exist, a cycle.
func NewTree(parent []int) (*Tree, error) {
	n := len(parent)
	if n < 1 || n > maxNodes {
		return nil, input.Errorf(fmt.Sprintf("expected 1 to %d", maxNodes), "a tree of %s", input.Count(n, "node"))
	}
	t := &Tree{parent: make([]int32, n), depth: make([]int32, n), children: make([][]int32, n), root: -1}
	for v, p := range parent {
		switch {
		case p < -1 || p >= n:
			return nil, input.Errorf("expected a node, or -1 for the root", "node %d has parent %d", v, p)
		case p == -1 && t.root >= 0:
			return nil, input.Errorf("expected one root", "nodes %d and %d have no parent", t.root, v)
		case p == -1:
			t.root = int32(v)
		default:
			t.children[p] = append(t.children[p], int32(v))
		}
		t.parent[v] = int32(p)
	}
	if t.root < 0 {
		return nil, input.Errorf("expected parent -1 for the root", "every node has a parent")
	}
	t.order = append(make([]int32, 0, n), t.root)
	for i := 0; i < len(t.order); i++ {
		v := t.order[i]
		for _, c := range t.children[v] {
			t.depth[c] = t.depth[v] + 1
		}
		t.order = append(t.order, t.children[v]...)
	}
	if len(t.order) < n {
		return nil, input.Errorf("expected a tree", "%s of %d do not hang from root %d", input.Count(n-len(t.order), "node"), n, t.root)
	}
	return t, nil
}

// nodes returns the number of nodes.
func (t *Tree) nodes() int { return len(t.parent) }

// Depth returns the links between the root and node v.
func (t *Tree) Depth(v int) int { return int(t.depth[v]) }

// above tells whether a is a proper ancestor of b.
func (t *Tree) above(a, b int32) bool {
	for t.depth[b] > t.depth[a] {
		b = t.parent[b]
		if b == a {
			return true
		}
	}
	return false
}

// clock converts flits into ticks: a packet of L flits takes setup + L*flit.
type clock struct{ setup, flit int64 }

func clockOf(beta rational.Rational) clock { return clock{beta.Num(), beta.Den()} }

func (c clock) cost(flits int64) int64 { return c.setup + c.flit*flits }

// room returns an error when packets of so many flits over depth links could
// take more ticks than fit into 62 bits.
func (c clock) room(packets, flits int64, depth int32) error {
	ticks := (float64(packets)*float64(c.setup) + float64(flits)*float64(c.flit)) * float64(depth+1)
	if ticks > math.MaxInt64/4 {
		return input.Errorf("expected fewer flits, or a setup with a smaller denominator",
			"%s, %s over %s would take too many ticks to count", input.Count(int(packets), "packet"), input.Count(int(flits), "flit"), input.Count(int(depth), "link"))
	}
	return nil
}

// messages are the non-null messages of a scatter or gather.
type messages struct {
	node  []int32
	flits []int64
}

// maxFlits bounds a message.
const maxFlits = 1 << 28

// messagesOf reads lengths by node; the root's is ignored.
func messagesOf(t *Tree, lengths []int, c clock) (messages, error) {
	var m messages
	if len(lengths) != t.nodes() {
		return m, input.Errorf("expected one a node", "%d lengths for %s", len(lengths), input.Count(t.nodes(), "node"))
	}
	total, depth := int64(0), int32(0)
	for v, l := range lengths {
		if l < 0 || l > maxFlits {
			return m, input.Errorf(fmt.Sprintf("expected 0 to %d", maxFlits), "node %d: length %d", v, l)
		}
		if l > 0 && int32(v) != t.root {
			m.node = append(m.node, int32(v))
			m.flits = append(m.flits, int64(l))
			total += int64(l)
			depth = max(depth, t.depth[v])
		}
	}
	return m, c.room(total, total, depth)
}

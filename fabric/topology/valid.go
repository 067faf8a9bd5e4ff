// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"

	"meshwright/internal/input"
	"meshwright/router"
)

// Has reports whether n is a node.
func (t *Topology) Has(n router.NodeID) bool { return n >= 0 && int(n) < t.Nodes() }

// Valid reports whether Parse has made the topology; one that is nil, or put
// together by hand, has no links. The error is an *input.Error. Functions that
// take a topology and return an error call it.
func (t *Topology) Valid() error {
	const want = "expected one that topology.Parse has made"
	switch {
	case t == nil:
		return input.Errorf(want, "no topology")
	case t.Nodes() == 0:
		return input.Errorf(want, "a topology without nodes")
	case !t.Has(t.Root):
		return input.Errorf(want, "%s has no root %d", t, t.Root)
	case len(t.Wrap) != len(t.Dims):
		return input.Errorf(want, "%s has %d dimensions, and %d that may wrap", t, len(t.Dims), len(t.Wrap))
	case t.Dims == nil:
		return nil
	}
	nodes := 1
	for _, size := range t.Dims {
		if size < 1 || size > MaxNodes/nodes {
			return input.Errorf(want, "%s has a dimension of %d nodes", t, size)
		}
		nodes *= size
	}
	if nodes != t.Nodes() {
		return input.Errorf(want, "%s has dimensions of %d nodes in all, and %d nodes", t, nodes, t.Nodes())
	}
	return nil
}

// ValidNode is Valid, and demands that n is a node; what names it in the error.
func (t *Topology) ValidNode(what string, n router.NodeID) error {
	if err := t.Valid(); err != nil {
		return err
	}
	if !t.Has(n) {
		return input.Errorf(fmt.Sprintf("expected 0 to %d", t.Nodes()-1), "%s %d is not a node of %s", what, n, t)
	}
	return nil
}

// Valid reports whether the tree is one over the nodes of t, along its links:
// every node that it reaches has a parent that stands before it in Order. The
// error is an *input.Error.
func (s *SpanningTree) Valid(t *Topology) error {
	const want = "expected a tree over the network's nodes"
	if err := t.Valid(); err != nil {
		return err
	}
	switch {
	case s == nil:
		return input.Errorf(want, "no tree")
	case len(s.Parent) != t.Nodes() || len(s.Depth) != t.Nodes():
		return input.Errorf(want, "a tree of %d parents and %d depths on %s", len(s.Parent), len(s.Depth), t)
	case len(s.Order) == 0 || s.Order[0] != s.Root || !t.Has(s.Root):
		return input.Errorf(want, "a tree whose order does not begin at its root %d", s.Root)
	}
	place := make([]int, t.Nodes()) // in Order, from 1
	for i, n := range s.Order {
		if !t.Has(n) || place[n] != 0 {
			return input.Errorf(want, "a tree whose order has %d twice or wrongly", n)
		}
		place[n] = i + 1
		if i == 0 {
			continue
		}
		parent := s.Parent[n]
		if _, ok := t.PortTo(n, parent); !ok || place[parent] == 0 {
			return input.Errorf(want, "a tree in which %d has the parent %d", n, parent)
		}
		if s.Depth[n] != s.Depth[parent]+1 {
			return input.Errorf(want, "a tree in which %d has the depth %d", n, s.Depth[n])
		}
	}
	for n, parent := range s.Parent {
		if reached := place[n] != 0; reached && place[n] > 1 == (parent == router.None) || !reached && s.Depth[n] >= 0 {
			return input.Errorf(want, "a tree that is not said to reach %d", n)
		}
	}
	return nil
}

// sound reports whether a tree's order and parents are nodes of it.
func (s *SpanningTree) sound() bool {
	if s == nil || len(s.Order) == 0 || s.Order[0] != s.Root {
		return false
	}
	nodes := len(s.Parent)
	for i, n := range s.Order {
		if n < 0 || int(n) >= nodes || i > 0 && (s.Parent[n] < 0 || int(s.Parent[n]) >= nodes) {
			return false
		}
	}
	return true
}

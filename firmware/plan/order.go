// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"cmp"
	"slices"

	"meshwright/internal/input"
	"meshwright/router"
)

// DispatchOrder returns the destinations in the order of dispatch: the job's,
// or furthest first, of equally far ones the higher number first.
func (t *Task) DispatchOrder(depth []int32) ([]router.NodeID, error) {
	if t.Order != nil {
		return t.Order, checkOrder(t)
	}
	order := t.Senders()
	slices.SortFunc(order, func(a, b router.NodeID) int {
		return cmp.Or(cmp.Compare(depth[b], depth[a]), cmp.Compare(b, a))
	})
	return order, nil
}

// checkOrder wants every node with a message once, and no other.
func checkOrder(t *Task) error {
	const want = "expected every node with a message once"
	listed := make([]bool, len(t.Lengths))
	for _, n := range t.Order {
		switch {
		case n < 0 || int(n) >= len(listed):
			return input.Errorf(NodeRange(len(listed)), "order: %d is not a node", n)
		case n == t.Root:
			return input.Errorf(want, "order: node %d is the root", n)
		case t.Lengths[n] == 0:
			return input.Errorf(want, "order: node %d has no message", n)
		case listed[n]:
			return input.Errorf(want, "order: node %d stands twice", n)
		}
		listed[n] = true
	}
	for n, length := range t.Lengths {
		if length > 0 && !listed[n] {
			return input.Errorf(want, "order: node %d is missing", n)
		}
	}
	return nil
}

// Senders returns the nodes whose blocks are not empty, rising.
func (t *Task) Senders() []router.NodeID {
	nodes := make([]router.NodeID, 0, t.Count)
	for n, length := range t.Lengths {
		if length > 0 {
			nodes = append(nodes, router.NodeID(n))
		}
	}
	return nodes
}

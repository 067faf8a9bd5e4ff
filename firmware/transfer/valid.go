// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"fmt"
	"math"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Fits reports whether a list is one for the nodes of a topology, and its
// routes lead where they should along its links. The error is an *input.Error.
func (l *List) Fits(t *topology.Topology) error {
	if err := t.Valid(); err != nil {
		return err
	}
	if l == nil {
		return input.Errorf("expected a list", "no transfers")
	}
	if t.Nodes() != l.Nodes {
		return input.Errorf(fmt.Sprintf("expected %d", t.Nodes()), "transfers among %s on %s", input.Count(l.Nodes, "node"), t)
	}
	if err := l.Check(func(router.NodeID) int { return math.MaxInt32 }); err != nil {
		return err
	}
	for i := range l.Transfers {
		if err := l.Transfers[i].checkRoute(t); err != nil {
			return fmt.Errorf("transfer %d: %w", i, err)
		}
	}
	return nil
}

func (t *Transfer) checkRoute(on *topology.Topology) error {
	if t.Route == nil {
		return nil
	}
	at := t.From
	for _, p := range t.Route {
		next := on.Neighbor(at, p)
		if next == router.None {
			return input.Errorf("expected a route along the links of "+on.String(), "no link from node %d by port %d", at, p)
		}
		at = next
	}
	if at != t.To {
		return input.Errorf(fmt.Sprintf("expected node %d", t.To), "the route ends at node %d", at)
	}
	return nil
}

// amongNodes reports whether all ends are nodes.
func (l *List) amongNodes() bool {
	for i := range l.Transfers {
		t := &l.Transfers[i]
		if t.From < 0 || int(t.From) >= l.Nodes || t.To < 0 || int(t.To) >= l.Nodes {
			return false
		}
	}
	return l.Nodes >= 0
}

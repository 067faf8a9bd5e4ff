// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"fmt"

	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// MaxNodes bounds the networks whose trees are searched, and MaxScattered those with a scatter, in which there is one message for each node.
const (
	MaxNodes     = 512
	MaxScattered = 1024
)

// closeNodes bounds those whose search has more work for more nodes.
const closeNodes = 64

// network is what all forms of a job share.
type network struct {
	*plan.Task
	*plan.Pairs
	nodes int
	words int // of a vector, or of all blocks
	most  int // pieces
	work  int // messages that a search books
	model timing.Model
	near  [][]int32 // by node: the others, the nearest first
}

func newNetwork(t *plan.Task) (*network, error) {
	n := &network{Task: t, nodes: len(t.Lengths), words: t.VectorWords()}
	n.most = max(1, min(n.words, mostParts))
	most := MaxNodes
	if t.Kind.Name == plan.Scatter {
		n.words, n.most, most = t.TotalWords(), 1, MaxScattered
	}
	switch {
	case t.Machine.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "%s %s on a %s machine", t.Kind.Name, Name, t.Machine.Switching)
	case n.nodes > most:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", most), "%s %s for %d nodes", t.Kind.Name, Name, n.nodes)
	}
	nodes := min(n.nodes, closeNodes)
	n.model, n.work = timing.Stalling(&n.Machine), t.Spend(workOf*nodes*nodes)
	if err := t.NeedForms(); err != nil {
		return nil, err
	}
	pairs, err := plan.NewPairs(t)
	if err != nil {
		return nil, err
	}
	n.Pairs, n.near = pairs, pairs.Nearest()
	return n, nil
}

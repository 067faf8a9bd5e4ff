// SPDX-License-Identifier: Apache-2.0

package leaders

import (
	"fmt"

	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// MaxNodes bounds the networks whose forms are searched.
const MaxNodes = 64

// network is what all forms of a job share.
type network struct {
	*plan.Task
	*plan.Pairs
	nodes int
	total int // words of a vector
	model timing.Model
	shift int       // by how much a change lets a message go earlier or later
	near  [][]int32 // by node: the others, the nearest first
}

func newNetwork(t *plan.Task) (*network, error) {
	n := &network{Task: t, nodes: len(t.Lengths), total: t.VectorWords(), model: timing.Stalling(&t.Machine)}
	if n.nodes > MaxNodes {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "%s %s for %d nodes", t.Kind.Name, Name, n.nodes)
	}
	n.shift = int(2 + n.model.UntilWhole(1, n.total))
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

// schedule is the messages of a design, with their times.
type schedule struct {
	design
	messages []message
	critical []place // on the way of the last message
	cycles   router.Cycle
	mean     float64 // of the cycles in which the nodes have everything
}

// place is a piece at a node.
type place struct{ piece, node int32 }

// cost is what annealing makes small: the time, and a little of the time in which the nodes are done on the average.
func (s *schedule) cost() float64 { return float64(s.cycles) + s.mean/8 }

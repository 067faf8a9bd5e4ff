// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"fmt"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithms.
const Name = "rounds"

// MaxNodes bounds the networks: a set of nodes is a word of 64 bits.
const MaxNodes = 64

// Plan plans an all-gather, a reduce-scatter or an allreduce. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task) (*plan.Plan, error) {
	if len(t.Lengths) > MaxNodes {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "%s %s for %d nodes", t.Kind.Name, Name, len(t.Lengths))
	}
	list, cycles := &transfer.List{Nodes: len(t.Lengths), Timed: true}, router.Cycle(0)
	if len(t.Lengths) > 1 && t.TotalWords() > 0 {
		var err error
		if list, cycles, err = fastest(t); err != nil {
			return nil, err
		}
	}
	p, err := t.ListPlan(list)
	if err != nil {
		return nil, err
	}
	t.PredictBooked(p, cycles)
	p.Stopped = t.Search.Err() != nil && cycles > t.LowerBound()
	return p, nil
}

// fastest returns the messages of the fastest schedule that is found, and its time.
func fastest(t *plan.Task) (*transfer.List, router.Cycle, error) {
	if t.Kind.Name == plan.Allreduce {
		return bothWays(t)
	}
	n, err := newNetwork(t, t.Kind.Name == plan.ReduceScatter)
	if err != nil {
		return nil, 0, err
	}
	made := n.fastest()
	return n.list(made), made.cycles, t.Ctx.Err()
}

// weakAbove is the nodes of the largest network on which a search takes next to no time.
const weakAbove = 16

// Weak reports whether other algorithms are faster, as far as is known: on networks of some size, where a startup takes less than a twelfth of the time in which a channel takes all words, and for allreduces, where it takes more than half of it.
func Weak(t *plan.Task) bool {
	words := t.VectorWords()
	if t.Kind.Name == plan.Gossip {
		words = t.TotalWords()
	}
	time := words * t.Machine.Flit
	if t.Kind.Name == plan.Allreduce && 2*t.Machine.Startup > time {
		return true
	}
	return len(t.Lengths) > weakAbove && 12*t.Machine.Startup < time
}

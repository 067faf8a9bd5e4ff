// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"fmt"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
)

// Name is the name of the algorithms.
const Name = "rounds"

// MaxNodes bounds the networks: a set of nodes is a word of 64 bits.
const MaxNodes = 64

// Plan plans an all-gather or a reduce-scatter. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task) (*plan.Plan, error) {
	if len(t.Lengths) > MaxNodes {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "%s %s for %d nodes", t.Kind.Name, Name, len(t.Lengths))
	}
	list := &transfer.List{Nodes: len(t.Lengths), Timed: true}
	made := &schedule{}
	if len(t.Lengths) > 1 && t.TotalWords() > 0 {
		n, err := newNetwork(t)
		if err != nil {
			return nil, err
		}
		made = n.fastest()
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		list = n.list(made)
	}
	p, err := t.ListPlan(list)
	if err != nil {
		return nil, err
	}
	t.PredictBooked(p, made.cycles)
	p.Stopped = t.Search.Err() != nil && made.cycles > t.LowerBound()
	return p, nil
}

// weakAbove is the nodes of the largest network on which a search takes next to no time.
const weakAbove = 16

// Weak reports whether other algorithms are faster, as far as is known: on networks of some size, where a startup takes less than a twelfth of the time in which a channel takes all words.
func Weak(t *plan.Task) bool {
	words := t.VectorWords()
	if t.Kind.Name == plan.Gossip {
		words = t.TotalWords()
	}
	return len(t.Lengths) > weakAbove && 12*t.Machine.Startup < words*t.Machine.Flit
}

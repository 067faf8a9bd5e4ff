// SPDX-License-Identifier: Apache-2.0

package translations

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithm.
const Name = "translations"

// mostPieces bounds the pieces into which the words are cut.
const mostPieces = 4

// Plan plans an allreduce.
func Plan(t *plan.Task) (*plan.Plan, error) {
	t.Root = 0
	n, err := newNetwork(t, true, 1)
	if err != nil {
		return nil, err
	}
	best, err := fastest(t)
	if err != nil {
		return nil, err
	}
	if err := n.Ctx.Err(); err != nil {
		return nil, err
	}
	if best == nil {
		return nil, n.refuse()
	}
	p, err := n.VectorPlan(n.transfers(best))
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(len(best.pieces)), Unit: plan.Counted})
	n.PredictBooked(p, best.cycles)
	p.Stopped = n.Search.Err() != nil && best.cycles > n.LowerBound()
	return p, nil
}

// fastest returns the fastest schedule that is found with any number of pieces; nil if there is none.
func fastest(t *plan.Task) (best *schedule, err error) {
	waits := []bool{true}
	if !t.Machine.FullRate() && t.Machine.Claim == 0 {
		waits = append(waits, false)
	}
	for pieces := 1; pieces == 1 || pieces <= min(mostPieces, t.VectorWords()); pieces++ {
		for _, stalling := range waits {
			if best != nil && best.cycles <= t.LowerBound() || t.Ctx.Err() != nil || best != nil && t.Search.Err() != nil {
				return best, nil
			}
			n, err := newNetwork(t, stalling, pieces)
			if err != nil {
				return nil, err
			}
			if s := n.fastest(); s != nil && (best == nil || s.cycles < best.cycles) {
				best = s
			}
		}
	}
	return best, nil
}

// refuse is the reason why there is no plan, with a machine on which all messages may be sent: no worm is longer than a link takes.
func (n *network) refuse() error {
	m, words := timing.Of(&n.Machine), n.VectorWords()
	want := fmt.Sprintf("expected shorter vectors, or nic.duplex full and hop %d", m.Work(words))
	if n.Machine.Switching == machine.Wormhole {
		want += fmt.Sprintf(" with buffer %d", m.Work(words)/m.Flit+1)
	}
	return input.Errorf(want, "%s: no messages of %d words that all nodes of %s send at the same time make a sum", Name, words, n.Topology)
}

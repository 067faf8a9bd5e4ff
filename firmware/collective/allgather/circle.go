// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"fmt"

	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// MaxDisseminated bounds the nodes of a circle, whose ring has a message for every two nodes.
const MaxDisseminated = 512

// Dissemination lets the nodes stand in a circle, in the order of their numbers or of a walk depth first, and send to nodes at the same distances on it.
func Dissemination(t *plan.Task) (*plan.Plan, error) {
	if len(t.Lengths) > MaxDisseminated {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxDisseminated), "gossip dissemination for %d nodes", len(t.Lengths))
	}
	var makers []func() *plan.Draft
	for _, c := range stages.Circles(sendtree.Orders(t.Topology)...) {
		makers = append(makers, func() *plan.Draft {
			return &plan.Draft{List: c.List(t.Lengths), NeedsTimetable: true, Facts: []plan.Fact{plan.StartupsFact(len(c.Apart))}}
		})
	}
	p, _, err := t.Fastest(makers, func(d *plan.Draft) (*plan.Plan, error) {
		p, err := t.TransferPlan(d.List, t.GossipBlock)
		if err == nil {
			p.Facts = d.Facts
		}
		return p, err
	})
	return p, err
}

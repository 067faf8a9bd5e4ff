// SPDX-License-Identifier: Apache-2.0

package alltoall

import (
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// MaxShifted bounds the nodes of networks on which auto tries Shifts, which has to be simulated.
const MaxShifted = 512

// Shifts sends every message by itself. In step i all nodes send to the node to which the translation by node i brings them: on hypercubes
// number u sends to u xor i, on complete graphs to u+i. The worms of a step share no link:
//
//	step 3 of hypercube:2     0 --> 1 --> 3     each link carries one worm in each direction;
//	                          1 --> 0 --> 2     a PE sends one message, passes on a second
//	                          2 --> 3 --> 1     and receives a third, all at the same time
//	                          3 --> 2 --> 0
//
// They share single ports and half-duplex interfaces, flit by flit. No timetable has such times, since there a message keeps its ports from its first flit to its
// last. Nor does a node wait for others between steps. So only a run tells the time.
func Shifts(t *plan.Task) (*plan.Plan, error) {
	if err := t.NeedBlocks(plan.PerBlock); err != nil {
		return nil, err
	}
	nodes := router.NodeID(len(t.Lengths))
	l := &transfer.List{Nodes: int(nodes)}
	for by := router.NodeID(1); by < nodes; by++ {
		for u := range nodes {
			if to := t.Topology.Translate(u, by); t.Lengths[u] > 0 {
				l.Transfers = append(l.Transfers, transfer.Transfer{From: u, To: to, Out: transfer.Set{t.ExchangeOut(u, to)}, In: transfer.Set{t.ExchangeIn(to, u)}})
			}
		}
	}
	p, err := t.KeepingPlan(l, make([]int, nodes))
	if err != nil {
		return nil, err
	}
	p.Predicted = contest.Estimate{Least: t.UncombinedBound()}
	return p, nil
}

// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// FromTransfers returns the plan of transfers that no algorithm of this package
// made, such as imported ones. blocks says for each node which words it must have at the end, and which of them it has at
// the start. The collective is one to whose name KindOf answers, or has a name of the caller's own, and so has the algorithm: they name the plan in reports.
// No lower bound follows from transfers: Plan.LowerBound is 0 until Plan.SetBound gives the plan the bound of its job (collective.Bound).
// On a machine that switches packets a message is a packet, and a buffer may hold several. Its errors are *input.Error, or that of
// ctx when it ends first.
func FromTransfers(ctx context.Context, collective, algorithm string, topo *topology.Topology, m machine.Machine, l *transfer.List, blocks func(router.NodeID) Block) (*Plan, error) {
	if err := validList(topo, l, blocks); err != nil {
		return nil, err
	}
	if err := checkName(collective); err != nil {
		return nil, err
	}
	longest := 1
	for i := range l.Transfers {
		if t := &l.Transfers[i]; t.From != t.To {
			longest = max(longest, t.Out.Words())
		}
		if l.Transfers[i].Route != nil {
			m.Routing = machine.Source
		}
	}
	m, err := m.FitPackets(longest)
	if err != nil {
		return nil, err
	}
	if m, err = m.Resolve(topo); err != nil {
		return nil, err
	}
	t := &Task{Ctx: ctx, Job: Job{Topology: topo, Machine: m, Root: router.None}}
	p, err := t.TransferPlan(l, blocks)
	if err != nil {
		return nil, err
	}
	p.Collective, p.Algorithm, p.MayCrowd = collective, algorithm, true
	return p, nil
}

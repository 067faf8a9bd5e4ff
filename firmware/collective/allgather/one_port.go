// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"meshwright/firmware/plan"
	"slices"

	"meshwright/fabric/machine"
	oneport "meshwright/firmware/gossip"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// OnePort reports whether a job's PEs have one channel and use it one way at a
// time. Gossips have forms of their own there.
func OnePort(j *plan.Job) bool {
	m := &j.Machine
	return m.Switching == machine.Wormhole && m.Channels == 1 && m.Duplex == machine.Half
}

// OnePortChoice returns the variant that the job asks for. If the job leaves out a, it is
// the best value by the formula, for blocks of the average length.
func OnePortChoice(j *plan.Job, name string) (o oneport.OnePort, a, b int, err error) {
	o = oneport.OnePort{Topology: j.Topology, Lengths: j.Lengths, Start: j.Start, Sync: j.Sync}
	switch {
	case j.A != 0 && j.B != 0:
		return o, j.A, j.B, nil
	case j.B != 0:
		return o, 0, 0, input.Errorf("expected an a, too", "b %d without a", j.B)
	case j.A != 0:
		b, err = o.BestSteps(j.Machine, name, j.A, averageBlock(j))
		return o, j.A, b, err
	}
	a, b, err = o.Best(j.Machine, name, averageBlock(j))
	return o, a, b, err
}

// averageBlock returns the words of a block, on the average and rounded up.
func averageBlock(j *plan.Job) int {
	words := 0
	for _, length := range j.Lengths {
		words += length
	}
	return (words + len(j.Lengths) - 1) / len(j.Lengths)
}

// bestOnePort is the fastest of gossip.OnePortNames by the formulas, for blocks of
// the average length.
func bestOnePort(t *plan.Task) (plan.Variant, error) {
	best, least := "", router.Cycle(0)
	for _, name := range oneport.OnePortNames() {
		if name == oneport.Torgos && len(t.Topology.Dims) != 2 {
			continue
		}
		o, a, b, err := OnePortChoice(&t.Job, name)
		if err != nil {
			return plan.Variant{}, err
		}
		c, err := o.Chain(t.Machine, name, a, b, averageBlock(&t.Job))
		if err != nil {
			return plan.Variant{}, err
		}
		if time := c.Cycles(t.Machine); best == "" || time < least {
			best, least = name, time
		}
	}
	return plan.Variant{Name: best, Algorithm: best, IsRow: true, Plan: func(t *plan.Task) (*plan.Plan, error) { return OnePortGossip(t, best) }}, nil
}

// OnePortGossip plans one of gossip.OnePortNames.
func OnePortGossip(t *plan.Task, name string) (*plan.Plan, error) {
	o, a, b, err := OnePortChoice(&t.Job, name)
	if err != nil {
		return nil, err
	}
	if err := t.NeedLines(1); err != nil {
		return nil, err
	}
	l, err := o.List(name, a, b)
	if err != nil {
		return nil, err
	}
	timing, err := transfer.Predict(t.Topology, t.Machine, l)
	if err != nil {
		return nil, err
	}
	p, err := t.TransferPlan(l, t.GossipBlock)
	if err != nil {
		return nil, err
	}
	p.Predicted.Least = timing.Cycles // messages that meet may take longer
	return p, onePortFacts(t, p, o, name, a, b)
}

// Vendor is the baseline where PEs have more than one port.
func Vendor(t *plan.Task) (*plan.Plan, error) { return OnePortGossip(t, oneport.Vendor) }

// onePortFacts enters a, b and what the formula says for equal blocks.
func onePortFacts(t *plan.Task, p *plan.Plan, o oneport.OnePort, name string, a, b int) error {
	if a != 0 {
		p.Facts = append(p.Facts, factorFacts(oneport.Factors{A: a, B: b})...)
	}
	if slices.Min(t.Lengths) != slices.Max(t.Lengths) {
		return nil
	}
	c, err := o.Chain(t.Machine, name, a, b, t.Lengths[0])
	if err != nil {
		return err
	}
	p.Facts = append(p.Facts, plan.StartupsFact(c.Startups), formulaFact(c.Cycles(t.Machine)))
	return nil
}

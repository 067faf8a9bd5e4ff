// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// OneChannel reports whether a job's PEs have one channel and use it one way at a
// time. All-gathers have forms of their own there.
func OneChannel(j *plan.Job) bool {
	m := &j.Machine
	return m.Switching == machine.Wormhole && m.Channels == 1 && m.Duplex == machine.Half
}

// OneChannelForm returns the half-duplex, one-channel form that a job asks for. What
// the job leaves out of a and b is the best by the formula, for blocks of the average length.
func OneChannelForm(j *plan.Job, a stages.OneChannelAlgorithm) (stages.OneChannel, error) {
	o := stages.OneChannel{
		Algorithm: a, Factors: stages.Factors{A: j.A, B: j.B},
		Topology: j.Topology, Lengths: j.Lengths, Start: j.Start, Sync: j.Sync,
	}
	return o.Best(j.Machine, averageBlock(j))
}

// averageBlock returns the words of a block, on the average and rounded up.
func averageBlock(j *plan.Job) int {
	words := 0
	for _, length := range j.Lengths {
		words += length
	}
	return (words + len(j.Lengths) - 1) / len(j.Lengths)
}

// bestOneChannel is the fastest of all half-duplex, one-channel forms by the formulas,
// for blocks of the average length.
func bestOneChannel(t *plan.Task) (plan.Variant, error) {
	var best stages.OneChannel
	least := router.Cycle(-1)
	for _, a := range stages.OneChannelAlgorithms() {
		if !a.RunsOn(len(t.Topology.Dims)) {
			continue
		}
		o, err := OneChannelForm(&t.Job, a)
		if err != nil {
			return plan.Variant{}, err
		}
		c, err := o.Chain(t.Machine, averageBlock(&t.Job))
		if err != nil {
			return plan.Variant{}, err
		}
		if time := c.Cycles(t.Machine); least < 0 || time < least {
			best, least = o, time
		}
	}
	name := string(best.Algorithm)
	return plan.Variant{Name: name, Algorithm: name, IsRow: true, Plan: func(t *plan.Task) (*plan.Plan, error) { return planOneChannel(t, best) }}, nil
}

// OneChannelPlan returns the generator of an algorithm's half-duplex, one-channel form.
func OneChannelPlan(a stages.OneChannelAlgorithm) func(*plan.Task) (*plan.Plan, error) {
	return func(t *plan.Task) (*plan.Plan, error) {
		o, err := OneChannelForm(&t.Job, a)
		if err != nil {
			return nil, err
		}
		return planOneChannel(t, o)
	}
}

// planOneChannel makes firmware of a form whose a and b are chosen.
func planOneChannel(t *plan.Task, o stages.OneChannel) (*plan.Plan, error) {
	if err := t.NeedLines(1); err != nil {
		return nil, err
	}
	l, err := o.List()
	if err != nil {
		return nil, err
	}
	least, err := transfer.Least(t.Ctx, t.Topology, t.Machine, l)
	if err != nil {
		return nil, err
	}
	p, err := t.TransferPlan(l, t.GossipBlock)
	if err != nil {
		return nil, err
	}
	p.Predicted.Least = least // messages that meet may take longer
	return p, oneChannelFacts(t, p, o)
}

// Vendor is the baseline where PEs have more than one channel.
func Vendor(t *plan.Task) (*plan.Plan, error) { return OneChannelPlan(stages.Vendor)(t) }

// oneChannelFacts enters a, b and the formula's time for equal blocks.
func oneChannelFacts(t *plan.Task, p *plan.Plan, o stages.OneChannel) error {
	if o.A != 0 {
		p.Facts = append(p.Facts, factorFacts(o.Factors)...)
	}
	if slices.Min(t.Lengths) != slices.Max(t.Lengths) {
		return nil
	}
	c, err := o.Chain(t.Machine, t.Lengths[0])
	if err != nil {
		return err
	}
	p.Facts = append(p.Facts, plan.StartupsFact(c.Startups), formulaFact(c.Cycles(t.Machine)))
	return nil
}

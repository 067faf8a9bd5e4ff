// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/fabric/machine"
	oneport "meshwright/firmware/gossip"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// onePort reports whether a job's PEs have one channel and use it one way at a
// time. Gossips have forms of their own there.
func (j *Job) onePort() bool {
	m := &j.Machine
	return m.Switching == machine.Wormhole && m.Channels == 1 && m.Duplex == machine.Half
}

// hasOnePort tells whether an algorithm has such a form for a job.
func (a *Algorithm) hasOnePort(j *Job) bool {
	return a.Collective == gossip && j.onePort() && j.Colours == 0 && slices.Contains(oneport.OnePortNames(), a.onePortName(j))
}

// onePortName names the form: in two dimensions cubgos is torgos.
func (a *Algorithm) onePortName(j *Job) string {
	if a.Name == "cubgos" && onPlane(j.Topology) {
		return oneport.Torgos
	}
	return a.Name
}

// isOther tells an algorithm that a job makes the same as another of the table.
func (a *Algorithm) isOther(j *Job) bool { return a.hasOnePort(j) && a.onePortName(j) != a.Name }

// through returns the form of an algorithm for the machine of a job.
func (a Algorithm) through(j *Job) Algorithm {
	if !a.hasOnePort(j) {
		return a
	}
	a.On, a.runsOn = "paths, rings, meshes, tori, hypercubes", onGrid
	name := a.onePortName(j)
	if name == oneport.Torgos {
		a.On, a.runsOn = "2-D meshes and tori", onPlane
	}
	a.takes = someTokens | aStart
	if oneport.HasBridgeheads(name) {
		a.takes |= factors
	}
	a.plan = func(t *task) (*Plan, error) { return t.onePortGossip(name) }
	return a
}

// onePortChoice returns what is asked for. Where a is left out it is the best by
// the formula, for blocks of the average length.
func (j *Job) onePortChoice(name string) (o oneport.OnePort, a, b int, err error) {
	o = oneport.OnePort{Topology: j.Topology, Lengths: j.Lengths, Start: j.Start, Sync: j.Sync}
	switch {
	case j.A != 0 && j.B != 0:
		return o, j.A, j.B, nil
	case j.B != 0:
		return o, 0, 0, input.Errorf("expected an a, too", "b %d without a", j.B)
	case j.A != 0:
		b, err = o.BestSteps(j.Machine, name, j.A, j.averageBlock())
		return o, j.A, b, err
	}
	a, b, err = o.Best(j.Machine, name, j.averageBlock())
	return o, a, b, err
}

// averageBlock returns the words of a block, on the average and rounded up.
func (j *Job) averageBlock() int {
	words := 0
	for _, length := range j.Lengths {
		words += length
	}
	return (words + len(j.Lengths) - 1) / len(j.Lengths)
}

// bestOnePort is the fastest of gossip.OnePortNames by the formulas, for blocks of
// the average length.
func (t *task) bestOnePort() (variant, error) {
	best, least := "", router.Cycle(0)
	for _, name := range oneport.OnePortNames() {
		if name == oneport.Torgos && !onPlane(t.Topology) {
			continue
		}
		o, a, b, err := t.onePortChoice(name)
		if err != nil {
			return variant{}, err
		}
		c, err := o.Chain(t.Machine, name, a, b, t.averageBlock())
		if err != nil {
			return variant{}, err
		}
		if time := c.Cycles(t.Machine); best == "" || time < least {
			best, least = name, time
		}
	}
	return variant{best, best, func(t *task) (*Plan, error) { return t.onePortGossip(best) }}, nil
}

// onePortGossip plans one of gossip.OnePortNames.
func (t *task) onePortGossip(name string) (*Plan, error) {
	o, a, b, err := t.onePortChoice(name)
	if err != nil {
		return nil, err
	}
	if err := t.needLines(1); err != nil {
		return nil, err
	}
	l, err := o.List(name, a, b)
	if err != nil {
		return nil, err
	}
	timing, err := transfer.Foretell(t.Topology, t.Machine, l)
	if err != nil {
		return nil, err
	}
	p, err := t.transferPlan(l, t.gossipBlock)
	if err != nil {
		return nil, err
	}
	p.Predicted.Least = timing.Cycles // messages that meet may take longer
	return p, t.onePortFacts(p, o, name, a, b)
}

// vendorGossip is the baseline where PEs have more than one port.
func vendorGossip(t *task) (*Plan, error) { return t.onePortGossip(oneport.Vendor) }

// onePortFacts enters a, b and what the formula says for equal blocks.
func (t *task) onePortFacts(p *Plan, o oneport.OnePort, name string, a, b int) error {
	if a != 0 {
		p.Facts = append(p.Facts, factorFacts(a, b)...)
	}
	if slices.Min(t.Lengths) != slices.Max(t.Lengths) {
		return nil
	}
	c, err := o.Chain(t.Machine, name, a, b, t.Lengths[0])
	if err != nil {
		return err
	}
	p.Facts = append(p.Facts, startupsFact(c.Startups), formulaFact(c.Cycles(t.Machine)))
	return nil
}

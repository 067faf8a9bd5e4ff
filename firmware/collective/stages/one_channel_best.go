// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// mostParts bounds the parts in which Best lets new bridgeheads get their words.
const mostParts = 8

// mostUneven bounds the a that Best tries where none is even.
const mostUneven = 64

// Best fills in A and B where they are left out, with the values that take the least time by
// the formula, for blocks of so many flits; 0 for algorithms without bridgeheads. It tries
// every a with bridgeheads at equal distances and not all PEs bridgeheads at first (that is
// approach 2). Where there is no such a, it tries every a up to 64. Errors are *input.Error.
func (o OneChannel) Best(m machine.Machine, flits int) (OneChannel, error) {
	if err := o.CheckOpen(); err != nil {
		return o, err
	}
	switch {
	case o.A != 0 && o.B != 0:
		return o, nil
	case o.A == 1 || !o.Algorithm.HasBridgeheads() || o.A == 0 && o.Algorithm == Highdimgos:
		_, err := o.plan()
		return o, err
	case o.A != 0:
		best, _, err := o.bestSteps(m, flits)
		return best, err
	}
	return o.bestHeads(m, flits)
}

// with returns the form with other factors.
func (o OneChannel) with(a, b int) OneChannel {
	o.Factors = Factors{a, b}
	return o
}

// bestHeads returns the best a and b.
func (o OneChannel) bestHeads(m machine.Machine, flits int) (best OneChannel, err error) {
	p, err := o.with(2, 0).plan()
	if err != nil {
		return o, err
	}
	best, least := o, router.Cycle(-1)
	for _, try := range o.heads(p) {
		one, cycles, err := o.with(try, 0).bestSteps(m, flits)
		if err != nil {
			return o, err
		}
		if least < 0 || cycles < least {
			best, least = one, cycles
		}
	}
	return best, nil
}

// bestSteps returns the b that suits a best, and the time.
func (o OneChannel) bestSteps(m machine.Machine, flits int) (best OneChannel, least router.Cycle, err error) {
	if _, err := o.plan(); err != nil {
		return o, 0, err
	}
	for parts := 1; parts <= mostParts; parts++ {
		steps := log2(o.A)
		if parts > 1 {
			steps = o.A + 2*parts - 3
		}
		one := o.with(o.A, steps)
		c, err := one.Chain(m, flits)
		if err != nil {
			return o, 0, err
		}
		if cycles := c.Cycles(m); parts == 1 || cycles < least {
			best, least = one, cycles
		}
	}
	return best, least, nil
}

// heads are the values of a that Best tries.
func (o OneChannel) heads(p oneChannelPlan) []int {
	var even, all []int
	nodes := p.longest(o.Topology)
	for a := 2; a <= nodes; a++ {
		if a <= mostUneven {
			all = append(all, a)
		}
		if o.even(p, nodes, a) {
			even = append(even, a)
		}
	}
	if even != nil {
		return even
	}
	return all
}

// even tells whether a leads to bridgeheads at equal distances, and not to all PEs at once.
func (o OneChannel) even(p oneChannelPlan, nodes, a int) bool {
	if p.torgos {
		first, _ := spacings(o.Topology.Dims[0], o.Topology.Dims[1], a)
		return first > 1
	}
	return nodes%a == 0 && a < nodes
}

// SPDX-License-Identifier: Apache-2.0

package gossip

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// mostParts bounds the parts in which Best lets new bridgeheads get their words.
const mostParts = 8

// mostUneven bounds the a that Best tries where none is even.
const mostUneven = 64

// Best returns the a and b with the least time by the formula, for blocks of
// so many flits; 0 for algorithms without bridgeheads. It tries every a with
// bridgeheads at equal distances and not all PEs bridgeheads at first (that is
// approach 2); where there is none, every a up to 64.
func (o OnePort) Best(m machine.Machine, algorithm string, flits int) (a, b int, err error) {
	if algorithm != Circgos && algorithm != Torgos {
		_, err := o.plan(algorithm, 0, 0)
		return 0, 0, err
	}
	p, err := o.plan(algorithm, 2, 0)
	if err != nil {
		return 0, 0, err
	}
	best := router.Cycle(-1)
	for _, try := range o.candidates(p) {
		steps, cycles, err := o.bestSteps(m, algorithm, try, flits)
		if err != nil {
			return 0, 0, err
		}
		if best < 0 || cycles < best {
			best, a, b = cycles, try, steps
		}
	}
	return a, b, nil
}

// BestSteps returns the b that suits a given a best by the formula.
func (o OnePort) BestSteps(m machine.Machine, algorithm string, a, flits int) (b int, err error) {
	if !HasBridgeheads(algorithm) || a == 1 {
		_, err := o.plan(algorithm, a, 0)
		return 0, err
	}
	b, _, err = o.bestSteps(m, algorithm, a, flits)
	return b, err
}

// bestSteps returns its time, too.
func (o OnePort) bestSteps(m machine.Machine, algorithm string, a, flits int) (b int, best router.Cycle, err error) {
	if _, err := o.plan(algorithm, a, 0); err != nil {
		return 0, 0, err
	}
	for parts := 1; parts <= mostParts; parts++ {
		steps := log2(a)
		if parts > 1 {
			steps = a + 2*parts - 3
		}
		c, err := o.Chain(m, algorithm, a, steps, flits)
		if err != nil {
			return 0, 0, err
		}
		if cycles := c.Cycles(m); parts == 1 || cycles < best {
			b, best = steps, cycles
		}
	}
	return b, best, nil
}

// candidates are the values of a that Best tries.
func (o OnePort) candidates(p onePortPlan) []int {
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
func (o OnePort) even(p onePortPlan, nodes, a int) bool {
	if p.torgos {
		first, _ := spacings(o.Topology.Dims[0], o.Topology.Dims[1], a)
		return first > 1
	}
	return nodes%a == 0 && a < nodes
}

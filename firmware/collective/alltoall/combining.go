// SPDX-License-Identifier: Apache-2.0

package alltoall

import (
	"fmt"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/alltoall/combine"
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// Direct sends every message by itself.
func Direct(t *plan.Task) (*plan.Plan, error) { return exchangeBy(t, combine.Direct()) }

// Dimensions goes along one dimension after the other.
func Dimensions(t *plan.Task) (*plan.Plan, error) {
	return coloured(t, func(colours int) []combine.Onward { return []combine.Onward{combine.Dimensions(t.Topology, colours)} })
}

// Logarithmic takes a startup or two for every digit of the sides: by
// halves, or, where there are rings, by balanced ternary digits if that is done
// sooner.
func Logarithmic(t *plan.Task) (*plan.Plan, error) {
	order := sendtree.Walk(topology.BreadthFirst(t.Topology, 0))
	return coloured(t, func(colours int) []combine.Onward {
		ways := []combine.Onward{combine.Halving(t.Topology, order, colours)}
		if t.Topology.IsGrid() && machine.Dateline(t.Topology) {
			ways = append(ways, combine.Bruck(t.Topology, colours))
		}
		return ways
	})
}

// MaxQuick bounds the nodes of networks on which auto tries Direct among the first: on larger ones the times of so many messages are costly to find.
const MaxQuick = 512

// MaxPairs bounds the nodes of networks on which auto tries Pairwise and Bruck.
const MaxPairs = 256

// Pairwise sends every message by itself, in as many steps as there are other nodes.
func Pairwise(t *plan.Task) (*plan.Plan, error) {
	return exchangeBy(t, combine.Pairwise(len(t.Lengths)))
}

// Bruck takes a step for every binary digit of the number of nodes.
func Bruck(t *plan.Task) (*plan.Plan, error) {
	return exchangeBy(t, combine.Radix2(len(t.Lengths)))
}

// coloured plans with the job's number of colours, or with one and with one
// for each dimension, which is of use where all links of a node work at once.
func coloured(t *plan.Task, ways func(colours int) []combine.Onward) (*plan.Plan, error) {
	most := max(1, len(t.Topology.Dims))
	switch {
	case t.Colours > most:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d, one for each dimension", most), "%d colours on %s", t.Colours, t.Topology)
	case t.Colours > 0:
		return exchangeBy(t, ways(t.Colours)...)
	case most == 1 || !t.IndependentLinks():
		return exchangeBy(t, ways(1)...)
	}
	return exchangeBy(t, append(ways(1), ways(most)...)...)
}

// maxBlocks bounds the blocks of an exchange, which are planned one by one.
const maxBlocks = 1 << 24

// exchangeBy plans by the fastest way.
func exchangeBy(t *plan.Task, ways ...combine.Onward) (*plan.Plan, error) {
	nodes := len(t.Lengths)
	if nodes*nodes > maxBlocks {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d pairs of nodes", maxBlocks), "an exchange between %d nodes", nodes)
	}
	if err := t.NeedBlocks(plan.PerBlock); err != nil {
		return nil, err
	}
	net, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	list, extras := make([]*plan.Draft, len(ways)), make([][]int, len(ways))
	for i, way := range ways {
		l, extra := combine.Plan(t.Lengths, combine.Layout{Out: t.ExchangeOut, In: t.ExchangeIn, Words: t.ExchangeWords}, way, net.Distance)
		list[i], extras[i] = &plan.Draft{List: l, NeedsTimetable: needsTimetable(t, len(l.Transfers))}, extra
	}
	if last := len(list) - 1; !list[last].NeedsTimetable { // nobody knows their times: the last uses the links best
		if _, err := t.Settle(list[last].List, false); err != nil {
			return nil, err
		}
		return t.KeepingPlan(list[last].List, extras[last])
	}
	p, _, err := t.Fastest(plan.Made(list), func(d *plan.Draft) (*plan.Plan, error) {
		return t.KeepingPlan(d.List, extras[slices.Index(list, d)])
	})
	return p, err
}

// maxTimed bounds the messages that get a timetable where they can do without.
const maxTimed = 1 << 18

// needsTimetable reports whether a timetable keeps the messages apart. Only on wormhole
// machines whose routes cannot deadlock do large numbers of messages go without one.
func needsTimetable(t *plan.Task, messages int) bool {
	return t.Bufferless() || !t.Acyclic() || messages <= maxTimed
}

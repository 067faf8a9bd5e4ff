// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/cast"
	"meshwright/firmware/parcel"
	"meshwright/internal/input"
	"meshwright/router"
)

// directExchange sends every message by itself.
func directExchange(t *task) (*Plan, error) { return t.exchangeBy(parcel.Direct()) }

// dimensionsExchange goes along one dimension after the other.
func dimensionsExchange(t *task) (*Plan, error) {
	return t.coloured(func(colours int) []parcel.Onward { return []parcel.Onward{parcel.Dimensions(t.Topology, colours)} })
}

// logarithmicExchange takes a startup or two for every digit of the sides: by
// halves, or, where there are rings, by balanced ternary digits if that is done
// sooner.
func logarithmicExchange(t *task) (*Plan, error) {
	order := cast.Walk(topology.BreadthFirst(t.Topology, 0))
	return t.coloured(func(colours int) []parcel.Onward {
		ways := []parcel.Onward{parcel.Halving(t.Topology, order, colours)}
		if machine.Dateline(t.Topology) {
			ways = append(ways, parcel.Bruck(t.Topology, colours))
		}
		return ways
	})
}

// coloured plans with the job's number of colours, or with one and with one
// for each dimension, which is of use where all links of a node work at once.
func (t *task) coloured(ways func(colours int) []parcel.Onward) (*Plan, error) {
	most := max(1, len(t.Topology.Dims))
	switch {
	case t.Colours > most:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d, one for each dimension", most), "%d colours on %s", t.Colours, t.Topology)
	case t.Colours > 0:
		return t.exchangeBy(ways(t.Colours)...)
	case most == 1 || !t.perLink():
		return t.exchangeBy(ways(1)...)
	}
	return t.exchangeBy(append(ways(1), ways(most)...)...)
}

// maxParcels bounds the parcels of an exchange, which are planned one by one.
const maxParcels = 1 << 24

// exchangeBy plans by the way that is done first.
func (t *task) exchangeBy(ways ...parcel.Onward) (*Plan, error) {
	nodes := len(t.Lengths)
	if nodes*nodes > maxParcels {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d parcels", maxParcels), "an exchange between %d nodes", nodes)
	}
	if err := t.needParcels(perParcel); err != nil {
		return nil, err
	}
	net, err := fabric.New(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	list, extras := make([]*casting, len(ways)), make([][]int, len(ways))
	for i, way := range ways {
		l, extra := parcel.Plan(t.Lengths, parcel.Layout{Out: t.exchangeOut, In: t.exchangeIn, Words: t.exchangeWords}, way, net.Distance)
		list[i], extras[i] = &casting{list: l, meets: t.parcelsMeet(len(l.Transfers))}, extra
	}
	if last := len(list) - 1; !list[last].meets { // nobody knows their times: the last uses the links best
		list, extras = list[last:], extras[last:]
	}
	best, time, err := t.first(list)
	if err != nil {
		return nil, err
	}
	p, err := t.keepParcels(best, extras[slices.Index(list, best)])
	if err != nil {
		return nil, err
	}
	if best.meets {
		t.foretold(p, time)
	}
	return p, nil
}

// maxTimed bounds the messages that get a timetable where they can do without.
const maxTimed = 1 << 18

// parcelsMeet says whether messages are kept apart by a timetable: always but
// on wormhole machines whose routes are free of deadlock, when they are many.
func (t *task) parcelsMeet(messages int) bool {
	return t.bufferless() || !t.acyclic() || messages <= maxTimed
}

// exchangeWords is the length of a node's block in an exchange.
func (t *task) exchangeWords(n router.NodeID) int {
	words := 0
	for m, length := range t.Lengths {
		if router.NodeID(m) != n {
			words += length
		}
	}
	return words + t.Lengths[n]*(len(t.Lengths)-1)
}

// keepParcels is the plan of a list that keeps parcels of others behind a
// node's own words; what is left there in the end is compared, too.
func (t *task) keepParcels(c *casting, extra []int) (*Plan, error) {
	own := make([]Block, len(t.Lengths))
	start := make([][]uint32, len(t.Lengths))
	most := 0
	for n := range start {
		own[n] = t.exchangeBlock(router.NodeID(n))
		start[n] = make([]uint32, len(own[n].Words)+extra[n])
		copy(start[n], own[n].Words[:own[n].Given.To])
		most = max(most, extra[n])
	}
	end := carried(c.list, start)
	for n := range end {
		copy(end[n], own[n].Words)
		own[n].Words = end[n]
	}
	p, err := t.transferPlan(c.list, func(n router.NodeID) Block { return own[n] })
	if err != nil {
		return nil, err
	}
	sent := make([]int, len(t.Lengths))
	for i := range c.list.Transfers {
		sent[c.list.Transfers[i].From]++
	}
	p.Facts = []Fact{
		{"messages_a_node", "messages of a node", router.Cycle(slices.Max(sent)), Counted},
		{"kept_words", "words that a node keeps for others", router.Cycle(most), Flits},
	}
	return p, nil
}

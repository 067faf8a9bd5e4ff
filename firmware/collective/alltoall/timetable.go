// SPDX-License-Identifier: Apache-2.0

package alltoall

import (
	"meshwright/fabric/machine"
	timetables "meshwright/firmware/collective/alltoall/timetable"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Timetable sends every message on a route and in a cycle by which
// nothing ever meets anything: by a stored timetable if there is one for the
// network and equal messages, else by one that is searched for. Chips with
// buffers keep to it, too. Where buffers are too small for the full rate, the timetable counts with the stalls.
func Timetable(t *plan.Task) (*plan.Plan, error) {
	if err := t.NeedBlocks(plan.PerSearched); err != nil {
		return nil, err
	}
	table, err := exchangeTimetable(t)
	if err != nil {
		return nil, err
	}
	list, err := exchangeList(t, table)
	if err != nil {
		return nil, err
	}
	p, err := t.TransferPlan(list, t.ExchangeBlock)
	if err != nil {
		return nil, err
	}
	p.Machine.Routing = machine.Source
	t.PredictBooked(p, table.Cycles)
	p.Stopped = table.Stopped
	p.Facts = []plan.Fact{
		{Key: "timetable_cycles", Name: "timetable", Value: table.Cycles, Unit: plan.Cycles},
		{Key: "rounds", Name: "rounds", Value: router.Cycle(table.Rounds), Unit: plan.Counted},
	}
	return p, nil
}

// maxTimetable bounds the messages of all rounds of a timetable together: a PE
// has a record for each, and all of them take some 200 MB.
const maxTimetable = 1 << 18

// exchangeTimetable finds a timetable. On a few nodes a search may beat a stored one.
func exchangeTimetable(t *plan.Task) (*timetables.Timetable, error) {
	if t.Machine.Links != nil { // messages that meet on these routes may block one another for good
		return nil, input.Errorf("expected links even", "a timetable on a machine with %s", t.Machine.SlowRate())
	}
	equal, stored := true, (*timetables.Timetable)(nil)
	for _, length := range t.Lengths {
		equal = equal && length == t.Lengths[0]
	}
	if equal && timetables.Runs(t.Machine) && t.Machine.FullRate() {
		if table, ok := timetables.Stored(t.Topology, t.Lengths[0], maxTimetable); ok {
			if len(t.Lengths) > timetables.MostExact || table.Cycles <= t.LowerBound() {
				return table, nil
			}
			stored = table
		}
	}
	found, err := timetables.FindLengths(t.Search, t.Topology, t.Machine, t.Lengths, timetables.Options{Seed: t.Seed, Most: maxTimetable})
	if err == nil && stored != nil && stored.Cycles <= found.Cycles {
		return stored, nil
	}
	return found, err
}

// exchangeList turns a timetable into transfers. Its error is the context's.
func exchangeList(t *plan.Task, table *timetables.Timetable) (*transfer.List, error) {
	l := &transfer.List{Nodes: t.Topology.Nodes()}
	for i, m := range table.Messages() {
		if i%len(t.Lengths) == 0 && t.Ctx.Err() != nil {
			return nil, t.Ctx.Err()
		}
		out, in := t.ExchangeOut(m.Source, m.Destination), t.ExchangeIn(m.Destination, m.Source)
		l.Transfers = append(l.Transfers, transfer.Transfer{
			From: m.Source, To: m.Destination,
			Out:   transfer.Set{{From: out.From + m.First, To: out.From + m.First + m.Flits}},
			In:    transfer.Set{{From: in.From + m.First, To: in.From + m.First + m.Flits}},
			Route: m.Route, Start: m.Start - router.Cycle(t.Machine.Startup),
		})
	}
	return l, nil
}

// MaxSearched bounds the nodes for which auto searches for a timetable, but where a search is quick ([SearchIsQuick]).
const MaxSearched = timetables.Narrow

// SearchIsQuick reports whether auto searches for a timetable on more nodes than
// MaxSearched: equal messages of one flit, on networks that look the same from all nodes.
func SearchIsQuick(t *plan.Task) bool {
	nodes := len(t.Lengths)
	for _, length := range t.Lengths {
		if length != 1 {
			return false
		}
	}
	return nodes*(nodes-1) <= maxTimetable && timetables.QuickOn(t.Topology, t.Machine)
}

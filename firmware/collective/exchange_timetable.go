// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"

	"meshwright/fabric/machine"
	timetables "meshwright/firmware/exchange"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// timetableExchange sends every message on a way and in a cycle by which
// nothing ever meets anything: by a stored timetable if there is one for the
// network and equal messages, else by one that is searched for. Chips with
// buffers keep to it as long as they never wait for room: that for a flit is
// taken from when it leaves the chip before, and free a cycle after it has left.
func timetableExchange(t *task) (*Plan, error) {
	room := 1 + (t.Machine.Hop+t.Machine.Flit-1)/t.Machine.Flit
	if !t.bufferless() && t.Machine.Buffer < room {
		return nil, input.Errorf(fmt.Sprintf("expected at least %d, or bufferless", room), "buffer %d for a timetable", t.Machine.Buffer)
	}
	if err := t.needParcels(perSearched); err != nil {
		return nil, err
	}
	table, err := t.exchangeTimetable()
	if err != nil {
		return nil, err
	}
	list, err := t.exchangeList(table)
	if err != nil {
		return nil, err
	}
	p, err := t.transferPlan(list, t.exchangeBlock)
	if err != nil {
		return nil, err
	}
	p.Machine.Routing = machine.Source
	t.foretell(p, table.Cycles)
	p.Facts = []Fact{
		{"timetable_cycles", "timetable", table.Cycles, Cycles},
		{"rounds", "rounds", router.Cycle(table.Rounds), Counted},
	}
	return p, nil
}

// maxTimetable bounds the messages of all rounds of a timetable together: a PE
// has a record for each, and all of them take some 200 MB.
const maxTimetable = 1 << 18

// exchangeTimetable finds a timetable.
func (t *task) exchangeTimetable() (*timetables.Timetable, error) {
	equal := true
	for _, length := range t.Lengths {
		equal = equal && length == t.Lengths[0]
	}
	if equal && timetables.Runs(t.Machine) {
		if table, ok := timetables.Stored(t.Topology, t.Lengths[0], maxTimetable); ok {
			return table, nil
		}
	}
	return timetables.FindLengths(t.ctx, t.Topology, t.Machine, t.Lengths, timetables.Options{Seed: t.Seed, Most: maxTimetable})
}

// exchangeList is a timetable as transfers. Its error is that of the context.
func (t *task) exchangeList(table *timetables.Timetable) (*transfer.List, error) {
	l := &transfer.List{Nodes: t.Topology.Nodes()}
	for i, m := range table.Messages() {
		if i%len(t.Lengths) == 0 && t.ctx.Err() != nil {
			return nil, t.ctx.Err()
		}
		out, in := t.exchangeOut(m.Source, m.Destination), t.exchangeIn(m.Destination, m.Source)
		l.Transfers = append(l.Transfers, transfer.Transfer{
			From: m.Source, To: m.Destination,
			Out:   transfer.Set{{From: out.From + m.First, To: out.From + m.First + m.Flits}},
			In:    transfer.Set{{From: in.From + m.First, To: in.From + m.First + m.Flits}},
			Route: m.Route, Start: m.Start - router.Cycle(t.Machine.Startup),
		})
	}
	return l, nil
}

// mostTimetabled bounds the nodes for which auto searches for a timetable.
const mostTimetabled = 128

// aloneAtLeast bounds an exchange in which every message goes by itself.
func (t *task) aloneAtLeast() router.Cycle { return t.bounds.uncombined }

// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"cmp"
	"context"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/calendar"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Timetable sets the Start of every transfer so that no two messages are ever
// in each other's way: list scheduling, in the order of steps and, within one,
// of the list. A transfer is handed over in the first cycle, not before its
// Start and not before its sender is done with earlier steps, in which every
// link of its way, the channels at both ends and what else the machine has only
// one of are free when it gets there. Lists with Sync have no timetable: their
// tokens are in nobody's book. Errors are *input.Error.
func Timetable(t *topology.Topology, m machine.Machine, l *List) error {
	return TimetableContext(context.Background(), t, m, l)
}

// TimetableContext is Timetable; it ends with the context, with its error.
func TimetableContext(ctx context.Context, t *topology.Topology, m machine.Machine, l *List) error {
	if l != nil && l.Sync {
		return input.Errorf("expected a list without tokens", "a timetable of transfers that wait for tokens")
	}
	w, err := newWays(t, m, l)
	if err != nil {
		return err
	}
	b := newBook(w)
	order := make([]int32, len(l.Transfers))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(l.Transfers[i].Step, l.Transfers[j].Step) })
	known, next := make([]router.Cycle, l.Nodes), make([]router.Cycle, l.Nodes) // by node: when it is done with the steps before, and with this one, too
	phase := progress.Begin(ctx, "find times for transfers", len(order))
	defer phase.End()
	for k, i := range order {
		if err := phase.Step(); err != nil {
			return err
		}
		transfer := &l.Transfers[i]
		if k > 0 && l.Transfers[order[k-1]].Step != transfer.Step {
			copy(known, next)
		}
		words := transfer.Out.Words()
		if words == 0 || transfer.From == transfer.To {
			continue
		}
		var whole router.Cycle
		transfer.Start, whole = b.enter(transfer, max(transfer.Start, known[transfer.From]), router.Cycle(words)*w.flit)
		next[transfer.From] = max(next[transfer.From], transfer.Start)
		next[transfer.To] = max(next[transfer.To], whole)
	}
	return nil
}

// book is when everything that only one message can use is taken.
type book struct {
	*ways
	ports    []int32 // by node: its first port
	links    []calendar.Calendar
	inject   []calendar.Calendar // by first port of a node, plus channel
	eject    []calendar.Calendar
	sending  []calendar.Calendar // by node: the chip's one port
	taking   []calendar.Calendar
	duplex   []calendar.Calendar // by node: an interface that goes one way at a time
	uses     []use
	onePort  bool
	half     bool
	channel1 bool
}

// use is that of one thing by a message, counted from its dispatch.
type use struct {
	c        *calendar.Calendar
	at, long router.Cycle
}

func newBook(w *ways) *book {
	t, m := w.net.Topology, w.net.Machine
	b := &book{ways: w, ports: make([]int32, t.Nodes()+1)}
	for n := range t.Nodes() {
		b.ports[n+1] = b.ports[n] + int32(t.Ports(router.NodeID(n)))
	}
	b.onePort, b.half, b.channel1 = m.Ports == machine.SinglePort, m.Duplex == machine.Half, m.Channels != machine.Links
	ports := int(b.ports[t.Nodes()])
	b.links, b.inject, b.eject = make([]calendar.Calendar, ports), make([]calendar.Calendar, ports), make([]calendar.Calendar, ports)
	b.sending, b.taking, b.duplex = make([]calendar.Calendar, t.Nodes()), make([]calendar.Calendar, t.Nodes()), make([]calendar.Calendar, t.Nodes())
	return b
}

// enter books a message that takes a link for so long. It returns the cycle in
// which it is handed over, and the one in which it is whole at its taker.
func (b *book) enter(t *Transfer, from, long router.Cycle) (handed, whole router.Cycle) {
	b.list(t, long)
	dispatch := from + b.startup
	for i := 0; i < len(b.uses); {
		u := &b.uses[i]
		clear := u.c.Clear(dispatch+u.at, u.long)
		if clear == dispatch+u.at {
			i++
			continue
		}
		dispatch, i = clear-u.at, 0
	}
	for _, u := range b.uses {
		u.c.Take(calendar.Interval{From: dispatch + u.at, To: dispatch + u.at + u.long})
	}
	links := b.uses[0].at // of the ejection
	return dispatch - b.startup, dispatch + links + long - 1
}

// list lists what a message uses: the ejection channel first.
func (b *book) list(t *Transfer, long router.Cycle) {
	b.uses = append(b.uses[:0], use{})
	at, shift, first := t.From, router.Cycle(0), router.Port(0)
	for k := 0; at != t.To; k++ {
		p := b.port(t, at, k)
		if k == 0 {
			first = p
		}
		b.uses = append(b.uses, use{&b.links[b.ports[at]+int32(p)], shift, long})
		next := b.net.Topology.Neighbor(at, p)
		if b.onePort {
			b.uses = append(b.uses, use{&b.sending[at], shift, long}, use{&b.taking[next], shift, long})
		}
		if next == t.To {
			back := b.net.Topology.BackPort(at, p)
			b.uses[0] = use{&b.eject[b.place(t.To, back)], shift + b.hop, long}
		}
		at, shift = next, shift+b.hop
	}
	b.uses = append(b.uses, use{&b.inject[b.place(t.From, first)], -b.startup, b.startup + long})
	if b.half {
		b.uses = append(b.uses, use{&b.duplex[t.From], 0, long}, use{&b.duplex[t.To], shift, long})
	}
}

// port returns the port by which a message leaves a node, its k-th.
func (b *book) port(t *Transfer, at router.NodeID, k int) router.Port {
	if t.Route != nil {
		return t.Route[k]
	}
	return b.net.Next(at, t.To)
}

// place is the index of a node's channel behind a port.
func (b *book) place(n router.NodeID, p router.Port) int32 {
	if b.channel1 {
		p = 0
	}
	return b.ports[n] + int32(p)
}

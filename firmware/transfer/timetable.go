// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"cmp"
	"context"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Timetable sets the Start of every transfer so that no two messages ever need the same
// resource at the same time. It uses list scheduling, in the order of steps and, within a
// step, of the list. A transfer is handed over in the first cycle in which every link of
// its route, the channels at both ends, and the ports and interfaces are free when the
// message reaches them; not before its Start, and not before its sender has finished
// earlier steps. Lists with Sync have no timetable, since no calendar has their tokens.
// Errors are *input.Error.
func Timetable(t *topology.Topology, m machine.Machine, l *List) error {
	return TimetableContext(context.Background(), t, m, l)
}

// TimetableContext is Timetable; it ends with the context, with its error.
func TimetableContext(ctx context.Context, t *topology.Topology, m machine.Machine, l *List) error {
	return timetable(ctx, t, m, l, func(b *booking.Book) *booking.Book { return b })
}

// TimetableStalling is TimetableContext with time for the stalls of worms where buffers are too small for the full rate. By Timetable messages
// could wait for one another there. It marks the list as Apart, unless heads wait for claims: then the messages do not meet either, but may be faster than
// their times. It knows nothing of links that are slower than others.
func TimetableStalling(ctx context.Context, t *topology.Topology, m machine.Machine, l *List) error {
	err := timetable(ctx, t, m, l, (*booking.Book).Stalling)
	l.Apart = err == nil && m.Punctual()
	return err
}

func timetable(ctx context.Context, t *topology.Topology, m machine.Machine, l *List, times func(*booking.Book) *booking.Book) error {
	if l != nil && l.Sync {
		return input.Errorf("expected a list without tokens", "a timetable of transfers that wait for tokens")
	}
	w, err := newWays(t, m, l)
	if err != nil {
		return err
	}
	b := times(booking.NewBook(t, w.net.Machine))
	order := make([]int32, len(l.Transfers))
	for i := range order {
		order[i] = int32(i)
	}
	sortStable(order, func(i, j int32) int { return cmp.Compare(l.Transfers[i].Step, l.Transfers[j].Step) })
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
		if transfer.Out.Words() == 0 || transfer.From == transfer.To {
			continue
		}
		var whole router.Cycle
		transfer.Start, whole = w.book(b, transfer, max(transfer.Start, known[transfer.From]))
		next[transfer.From] = max(next[transfer.From], transfer.Start)
		next[transfer.To] = max(next[transfer.To], whole)
	}
	return nil
}

// book reserves all that a transfer uses, at the earliest time at which it can be
// handed over from a cycle on. It returns that, and when the message is whole at its
// receiver.
func (w *ways) book(b *booking.Book, t *Transfer, from router.Cycle) (handed, whole router.Cycle) {
	route := t.Route
	if route == nil {
		w.scratch = w.route(w.scratch[:0], t.From, t.To)
		route = w.scratch
	}
	return b.Reserve(t.From, route, t.Out.Words(), from)
}

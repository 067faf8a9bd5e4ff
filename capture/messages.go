// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"bufio"
	"io"
	"iter"
	"math/big"
	"strconv"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// MessageTimes says when a message went, in ticks of the machine. Times that
// never came are negative.
type MessageTimes struct {
	Message             int64 // fabric.Network.Number, or a schedule's
	Source, Destination router.NodeID
	Flits               int
	Links               int          // of its route
	Sent                router.Cycle // its channel took it from the PE
	Dispatch            router.Cycle // its first flit stood in the injection register
	First, Last         router.Cycle // its first and its last flit had been delivered, see fabric.Network.ArrivalTime
	Transfer            router.Cycle // over its route, if links are not alike; else 0
}

// Never is a time that did not come.
const Never = router.Cycle(-1)

const messagesHeader = "message,source,destination,flits,sent,dispatch,first_arrival,last_arrival,startup,waiting,transfer\n"

// WriteMessages writes a row of CSV for each message:
//
//	message,source,destination,flits,sent,dispatch,first_arrival,last_arrival,startup,waiting,transfer
//
// Times are in cycles, exactly: whole numbers, decimal fractions, or 31/3. What
// never came is empty. startup is the machine's, transfer the time over the
// message's route when nothing is in it, see timing.Model.Transfer, and
// waiting all the rest of last_arrival - sent.
func WriteMessages(w io.Writer, m *machine.Machine, messages iter.Seq[MessageTimes]) error {
	out := bufio.NewWriterSize(w, 1<<16) // keeps the first error
	out.WriteString(messagesHeader)
	var row []byte
	for t := range messages {
		row = t.append(row[:0], m)
		if _, err := out.Write(row); err != nil {
			return err
		}
	}
	return out.Flush()
}

// append adds the message as a line of CSV.
func (t *MessageTimes) append(row []byte, m *machine.Machine) []byte {
	for _, v := range [...]int64{t.Message, int64(t.Source), int64(t.Destination), int64(t.Flits)} {
		row = append(strconv.AppendInt(row, v, 10), ',')
	}
	ticks := m.Ticks()
	model, waiting, transfer := timing.Of(m), Never, Never
	if t.Last >= 0 {
		if transfer = t.Transfer; transfer == 0 {
			transfer = model.Transfer(t.Links, t.Flits)
		}
		waiting = t.Last - t.Sent - model.Startup - transfer
	}
	for _, c := range [...]router.Cycle{t.Sent, t.Dispatch, t.First, t.Last, model.Startup, waiting, transfer} {
		if c >= 0 {
			row = appendCycles(row, c, ticks)
		}
		row = append(row, ',')
	}
	row[len(row)-1] = '\n'
	return row
}

// appendCycles adds a number of ticks as cycles.
func appendCycles(row []byte, c router.Cycle, ticks int) []byte {
	if int64(c)%int64(ticks) == 0 {
		return strconv.AppendInt(row, int64(c)/int64(ticks), 10)
	}
	x := big.NewRat(int64(c), int64(ticks))
	if digits, exact := x.FloatPrec(); exact {
		return append(row, x.FloatString(digits)...)
	}
	return append(row, x.RatString()...)
}

// MessageWatch is a monitor that notes when messages begin to arrive. The
// network's log says the rest, so Network.KeepLog must have been called.
type MessageWatch struct {
	net   *fabric.Network
	first []router.Cycle // by serial number; 0: not yet
}

// NewMessageWatch makes a watch; attach it before the first cycle.
func NewMessageWatch(net *fabric.Network) *MessageWatch { return &MessageWatch{net: net} }

// Evaluate notes the heads that PEs take in the cycle.
func (w *MessageWatch) Evaluate(s fabric.Signals) {
	if !s.Taking() {
		return
	}
	for _, d := range s.Flits() {
		if d.Flit.Flags&router.Head == 0 {
			continue
		}
		serial := int(s.Worm(d.Flit).Message)
		for len(w.first) <= serial {
			w.first = append(w.first, 0)
		}
		w.first[serial] = w.net.ArrivalTime(s.Now())
	}
}

// Update does nothing: a monitor does not act.
func (w *MessageWatch) Update(fabric.Signals) {}

// Wakes lets the clock skip: where nothing moves nothing arrives.
func (w *MessageWatch) Wakes() router.Cycle { return fabric.Never }

// Times calls yield for every message of the run, control words included, in
// the order of sending.
func (w *MessageWatch) Times() iter.Seq[MessageTimes] {
	return func(yield func(MessageTimes) bool) {
		for _, sent := range w.net.Log() {
			t := MessageTimes{
				Message: w.net.Number(sent.Serial), Source: sent.Source, Destination: sent.Destination, Flits: sent.Length,
				Links: w.links(&sent), Sent: sent.Cycle, Dispatch: sent.Dispatch, First: Never, Last: Never,
			}
			if !w.net.Even() {
				t.Transfer = w.net.Transfer(&sent)
			}
			if k := int(sent.Serial); k < len(w.first) && w.first[k] > 0 {
				t.First = w.first[k]
			}
			if sent.Arrival > 0 {
				t.Last = sent.Arrival
			}
			if !yield(t) {
				return
			}
		}
	}
}

// links counts the links of a message's route.
func (w *MessageWatch) links(m *fabric.Sent) int {
	if m.Route == nil || !w.net.Machine.PacketSwitched() {
		return w.net.Links(&m.Message, m.Serial)
	}
	at := m.Source // a chip that switches packets takes what is addressed to it, wherever the route goes on
	for k, port := range m.Route {
		if at = w.net.Topology.Neighbor(at, port); at == m.Destination {
			return k + 1
		}
	}
	return len(m.Route)
}

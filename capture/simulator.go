// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"io"

	"meshwright/capture/queue"
	"meshwright/internal/input"
	"meshwright/rtl"
)

// WriteSimulatorTable writes the table of a run as a simulator's log tells it.
func WriteSimulatorTable(w io.Writer, d *rtl.Design, log io.Reader) error {
	if d == nil {
		return input.Errorf("expected what Recorder.Export returned", "no design")
	}
	b := NewTableBuilder(d.Chips)
	err := d.ReadLog(log, func(s rtl.Sighting) {
		if !d.Bufferless {
			enterBuffer(&b.waits, s)
		}
		if s.Form != rtl.Stood && s.Form != rtl.Arrived {
			return
		}
		b.Add(Event{
			Cycle: s.Cycle, Node: s.Node, Arrival: s.Form == rtl.Arrived, Kind: s.Kind,
			Message: int64(s.Tag), Flit: s.Index, Value: s.Payload,
		})
	})
	if err != nil {
		return err
	}
	return b.Write(w)
}

// enterBuffer records what a sighting says of the flits in buffers. A flit that leaves a register leaves its chip, but no buffer.
func enterBuffer(record *queue.Record, s rtl.Sighting) {
	switch s.Form {
	case rtl.Kept, rtl.Entered:
		record.Arrive(s.Node, s.Cycle)
	case rtl.Left:
		record.Leave(s.Node, s.Cycle)
	}
}

// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"io"

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
		b.Add(Event{
			Cycle: s.Cycle, Node: s.Node, Arrival: s.Arrival, Kind: s.Kind,
			Message: int64(s.Tag), Flit: s.Index, Value: s.Payload,
		})
	})
	if err != nil {
		return err
	}
	return b.Write(w)
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"iter"

	"meshwright/capture"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule"
)

// outputs judges the file to write before any work is done.
func (f *machineFlags) outputs(file, messages string) error {
	if messages == "" {
		return nil
	}
	var paths input.Paths
	paths.Read("the schedule", file)
	f.inputs(&paths)
	return paths.WriteAs("--messages", messages, ".csv")
}

// writeCheckedMessages writes the times of a schedule's messages as the checker
// knows them; path "": nowhere.
func writeCheckedMessages(path string, m *machine.Machine, times iter.Seq[capture.MessageTimes]) error {
	if path == "" {
		return nil
	}
	return atomicfile.Write(path, func(w io.Writer) error { return capture.WriteMessages(w, m, times) })
}

// wormTimes are the times of messages on a machine without buffers, were there
// no collisions: nothing waits.
func wormTimes(s *schedule.Schedule, c *collective.Checked) iter.Seq[capture.MessageTimes] {
	m, r := &c.Machine, c.Worms
	return func(yield func(capture.MessageTimes) bool) {
		for row := range s.Rows {
			at := &s.Rows[row]
			t := rowTimes(at)
			t.Sent, t.Dispatch, t.Last = at.Dispatch-router.Cycle(m.StartupTicks()), at.Dispatch, r.Arrivals[row]
			if t.Last < 0 { // lost
				t.First, t.Last = capture.Never, capture.Never
				if !yield(t) {
					return
				}
				continue
			}
			t.First, t.Links = r.Heads[row], int(r.Hops[row])
			if m.Links != nil {
				t.Transfer = t.Last - t.Dispatch
			}
			if !yield(t) {
				return
			}
		}
	}
}

// packetTimes are the times of packets.
func packetTimes(s *schedule.Schedule, c *collective.Checked) iter.Seq[capture.MessageTimes] {
	m, r := &c.Machine, c.Packets
	return func(yield func(capture.MessageTimes) bool) {
		for row := range s.Rows {
			t := rowTimes(&s.Rows[row])
			t.Sent, t.Dispatch, t.Links, t.First, t.Last = r.Sent[row], r.Entered[row], int(r.Hops[row]), capture.Never, r.Arrivals[row]
			if t.Last >= 0 {
				t.First = t.Last - router.Cycle((m.WithHeader(t.Flits)-1)*m.FlitTicks()) // once on its last link, a packet goes on without a break
			}
			if !yield(t) {
				return
			}
		}
	}
}

// withUnsent adds to the times of the messages that were sent those that a schedule has besides, without times.
func withUnsent(times iter.Seq[capture.MessageTimes], s *schedule.Schedule) iter.Seq[capture.MessageTimes] {
	if s == nil {
		return times
	}
	return func(yield func(capture.MessageTimes) bool) {
		sent := map[int64]bool{}
		for t := range times {
			if sent[t.Message] = true; !yield(t) {
				return
			}
		}
		for row := range s.Rows {
			t := rowTimes(&s.Rows[row])
			t.Sent, t.Dispatch, t.First, t.Last = capture.Never, capture.Never, capture.Never, capture.Never
			if !sent[t.Message] && !yield(t) {
				return
			}
		}
	}
}

func rowTimes(r *schedule.Row) capture.MessageTimes {
	return capture.MessageTimes{Message: int64(r.Message), Source: r.Source, Destination: r.Destination, Flits: r.Flits}
}

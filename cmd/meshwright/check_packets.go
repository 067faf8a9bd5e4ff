// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// packetFacts are the fields of a verdict about packets; its JSON names are a contract.
type packetFacts struct {
	Late           int     `json:"late_messages"`
	Missing        int     `json:"missing_messages"`
	Stuck          []int32 `json:"first_missing,omitempty"`
	MaxBufferFlits int     `json:"max_buffer_flits"`
	Fullest        *place  `json:"fullest_buffer,omitempty"`
	Turns          waits   `json:"waits_for_turn"`
	Grants         waits   `json:"waits_for_link"`
	Failure        string  `json:"failure,omitempty"`
}

// place is a link's buffer.
type place struct {
	Node int `json:"node"`
	Port int `json:"port"`
}

// waits are the packets that waited, and the longest time that one did.
type waits struct {
	Packets int      `json:"packets"`
	Longest duration `json:"longest"`
}

// String counts the packets.
func (w waits) String() string {
	if w.Packets == 0 {
		return "none"
	}
	packets := input.Count(w.Packets, "packet")
	switch longest := w.Longest.String(); longest {
	case "0":
		return packets + ", for ever"
	case "1":
		return packets + ", at most 1 cycle"
	default:
		return packets + ", at most " + longest + " cycles"
	}
}

func newPacketVerdict(r *check.PacketReport, t *topology.Topology, m machine.Machine, given string) *verdict {
	time := func(ticks router.Cycle) duration { return duration{ticks, m.Ticks()} }
	v := &verdict{
		OK: r.OK, Cycles: time(r.Cycles), LowerBound: time(r.LowerBound), Ratio: quotient(r.Ratio), Messages: r.Messages,
		Topology: t.String(), Given: given, Checked: m.Name, Machine: machineSettings(m), Version: version(),
		Hottest: hottestOf(t, r.Links, r.Hottest, r.Quiet),
		packetFacts: &packetFacts{
			Late: r.Late, Missing: r.Missing, Stuck: r.Stuck, MaxBufferFlits: r.MaxBufferFlits,
			Turns: waits{r.Turns.Packets, time(r.Turns.Longest)}, Grants: waits{r.Grants.Packets, time(r.Grants.Longest)},
		},
	}
	if r.Fullest != router.None {
		v.Fullest = &place{int(r.Fullest), int(r.FullestPort)}
	}
	v.lose(m, t, r.Losses, len(r.Losses))
	switch {
	case r.Missing > 0:
		v.Failure = "deadlock: packets wait for one another, " + neverArrive(r)
	case !r.OK:
		crowd := collective.Crowded{Node: r.Fullest, Port: r.FullestPort, Flits: r.MaxBufferFlits, Packet: m.LargestPacket()}
		v.Failure = crowd.Error() + " (no scatter needs more: Tsai, theorem 6)"
	}
	return v
}

// neverArrive says which messages do not.
func neverArrive(r *check.PacketReport) string {
	if r.Missing == 1 {
		return fmt.Sprintf("message %d never arrives", r.Stuck[0])
	}
	return fmt.Sprintf("message %d and %s never arrive", r.Stuck[0], input.Count(r.Missing-1, "other"))
}

func (v *verdict) printPackets(w io.Writer) error {
	fullest := input.Count(v.MaxBufferFlits, "flit")
	if v.Fullest != nil {
		fullest += fmt.Sprintf(" (node %d, port %d)", v.Fullest.Node, v.Fullest.Port)
	}
	rows := [][]string{
		{"messages", itoa(v.Messages)}, {"cycles", v.Cycles.String()}, {"lower bound", v.LowerBound.String()},
		{"ratio", v.ratioText()},
	}
	if v.Hottest != nil {
		rows = append(rows, []string{"hottest link", v.Hottest.String()})
	}
	rows = append(rows,
		[]string{"fullest buffer", fullest},
		[]string{"waited for a turn", v.Turns.String()},
		[]string{"waited for a link", v.Grants.String()})
	if v.Late > 0 {
		rows = append(rows, []string{"late", input.Count(v.Late, "message") + " entered later than dispatched"})
	}
	rows = append(append(rows, v.lostRows()...), v.flowRows()...)
	if err := printRows(w, "schedule on "+v.Topology+", machine "+v.Checked+v.others, nil, rows); err != nil {
		return err
	}
	if err := v.printLosses(w); err != nil {
		return err
	}
	if err := v.Flow.print(w); err != nil || v.Failure == "" {
		return err
	}
	if _, err := fmt.Fprintln(w, "FAIL "+escape.Line(v.Failure)); err != nil || v.Missing > 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "machine %s has buffers of %s flits: in a run the packets wait there\n", v.Checked, v.Machine["buffer"])
	return err
}

// packetWitness is the checker's account of a run whose messages are the rows of
// s. It must be the model's message by message.
func packetWitness(ctx context.Context, o *outcome, s *schedule.Schedule) (witness, error) {
	r, err := check.Packets(s, o.topology, o.network.Machine, check.Under(ctx))
	if err != nil {
		return witness{}, err
	}
	w := witness{Name: "checker", Cycles: o.time(r.Cycles), Quiet: o.time(r.Quiet), Flits: int64(r.Flits), Says: packetDifference(o, s, r)}
	if w.OK = w.Says == ""; w.OK {
		w.Says = "arrivals agree, fullest buffer " + input.Count(r.MaxBufferFlits, "flit")
	}
	return w, nil
}

// packetDifference returns the first thing in which the account is not the
// model's, or "".
func packetDifference(o *outcome, s *schedule.Schedule, r *check.PacketReport) string {
	if r.Missing > 0 {
		return neverArrive(r)
	}
	row := 0
	for _, sent := range o.network.Log() {
		if sent.Dispatch < 0 {
			continue
		}
		message, entered, arrived := s.Rows[row].Message, r.Entered[row], r.Arrivals[row]
		row++
		switch {
		case entered != sent.Dispatch:
			return fmt.Sprintf("message %d enters at %s, not %s", message, o.time(entered), o.time(sent.Dispatch))
		case arrived != sent.Arrival:
			return fmt.Sprintf("message %d arrives at %s, not %s", message, o.time(arrived), o.time(sent.Arrival))
		}
	}
	if r.MaxBufferFlits != o.maxBufferFlits {
		return fmt.Sprintf("fullest buffer %s, not %d", input.Count(r.MaxBufferFlits, "flit"), o.maxBufferFlits)
	}
	return ""
}

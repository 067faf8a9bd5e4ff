// SPDX-License-Identifier: Apache-2.0

package chakra

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
	"meshwright/schedule"
)

// Recording is a component that notes when the messages of a run were received, so that
// the run can be written as traces. The network must keep its log.
type Recording struct {
	net    *fabric.Network
	events [][]event // by node, in the order in which they happened
	freed  []freed   // cycles in which a node's channel became free
}

// event is the reception of a message.
type event struct {
	Cycle  router.Cycle
	Serial int32
}

// freed is the end of a message in an injection channel.
type freed struct {
	Cycle   router.Cycle
	Node    router.NodeID
	Channel int32
}

// NewRecording returns a recording of a network; attach it before the first cycle.
func NewRecording(n *fabric.Network) *Recording {
	return &Recording{net: n, events: make([][]event, n.Topology.Nodes())}
}

// Evaluate implements fabric.Component.
func (r *Recording) Evaluate(s fabric.Signals) {
	for _, m := range s.Received() {
		r.events[m.Destination] = append(r.events[m.Destination], event{s.Now(), m.Serial})
	}
	for node, channel := range s.Freed() {
		r.freed = append(r.freed, freed{s.Now(), node, channel})
	}
}

// Update implements fabric.Component.
func (r *Recording) Update(fabric.Signals) {}

// OnlyMessages marks a fabric.Messenger.
func (r *Recording) OnlyMessages() {}

// Wakes implements fabric.Sleeper.
func (r *Recording) Wakes() router.Cycle { return fabric.Never }

// Workload returns the messages of the run, control words included, as traces: a rank for every node. A
// send comes after the send before it and after all messages that its node had received by
// then. If it left later than that although its channel did not keep it waiting, a
// computation of that time comes between. bytes are those of a flit, and
// perMicro the cycles of a microsecond, to which the durations are rounded; the
// attribute meshwright_cycles has the exact number. With routes, the attribute meshwright_route of a
// send has its route: needed where the network did not use the machine's own.
func (r *Recording) Workload(name string, routes bool, bytes int, perMicro router.Cycle) *Workload {
	w := &Workload{Name: name, Traces: make([]Trace, len(r.events))}
	sends := make([][]fabric.Sent, len(r.events))
	for _, m := range r.net.Log() {
		sends[m.Source] = append(sends[m.Source], m)
	}
	slices.SortFunc(r.freed, compareFreed)
	of := make(map[int32]fabric.Sent, len(r.net.Log()))
	for _, m := range r.net.Log() {
		of[m.Serial] = m
	}
	ways := map[int32][]router.NodeID{}
	if routes {
		for _, row := range schedule.FromLog(r.net, true).Rows {
			ways[row.Message] = row.Route
		}
	}
	for node := range w.Traces {
		t := &w.Traces[node]
		t.Version = schemaVersion
		x := &transcript{recording: r, trace: t, node: router.NodeID(node), bytes: uint64(bytes), perMicro: perMicro, ways: ways}
		x.write(sends[node], of)
	}
	return w
}

func compareFreed(a, b freed) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Cycle, b.Cycle))
}

// transcript is the trace of one node.
type transcript struct {
	recording *Recording
	trace     *Trace
	node      router.NodeID
	bytes     uint64
	perMicro  router.Cycle
	ways      map[int32][]router.NodeID // by number of the message
}

// add appends a node with the next id.
func (x *transcript) add(n Node) uint64 {
	n.ID = uint64(len(x.trace.Nodes))
	x.trace.Nodes = append(x.trace.Nodes, n)
	return n.ID
}

// write enters receptions and sends in the order of time.
func (x *transcript) write(sends []fabric.Sent, of map[int32]fabric.Sent) {
	received := x.recording.events[x.node]
	slices.SortStableFunc(sends, func(a, b fabric.Sent) int { return cmp.Compare(a.Cycle, b.Cycle) })
	var after []uint64 // what the next send comes after
	done := router.Cycle(0)
	take := func(until router.Cycle) {
		for ; len(received) > 0 && received[0].Cycle <= until; received = received[1:] {
			m := of[received[0].Serial]
			after = append(after, x.add(x.message(Receive, m, uint64(m.Source))))
			done = max(done, received[0].Cycle)
		}
	}
	for _, m := range sends {
		take(m.Cycle)
		if wait := m.Cycle - done; wait > 0 && !x.busy(m) {
			cycles := int64(wait) / int64(x.recording.net.Machine.Ticks())
			micros := (router.Cycle(cycles) + x.perMicro/2) / x.perMicro
			after = []uint64{x.add(Node{Type: Compute, Name: "wait", After: after, Micros: uint64(micros), Cycles: cycles})}
		}
		send := x.message(Send, m, uint64(m.Destination))
		send.After = after
		send.Route = joined(x.ways[int32(x.recording.net.Number(m.Serial))])
		after, done = []uint64{x.add(send)}, m.Cycle
	}
	take(router.Cycle(1) << 62)
}

// joined writes the nodes of a route.
func joined(nodes []router.NodeID) string {
	var text []string
	for _, n := range nodes {
		text = append(text, strconv.Itoa(int(n)))
	}
	return strings.Join(text, ">")
}

// busy reports whether the channel of a message became free in the cycle of its send: then the channel kept it waiting.
func (x *transcript) busy(m fabric.Sent) bool {
	n := x.recording.net
	channel := int32(0)
	if n.Machine.Channels == machine.Links {
		first := n.Next(m.Source, m.Destination)
		if len(m.Route) > 0 {
			first = m.Route[0]
		}
		channel = int32(timing.ChannelOf(&n.Machine, first))
	}
	_, found := slices.BinarySearchFunc(x.recording.freed, freed{m.Cycle, x.node, channel}, compareFreed)
	return found
}

// message is the node of one end of a message.
func (x *transcript) message(kind NodeType, m fabric.Sent, peer uint64) Node {
	flits := m.Length
	if m.Words != nil {
		flits = len(m.Words) / x.recording.net.Machine.Elements()
	}
	name := "send"
	if kind == Receive {
		name = "receive"
	}
	return Node{Type: kind, Name: name, Cycles: -1, Self: -1, Comm: true, Bytes: uint64(flits) * x.bytes, Peer: peer, Tag: uint64(m.Serial)}
}

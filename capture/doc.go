// SPDX-License-Identifier: Apache-2.0

// Package capture shows what a run did: every flit that crossed a link as CSV
// or as packets for Wireshark, the table of flits at nodes, and pictures.
//
// A [Capture] is a monitor on the network's clock: it never sends, and never
// keeps the clock from skipping idle cycles. It writes to a temporary file
// beside its target, which [Capture].Close renames and Abort removes. Finish and
// Commit are the two halves of Close, for captures that belong together.
//
//	trace, err := capture.Open("run.pcapng", net, capture.Options{})
//	…
//	net.Attach(trace)
//	err = net.Run(ctx, limit)
//	…
//	err = trace.Close()
//
// # Files
//
// .csv has a row per link crossing, rising by cycle, then by link:
//
//	cycle,from,to,source,destination,message,flit,value,kind
//
// The flit is at from in cycle and at to in cycle+1 (+hop on machines with
// slower hops). message is a number that no other message or control word of the run
// has; schedules and collisions use the same number, see fabric.Network.Number. flit is the position
// in the message from 1, value the payload word. kind is data, order, token or
// certificate, the name of the router.Kind that the flit has on its link. Deliveries
// to PEs are not crossings.
//
// .pcapng has the same crossings as packets, with the layout of package
// flitlayer. Interface k is the link with index k in Topology.Links, named
// "3>4"; all of them are declared at the start. A cycle is a nanosecond.
// Wireshark reads it with the dissector of package wireshark.
//
// .pftrace has the run for Perfetto: a track for each virtual channel of a link with a slice for each
// message, a track for each PE with its waits, and a counter for each buffer. Package perfetto writes it.
//
// .html is a page that plays the run in a browser. Package player has the page; the record in it is
// described in record.go.
//
// .svg is a picture: space and time on paths and rings, the load of every link
// on other topologies; Options.Picture chooses otherwise. Package svg draws.
//
// A table ([OpenTable], [Table], [TableBuilder]) has a row per cycle and a
// column per node: step,P0,P1,… A cell shows the flits that arrived at the node
// in that cycle; if none did, the data flits in its injection registers. After them it says how many more flits
// wait in the node's buffers, where they arrived in earlier cycles:
//
//	m5.1   flit 1 of the data message that its program calls 5: its tag, which several may have
//	m5.3+2 flit 3, and 2 more flits wait in buffers
//	+3     no flit arrived, no flit stands in an injection register, and 3 flits wait in buffers
//	(3)    order of value 3
//	[*]    token
//	<3>    certificate of value 3
//
// A control flit is shown only where it arrives. Rows run from the first to the
// last cycle with a filled cell.
package capture

// SPDX-License-Identifier: Apache-2.0

// Package router models mesh routing chips cycle by cycle: flits, input
// buffers, arbitration, routing functions and port regimes.
//
// A [Bank] holds the state of many chips in flat arrays and advances all of
// them together in two phases: every decision of a cycle is taken from the
// state at its start, then all state is updated. Package fabric wires the
// chips into a network and supplies clock and network interfaces.
//
// The constructors and [Bank] do not check what they are given: package fabric
// checks the topology and the machine before it calls them. A [Config] or a
// routing of nodes and ports that do not exist ends in a panic.
package router

import "fmt"

// Cycle is a point in time, in cycles: one flit crosses one link in a cycle.
type Cycle int64

// NodeID names a chip and its processing element, 0 to N-1.
type NodeID int32

// None is the NodeID of no node.
const None NodeID = -1

// Port numbers a chip's link ports from 0; ejection ports follow them.
type Port int32

// NoPort is the Port of no port.
const NoPort Port = -1

// VC numbers the virtual channels of a port from 0.
type VC uint8

// Kind tells the payload of a message from the three kinds of control words. Traces,
// captures and assembler text use the same names for the kinds.
type Kind uint8

// The kinds of flits; their values are the ones on the wire.
const (
	Data Kind = iota
	Order
	Token
	Certificate
)

var kindNames = [...]string{"data", "order", "token", "certificate"}

// String returns the kind's name as traces and captures show it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Flit flags.
const (
	Head uint8 = 1 << iota // first flit of its worm: carries the route
	Tail                   // last flit of its worm: releases what the head claimed
	gone                   // a link loses it: it does not reach the input behind
)

// Flit is one flow-control unit inside the network, the content of a slot of a buffer. Its
// header and payload are looked up by Worm.
type Flit struct {
	Worm  uint32 // slot of the worm (message in flight) in the bank's table
	Seq   uint32 // position in the worm, 0 for the head
	Hop   uint32 // links crossed so far
	VC    VC     // virtual channel of the buffer the flit is in
	Flags uint8  // Head, Tail
}

// Worm is a message in flight: the header its flits share.
type Worm struct {
	Source, Destination NodeID
	Length              uint32 // flits
	Message             int32  // serial number, unique in a run
	Tag                 uint32 // the program's name for the message (on the wire)
	Kind                Kind
	Lane                VC     // virtual channel at injection
	Route               []Port // output ports, one a hop, for source routing
	Via                 NodeID // for Valiant's routing: the node between, reached after Turn hops
	Turn                uint32
}

// SPDX-License-Identifier: Apache-2.0

// Package packet splits messages into packets for store-and-forward networks
// with a set-up time, and orders the packets.
//
// The machine is Tsai's: a packet of L flits takes beta + L cycles on every
// link, beta rational; a node sends one packet and receives one packet at a
// time, passes packets on whole, first come first served and without idling,
// and takes what is addressed to it without queueing. Packets never mix
// messages and are never split on their way.
//
// EvenSplit, Alpha, Best, ScatterContiguous, GatherContiguous and Groups are
// closed formulas and exact searches, in rational cycles. Scatter and Gather
// simulate packets on a tree; Optimum and Improve search for order and
// packetisation there. These count ticks of 1/q cycle, where beta = p/q: a
// packet of L flits takes p + q*L ticks on a link.
package packet

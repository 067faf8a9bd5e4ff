// SPDX-License-Identifier: Apache-2.0

// Package packet splits messages into packets for store-and-forward networks with a
// set-up, and orders the packets.
//
// The machine is Tsai's. A packet of L flits takes beta + L cycles on every link, where
// the set-up beta is rational. A node sends one packet and receives one packet at a time.
// It passes packets on when it has all of them, first come first served and without
// idling. A packet that is addressed to the node itself does not queue. Packets never mix
// messages and are never split on the way.
//
// EvenSplit, Alpha, Best, ScatterContiguous and Groups are closed formulas and exact
// searches, in rational cycles. Scatter and Gather simulate packets on a tree. Optimum and
// Improve search for the best order and packets there. These count ticks of 1/q cycle, where
// beta = p/q: a packet of L flits takes p + q*L ticks on a link.
package packet

// SPDX-License-Identifier: Apache-2.0

// Package combine plans all-to-alls (total exchanges) with combined messages: blocks
// that go the same way travel in one message. A parcel is the block that one node has
// for another. In every step each node sends the parcels that it holds onward, all
// parcels for the same next node in one message. An [Onward] says where a parcel is
// after a step. [Plan] finds memory for the parcels that a node holds for other nodes,
// and lists the messages.
//
// Fewer startups cost more words on the links: [Direct] sends every parcel by itself,
// [Dimensions] sends one message to every node of a line for each dimension, and
// [Halving] and [Bruck] send one or two for each binary or ternary digit.//
// Callers give a valid topology, a resolved machine and lengths for all nodes, as
// package plan does: functions without an error panic when these are wrong.
package combine

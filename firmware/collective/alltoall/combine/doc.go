// SPDX-License-Identifier: Apache-2.0

// Package combine plans all-to-alls with combined messages: blocks that go the same way
// travel in one message. A block holds the words of one node for one other node. In
// every step each node sends on the blocks that it holds; all blocks for the same next
// node form one message. An [Onward] gives the node of a block after each step. [Plan]
// reserves memory for the blocks that a node holds for other nodes, and lists the messages.
//
// Fewer startups cost more words on the links: [Direct] sends every block by itself,
// [Dimensions] sends one message to every node of a line for each dimension, and
// [Halving] and [Bruck] send one or two for each binary or ternary digit.
//
// Callers give a valid topology, a resolved machine and lengths for all nodes, as
// package plan does: functions without an error panic when these are wrong.
package combine

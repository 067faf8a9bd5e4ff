// SPDX-License-Identifier: Apache-2.0

// Package flow checks that a schedule is the collective that it is meant to be: it follows the blocks
// that the rows of the schedule carry (schedule.Row.Blocks). Most callers want collective.CheckSchedule or collective.FollowRun, which
// know the times of the messages.
//
// A node has a block from the start, or from the cycle in which the tail of the first message with the block is
// delivered to it. A message is sent when its startup begins. It may carry only blocks that its source has by then,
// and a PE can send a message on in the cycle in which it is delivered:
//
//	sent:  dispatch - startup              message 1  0>1  dispatch 0, 2 flits: delivered in cycle 2
//	has:   arrival - 1, packets: arrival   message 2  1>2  may be dispatched in cycle 2 + startup
//
// A message that carries what its source does not have is a violation. Behind it the blocks count as
// delivered, so that one fault is one violation and not one of every message that passes the block on. That is sound: without any
// violation every message carries what its source has, as no message arrives before it is sent.
//
// In a reduce, an allreduce or a reduce-scatter the block of a node is its vector, and a message carries the sum of the blocks that it names, or of all that
// its source has summed up by then. A node adds what it gets to its sum. A sum that has every block of the node's sum replaces it instead. A
// block that the node's sum has already is a violation otherwise, since it would count twice.
package flow

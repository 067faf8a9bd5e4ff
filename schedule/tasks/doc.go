// SPDX-License-Identifier: Apache-2.0

// Package tasks runs work whose parts wait for one another: computations that take
// cycles, messages, and the receptions of messages. A schedule says when a message
// leaves; a [Graph] says after what it leaves.
//
// A task is ready in the cycle in which the last of the tasks before it is done.
//
//   - A computation occupies the processor of its node for its cycles. The processor
//     does one at a time, in the order in which they become ready, and of those that
//     become ready in the same cycle in the order of the graph.
//   - A send is done when its channel accepts the message. A send whose channel is busy
//     waits; sends leave a channel in the order in which they become ready.
//   - A reception is done when it is ready and the last flit of its message has arrived.
//   - A join takes no time.
//
// A task that follows within the same cycle begins in that cycle.
package tasks

// SPDX-License-Identifier: Apache-2.0

// Package bound computes lower bounds: times that no schedule of a collective can beat
// on a machine. It knows topology, machine and lengths, and no algorithm. So a bound is
// independent of the algorithm that it is compared with.
//
// All bounds rest on the same facts of a machine with startup s, h cycles a hop and f
// cycles a flit, in a network with shortest distances d:
//
//   - No flit stands in an injection register before cycle s. The first flit of a
//     message stands there at least s cycles after its channel took the message.
//   - A flit that is placed in cycle t is delivered in t + d*h + f-1 or later. The time
//     of an operation is 1 + the last cycle of a delivery.
//   - A link, an injection channel and an ejection channel each carry one flit in f
//     cycles. With a single port all links of a node together do so.
package bound

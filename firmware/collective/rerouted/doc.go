// SPDX-License-Identifier: Apache-2.0

// Package rerouted plans collectives on networks without a regular shape, such as what faults leave of
// a torus. A schedule is a list of hops. A hop is one message on the link between two neighbours in one
// step:
//
//	step     0      1      2
//	link 0>1 m0     m1     m2
//	link 1>3        m0     m1     m2 follows in step 3
//
// All steps take as long as the largest message takes from a PE to its neighbour, and a link carries
// one message in a step. So no message ever waits for another. The schedules are found by searches
// that know nothing but the links:
//
//	scatter, gather    a maximum flow in the network unrolled in time: the least number of steps
//	gossip, broadcast  in every step each link carries a message that is missing behind it
//	reduce-scatter     an all-gather turned round in time
//	exchange           balanced shortest routes, then the messages with the longest rest first
//	allreduce          sums of neighbours are gossiped, or parts go up and down many trees, or a few
package rerouted

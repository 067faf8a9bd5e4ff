// SPDX-License-Identifier: Apache-2.0

// Package refine makes known schedules of broadcasts, reductions, allreduces, all-gathers and reduce-scatters faster. It takes the messages of a schedule as a list, changes the list at random
// (simulated annealing), and books it anew: each message at the earliest cycle in which nothing is in its way (package booking).
//
//	list      0>1 a   0>2 a   1>3 a   0>1 b ...       who comes first has the first choice of the cycles
//	changed   0>1 a   0>2 a   2>3 a   0>1 b ...       another sender, another place in the list, two nodes in each other's place ...
//
// What a message brings follows from the list. A message of a broadcast that comes before its sender has the words waits for them. A reduction is a broadcast that runs
// backwards in time. In an allreduce a node has, for each piece of the words, the sum over a set of nodes: sums over sets without a common node are added up, and the sum over
// a set takes the place of that over a part of it. In an all-gather each block has a root of its own. A reduce-scatter is an all-gather that runs backwards. For both there are
// also lists that only say who sends to whom, in which order: see Bundles. Messages without use are left out, and what lacks in the end is sent from where it is.
package refine

// SPDX-License-Identifier: Apache-2.0

// Package symmetric plans all-gathers, reduce-scatters and allreduces in which nodes that symmetries of the network bring to one another do the same at the same time.
//
//	ring:39, startup 10, hop 4, one channel, half duplex	its 39 turns bring each node to every other one
//
//	cycle 0    +5   own block	from cycle 31 on a node has the blocks of 2
//	cycle 12   -5   own block	from cycle 43 on of 3
//	cycle 30   +2   2 blocks	...
//
// So only the messages of one node of each orbit are looked at: here of one node of 39. What symmetries bring to one another has one calendar for all, since it is used at the same times. A search that books
// some dozen messages instead of hundreds tries many more schedules. Groups with more orbits leave more choices: two of them are the even and the odd nodes, which with half duplex send in turn.
//
// Searches begin with nothing, with a known schedule, or with one that grows message by message.
//
// Translations are known for tori, hypercubes, star graphs and complete graphs. On other networks symmetries are looked for: the reflections of a mesh, the branches of a tree that can change places.
//
// The messages are found by simulated annealing. A reduce-scatter is an all-gather backwards in time, with sums. An allreduce is a reduce-scatter and then an all-gather, in which a node begins as soon as its own sum is complete.
// Its words may be divided among the nodes of one orbit, if there are fewer of them than nodes.
package symmetric

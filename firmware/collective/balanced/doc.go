// SPDX-License-Identifier: Apache-2.0

// Package balanced plans all-gathers, reduce-scatters and allreduces in which messages go to neighbours alone, and all nodes send to theirs at the same time.
//
// On rings, tori, hypercubes, star graphs and complete graphs translations bring each node to every other one. So the blocks of all nodes can go along one tree, and what one node does all do. A node is named by where node 0 sees it:
//
//	       x ---- y      node 0 sends the block of x to its neighbour s, which sees it at y.
//	       |             When node 0 sends the block of x, each node sends one,
//	s ---- 0             and node 0 gets the block of y, from its neighbour on the right.
//
// The tree has shortest routes alone. The nodes at each distance are divided evenly among the links of node 0, so that all links have as much to do at about the same time: with short blocks and long links all
// have come as soon as the furthest can, and with long blocks all links are busy nearly to the end.
//
// Node 0 sends whenever a link is free, what has the furthest to go first, up to so many blocks in a message: more where startups are long, or where the messages of all nodes would be too many. Long blocks are also cut into pieces, each with a tree of its own, since a
// message goes on when it is whole. Some numbers of pieces and blocks are tried; a timetable takes some thousandths of a second for 1000 nodes.
//
// A reduce-scatter is an all-gather backwards in time, with sums. An allreduce is both, and a node begins to send its own sum as soon as it has it.
package balanced

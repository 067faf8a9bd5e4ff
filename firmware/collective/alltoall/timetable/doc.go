// SPDX-License-Identifier: Apache-2.0

// Package timetable finds timetables of all-to-alls (total exchanges): every node
// has words for every other node, and each message gets a route and a dispatch
// cycle so that no two messages ever need the same link, injection channel or
// ejection channel in the same cycle. Nothing waits, so the chips need no buffers.
// The timetables often meet the lower bound, [meshwright/schedule/bound.Exchange].
//
//	Find     searches; FindLengths takes a length for every source
//	Stored   returns the stored timetables of small rings, tori, paths and meshes
//
// # Networks that look the same from all nodes
//
// On rings, tori and hypercubes all nodes can do the same at the same time. So a
// timetable for the messages of node 0, by offset, is a timetable for all nodes.
// It must use each direction at most once per cycle, and in each cycle at most one
// message enters and at most one arrives. Type beam searches for it cycle by cycle;
// type repair improves a timetable by moving messages. On more than 128 nodes the beam
// keeps one schedule a cycle at first, and then twice as many as long as there is time.
//
// In such a timetable a worm of several flits cannot go straight on: it would meet
// the worms of its neighbours. So a message of L flits goes as L messages of one
// flit, in rounds. Each round repeats the same timetable, after the fewest cycles
// in which no resource is used twice (the period).
//
// # Other networks
//
// On other networks every link and channel has a calendar of its own. The messages
// are placed in order, those with the longest route first, each on the shortest route
// on which it arrives first (list scheduling). Then type repair removes the messages
// that end last, and puts each back where the fewest other messages are in the way.
// Long messages go whole or in rounds, whichever is faster. On a few nodes a solver of clauses follows
// (type question), first for timetables with a symmetry of the network.
//
// The result of a search depends only on its seed. A search ends after a number of
// moves, not after a time.
package timetable

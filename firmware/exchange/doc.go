// SPDX-License-Identifier: Apache-2.0

// Package exchange finds timetables of total exchange: every node has words for
// every other one, and each message gets a way and a start so that no two ever
// want the same link, injection channel or ejection channel at the same time.
// Nothing waits, so chips without buffers will do. What is found is often as
// fast as can be: it meets [meshwright/schedule/bound.Exchange].
//
//	Find     searches; FindLengths for a length for every source
//	Stored   has timetables of small rings, tori, paths and meshes at hand
//
// # Networks that look the same from all nodes
//
// On rings, tori and hypercubes all nodes can do the same at the same time: one
// timetable for the messages of node 0, by offset, is one for all, and what has
// to be seen to is that a direction is used once a cycle, and that one message
// enters and one lands. Type beam looks for it cycle by cycle, type repair by
// moving messages about.
//
// A worm of several flits cannot go straight on in such a timetable, as its own
// tail and the heads of its neighbours' worms would meet. So L flits go as L
// messages, in rounds: the same timetable again and again, begun as soon after
// one another as nothing is used twice (the period).
//
// # Other networks
//
// Elsewhere everything has a calendar of its own. Messages are placed where
// they arrive first, on any shortest way, those with most to do first (list
// scheduling). Then those that end last are taken out, and put back where the
// fewest others are in the way (type repair). Long messages go whole or in rounds,
// whichever is faster.
//
// All searches are functions of their seed, and end after a number of moves,
// not after a time.
package exchange

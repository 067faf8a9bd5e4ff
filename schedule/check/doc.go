// SPDX-License-Identifier: Apache-2.0

// Package check says without simulation whether a schedule runs on a bufferless
// machine without a collision, when it ends, and how far that is from a floor;
// of machines that switch packets, when each message arrives.
//
// # What is in use when
//
// A message dispatched in cycle T with L flits of f cycles each, over nodes
// v0 … vd at h cycles a hop, uses
//
//	the link from v(k) to v(k+1)           in [T+k·h, T+k·h+L·f)   (rule link)
//	one port: the sending half of v(k)     in the same cycles      (rule send)
//	one port: the receiving half of v(k+1) in the same cycles      (rule receive)
//	its injection channel at v0            in [T, T+L·f)           (rule injection)
//	its ejection channel at vd             in [T+d·h, T+d·h+L·f)   (rule eject)
//	half duplex: the interface of v0 to send, of vd to receive     (rule duplex)
//
// Two uses of one thing that overlap are a collision, in the later one's first
// cycle: that of the flit that cannot move on. With a startup the injection
// channel is held longer, see schedule.Hold. These are the rules of the cycle
// model (package router, fabric and schedule.Player); verdict and cycle of the
// first collision agree with it.
//
// # How it is fast
//
// Links are laid out on directed lines: rows and columns of grids, heavy paths
// of trees, single links elsewhere. On a line a worm moves one link every h
// cycles, so in the frame u = t - h·x it is a rectangle, and collisions are
// rectangles that overlap. Taken in the order in which they start, each needs to
// be compared with those across its own slots only (type seats). Where there are
// overlaps, a sweep along x finds the first ones (type sweep). Time goes with
// messages x turns (times a logarithm), not with flits or hops, and so does
// memory: a few words for every straight piece of a way, the rectangles of one
// line at a time. On a tree of n nodes a way has at most 2 log2 n pieces.
//
// Rules send and receive are rectangles on the same lines, too, where all worms
// that pass straight through a node do so in one direction on one line: scatters
// and gathers on paths and trees. Nodes on paths and trees that worms pass both
// ways take a bisection of the line (type meeting), in which a use is looked at a
// number of times logarithmic in its length; it reports pairs that collide only,
// but compares pairs of worms that pass each other between two nodes, which only
// worms of at most 2·h cycles do. Nodes of other networks through which worms pass
// straight in several directions on one-port machines have their uses listed one
// by one, in batches that bound the memory: there the time goes with messages x
// hops, as it does on networks that are neither grids nor trees, whose lines are
// single links.
//
// # Packets
//
// On machines that switch packets nothing collides, and what is asked is when
// everything arrives: [Packets] accounts for it event by event, a packet and a
// link at a time. A packet of L flits granted a link in tick g, with a set-up of
// S ticks and F ticks a flit, is off it in g+S+L·F; by then, or cut through from
// g+S+F on, it is in the next chip's queue, where the chip sends one packet and
// receives one at a time, first come first served, into buffers with room for
// the largest packet. Flits are counted by formula where a buffer's room is
// asked for. Time goes with messages x links, times a logarithm. It shares
// nothing with the cycle model but topologies and, on graphs, next hops;
// arrivals, buffers and deadlocks agree with it.
//
// BenchmarkCheckTrees checks a million messages on trees of a million nodes, and
// reports times and the peak of the process's memory.
package check

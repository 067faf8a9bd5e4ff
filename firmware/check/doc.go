// SPDX-License-Identifier: Apache-2.0

// Package check says without simulation whether a schedule runs on a bufferless
// machine without a collision, when it ends, and how far that is from a floor.
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
// rectangles that overlap, which a sweep along x finds. Time goes with messages
// x turns (times a logarithm), not with flits or hops, for the rules link,
// injection, eject and duplex.
//
// Rules send and receive need no look of their own where a node uses one link
// only, and are rectangles on the same lines where all worms that pass straight
// through a node do so in one direction on one line: scatters and gathers on
// paths and trees. Nodes through which worms pass straight in several
// directions on one-port machines have their uses listed one by one, in batches
// that bound the memory: there the time goes with messages x hops. So it does
// for the delays that would clear the collisions listed for a one-port machine,
// and on networks that are neither grids nor trees, whose lines are single links.
package check

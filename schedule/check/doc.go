// SPDX-License-Identifier: Apache-2.0

// Package check says without simulation whether a schedule runs on a bufferless machine
// without a collision, when it ends, and how that compares with the lower bound. For
// machines that switch packets it says when each message arrives.
//
// # Which resource is used when
//
// A message dispatched in cycle T with L flits of f cycles each, over the nodes v0 … vd
// at h cycles a hop, uses
//
//	the link from v(k) to v(k+1)              in [T+k·h, T+k·h+L·f)   (rule link)
//	single port: the sending half of v(k)     in the same cycles      (rule send)
//	single port: the receiving half of v(k+1) in the same cycles      (rule receive)
//	its injection channel at v0               in [T, T+L·f)           (rule injection)
//	its ejection channel at vd                in [T+d·h, T+d·h+L·f)   (rule eject)
//	half duplex: the interface of v0 to send, of vd to receive        (rule duplex)
//
// Two uses of one resource that overlap are a collision. Its cycle is the first cycle of
// the later use: the flit of that use cannot move on. With a startup the injection channel
// is busy for longer, see package fabric/timing. These are the rules of the cycle model
// (packages router and fabric, and schedule.Player). Verdict and cycle of the first
// collision agree with it.
//
// # How it is fast
//
// There are two ways to the verdict; type walk estimates which one is faster.
//
// Heads (type walk): the heads of all worms move from link to link, cycle by cycle. Then the uses
// of a resource come in the order in which they begin, and one number is enough for it: when its
// last use ends. A head that crosses a link costs a few nanoseconds, or some tens on networks
// beyond the caches, and memory is needed for worms in flight alone. A message that is alone, as all
// before it have ended and the next has not begun, is passed over. Each core walks through a
// part of the time; in the end the parts are compared where they touch. To list collisions, cells
// know who uses them (type holders).
//
// Sections: links are laid out on directed lines: rows and columns of grids, heavy paths of trees,
// single links elsewhere. On a line a worm moves one link every h cycles. So in the frame
// u = t - h·x it is a rectangle, and collisions are rectangles that overlap:
//
//	u = t - h·x
//	|        +-----------+
//	|   +----|--+   B    |      where A and B overlap, both worms use a link in the same cycle
//	|   |  A +--|--------+
//	|   +-------+
//	+----1---2---3---4---5---> x, the links of a line
//
// Taken in the order in which they start, each rectangle needs to be compared only with
// the rectangles across its own range of u (type seats). If there are overlaps, a sweep
// along x finds the first ones (type sweep), among the messages that are dispatched first if these
// collide enough (type beginning). To count them, and to know how long links are busy, the rectangles
// of a line are cut into stripes of u, which all cores share (type stripes). The time is proportional to messages x turns
// (times a logarithm), not to flits or hops. So is the memory: a few words for every
// straight section of a route, and the rectangles of one line at a time. On a tree of n
// nodes a route has at most 2 log2 n straight sections.
//
// Rules send and receive are rectangles on the same lines, too, if all worms that pass
// straight through a node do so in one direction on one line: in scatters and gathers on
// paths and trees. For nodes on paths and trees that worms pass in both directions there
// is a bisection of the line (type meeting). It looks at a use a number of times that is
// logarithmic in its length. It reports only pairs that collide, but it also compares pairs
// of worms that pass each other between two nodes, which only worms of at most 2·h cycles
// do. On single-port machines, worms may pass straight through nodes of other networks in
// several directions. The uses of such nodes are listed one by one, in batches that bound
// the memory. There the time is proportional to messages x hops, as it is on networks that
// are neither grids nor trees, whose lines are single links. To count collisions on single-port
// grids, straight sections are compared with those that are under way at the same time (type abreast).
//
// # Links with times of their own
//
// On wormhole machines with links that are slower than others a worm waits for a slow link in the buffers before it, and
// behind that link its flits have gaps. So each message is followed flit by flit as it moves while it is alone (type course). There is
// no collision if all messages can move so at the same time. To the rules above, each for a flit at a time, come four:
//
//	a virtual channel of a link     is taken from the head until the tail has crossed  (rule link)
//	one of an ejection channel      the same                                           (rule eject)
//	the buffer behind a link        from the arrival of the head until the tail leaves (rule buffer)
//	room in that buffer             for each flit, from when it leaves for it          (rule buffer)
//
// Verdict, first cycle and arrivals agree with the cycle model. The time is proportional to flits x links.
//
// # Packets
//
// On machines that switch packets nothing collides. The question is when everything
// arrives. [Packets] follows the schedule event by event, one event for each packet and
// link. A packet of L flits that is granted a link in tick g, with a set-up of S ticks and
// F ticks a flit, has left it in g+S+L·F. By then (with cut-through from g+S+F on) it is in
// the next chip's queue. A chip sends one packet and receives one packet at a time, first
// come first served, into buffers with room for the largest packet. When the room in a
// buffer is needed, its flits are computed by formula. The time is proportional to messages
// x links, times a logarithm. The package shares nothing with the cycle model but topologies
// and, on graphs, next hops; arrivals, buffers and deadlocks agree with it.
//
// BenchmarkCheckTrees checks a million messages on trees of a million nodes, and reports
// times and the peak of the process's memory.
package check

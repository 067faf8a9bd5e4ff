// SPDX-License-Identifier: Apache-2.0

// Package cast plans collectives in which one node's words go to all
// others, and their reversals: broadcast, reduce, and scatters in which one
// message carries the blocks of many nodes.
//
// A [Tree] says who sends to whom and in which order; a tree's edge is a
// message, which may pass nodes on its way. [Spanning] makes one of neighbours,
// [Doubling] and [Ordered] those in which every node that has the words informs
// others with every startup. From a tree come lists of transfers:
// [Tree.Broadcast], [Tree.Reduce], [Tree.AllReduce] and [Tree.Scatter]. [Shared]
// is a set of trees without a common link that share the words out.
//
// Times are those of the cycle model without contention: with startup s, h
// cycles a hop and f cycles a flit, a message of W words over d links that a
// channel takes in cycle T is whole at its taker in cycle T + s + W*f + d*h - 1,
// in which the taker can send it on, and its channel takes the next message in
// cycle T + W*f + max(0, s+1-f).
package cast

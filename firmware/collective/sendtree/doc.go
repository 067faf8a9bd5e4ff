// SPDX-License-Identifier: Apache-2.0

// Package sendtree plans collectives along trees: broadcasts, reductions, and scatters
// with combined messages.
//
// A [Tree] says which node sends to which, and in which order. An edge of the tree
// is a message, which may pass other nodes on the way. [Spanning] makes a tree whose
// edges join neighbours. In the trees of [Doubling] and [Ordered] every node that
// has the words sends them to further nodes, one startup after another.
// [Tree.Broadcast], [Tree.Reduce], [Tree.AllReduce] and [Tree.Scatter] make lists of
// transfers from a tree. [Shared] is a set of edge-disjoint trees among which the
// words are divided.
//
// Times are times of the cycle model without contention; package fabric/timing defines
// them.
//
// Callers give a valid topology, a resolved machine and lengths for all nodes, as
// package plan does: functions without an error panic when these are wrong.
package sendtree

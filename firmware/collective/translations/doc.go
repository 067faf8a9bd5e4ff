// SPDX-License-Identifier: Apache-2.0

// Package translations plans allreduces in which all nodes do the same at the same time, on networks whose translations bring every node to every other one.
//
//	complete:7, startup 1, hop 4, one channel	all nodes send to the node so many places further
//
//	cycle 0   +1  own words		from cycle 5 on a node has the sum of 2
//	cycle 2   +2  own words		from cycle 7 on of 3
//	cycle 4   +6  own words
//	cycle 7   +3  the sum of 3	in cycle 12 all nodes have the sum of 7
//
// What a node gets are sums over sets without a common node, which together are all nodes. The sets need not be nested, as those of trees and butterflies are: those of
// different nodes overlap. The words may be cut into pieces, each with messages of its own: while one piece waits for a startup, others are on the links. Since all nodes do the same, only the messages of one node are looked at, and what all of them use together is what translations
// make of the uses of this node: one calendar for all links of a generator.
//
// On rings with an even number of nodes, and on tori with such rings, nodes need not all look in the same direction: there are several families of translations ([topology.Translations]), and in some of them
// neighbours change places, as on a hypercube. The first families and the most promising of the others are searched.
//
// The messages are found by simulated annealing.
package translations

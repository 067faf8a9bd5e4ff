// SPDX-License-Identifier: Apache-2.0

// Package greedy plans collectives by list scheduling, on any network and machine. It knows no
// pattern. A schedule grows message by message: whenever a channel is free, the message that
// helps most goes to the node that lacks its words, if all links, channels and ports of its route are free:
//
//	cycle      0            s               2s
//	node 0     block 0 > 1  0, 3 > 2        all that 3 lacks
//	node 1     block 1 > 0  1, 2 > 3        all that 2 lacks
//
// Several tries differ in the size of the pieces, in the most words of a message, in the distance over which messages go,
// and in what helps most: where messages cost startups, pieces from far away may count more, see package worth. The fastest schedule wins. A reduction is a broadcast that grows
// backwards in time. In an all-to-all each block goes to one node, over nodes on the way; other all-to-alls, whose messages follow a pattern, compete with it.
package greedy

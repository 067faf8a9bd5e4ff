// SPDX-License-Identifier: Apache-2.0

// Package staggered plans allreduces of long vectors on grids. The vector is cut into parts. Each part is summed up piece by piece, one for each node, and the pieces go out to all nodes: an all-gather along the axes
// of the grid, backwards in time and then forwards. While one part goes out, the next is summed up:
//
//	part 1   reduce-scatter | all-gather
//	part 2                    reduce-scatter | all-gather
//	part 3                                     reduce-scatter | all-gather
//
// On a mesh both halves take as long as a corner, which has few links: all words leave it in the first half, and come to it in the second. Meanwhile the other direction of its links is idle, and so are
// many links in the middle. On a line of n nodes the link behind k of them carries n-k pieces of a part towards one end in the first half, and k in the second, so that all links of a line have the same to do.
//
// The messages of a part are booked in their order, behind those of all parts before it, each at the earliest cycle in which nothing is in its way (package booking). So the parts overlap by themselves, as far as the links allow.
// More parts overlap more, and pay more startups: some numbers are tried.
package staggered

// SPDX-License-Identifier: Apache-2.0

// Package staggered plans allreduces, reduce-scatters and all-gathers of long vectors. The vector is cut into parts. Each part is summed up piece by piece, one for each node, and the pieces go out to all nodes: an all-gather
// backwards in time and then forwards. While one part goes out, the next is summed up:
//
//	part 1   reduce-scatter | all-gather
//	part 2                    reduce-scatter | all-gather
//	part 3                                     reduce-scatter | all-gather
//
// On a mesh both halves take as long as a corner, which has few links: all words leave it in the first half, and come to it in the second. Meanwhile the other direction of its links is idle, and so are
// many links in the middle.
//
// The all-gathers go along the axes of a grid, as those of package stages do, or along trees of shortest routes on which links have nearly the same to do. On a line of n nodes the link behind k of them carries n-k pieces of a part
// towards one end in the first half, and k in the second, so that all links of a line have the same to do. Trees are chosen such that a link and the one the other way carry as much together as others do.
//
// On rings, tori and hypercubes they also go in strides, in the order of the times that these have. Where startups are no longer than hops, the units of a block also go alone along their trees: none waits for others.
//
// Messages along axes are booked in order, behind those of all parts before, each at the earliest cycle in which nothing is in its way (package booking). Along trees a link takes the first message that can go, whenever it is
// free. So the parts overlap by themselves, as far as the links allow. More parts overlap more, and pay more startups: some numbers are tried.
//
// Where all links of all nodes are busy in both halves, as on a torus, or all channels, as with one channel for each node, parts that overlap gain nothing.
package staggered

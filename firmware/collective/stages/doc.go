// SPDX-License-Identifier: Apache-2.0

// Package stages generates all-gathers (gossips) on paths, rings, meshes and tori
// as lists of transfers, and gives a formula for the time of each.
//
// The algorithms come from Juurlink, Sibeyn and Rao, Gossiping on Meshes and
// Tori; here they take any number of nodes and blocks of any lengths. A bridgehead is a node
// that collects the blocks of the nodes around it, and exchanges them with other
// bridgeheads. The algorithms are combined from stages ([Stage]) along a [Line] of
// nodes:
//
//   - [Concentrate] brings the blocks of the nodes around a bridgehead to it; the
//     number of blocks in a message grows by a factor of three in every step.
//     [Spread] is the same, reversed in time.
//   - [Exchange] gives every bridgehead the blocks of the others: in every step the
//     blocks move on by one bridgehead.
//   - [Insert] makes new bridgeheads between neighbouring ones: the blocks stream to
//     them in parts, from both sides.
//
// A [Method] is an all-gather along a line, made of stages. [Axes] applies it to
// grids, one axis after the other; [Diagonal] alternates between the axes (TORGOS,
// CUBGOS). [AxesCost] and [DiagonalCost] are their formulas.
//
// In [Strides] and [Crosses], which are not from the paper, all nodes do the same,
// at times at which no two messages meet. They need few startups for little load.
// They have exact formulas; [BestStrides] and [BestCrosses] search for their
// parameters. [Choose] compares all algorithms by the formulas.
//
// # Blocks
//
// Every PE's memory holds the blocks of all nodes, by node number. With several
// colours each block is cut into as many parts. Each part visits the axes in an
// order of its own, so that all ports of a node are busy.
//
// Callers give a valid topology, a resolved machine and lengths for all nodes, as
// package plan does: functions without an error panic when these are wrong.
package stages

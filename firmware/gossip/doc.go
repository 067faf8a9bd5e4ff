// SPDX-License-Identifier: Apache-2.0

// Package gossip generates gossips (all-gather) on paths, rings, meshes and
// tori as lists of transfers, and says in closed form what they cost.
//
// The algorithms are those of Juurlink, Sibeyn and Rao, Gossiping on Meshes and
// Tori, for any number of nodes and blocks of any lengths. They are put
// together from three [Stage]s along a [Line] of nodes:
//
//   - [Concentrate] brings the blocks of a segment to its bridgehead, three
//     times as many in every step; [Spread] is the same, backwards;
//   - [Exchange] gives every bridgehead what the others have, one place a step;
//   - [Insert] makes bridgeheads of places between bridgeheads: what they know
//     streams in parts from both sides, from bridgehead to bridgehead.
//
// A [Method] is a gossip along a line made of stages. [Axes] lifts it to grids,
// one axis after the other; [Diagonal] interleaves the axes (TORGOS, CUBGOS).
// Each has a formula: [AxesCost], [DiagonalCost].
//
// In [Strides] and [Crosses], which are not from the paper, all nodes do the
// same, at times that keep messages apart: few startups for little load. They
// come with exact formulas and searches, [BestStrides] and [BestCrosses].
// [Choose] compares everything by the formulas.
//
// # Blocks
//
// Every PE's block holds the blocks of all nodes, in rising order of the nodes.
// In several colours each block is cut into as many parts, and each part takes
// the axes in an order of its own, so that all ports of a node are busy.
package gossip

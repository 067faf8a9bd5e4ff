// SPDX-License-Identifier: Apache-2.0

// Package sampled grows schedules on large networks, message by message as package greedy does: broadcasts, reductions, allreduces, all-gathers and
// reduce-scatters. There greedy would look at all pairs of nodes whenever something can happen. Here a node with a free channel looks at some of its neighbourhood and
// at some nodes anywhere, drawn at random, and sends to the one that it helps most:
//
//	free channel of u    drawn near u: 4 7 9 12     drawn anywhere: 31 58 77 90     best of them: 58
//
// So a message takes about the same work on any network, and there are no tables of routes between all nodes.
package sampled

// SPDX-License-Identifier: Apache-2.0

// Package tolerant plans collectives that survive lost and damaged messages. Each message travels in
// several copies over trees, or routes, that have no link in common.
//
// A schedule is a list of hops. A hop is one copy of a message on one link in one step:
//
//	step     0      1      2
//	link 0>1 m0     m1     m2
//	link 1>3        m0     m1     m2 follows in step 3
//
// All steps take as long as the largest message takes from a PE to its neighbour, and no two messages
// are on one link in one step. So PEs go by the clock: a PE takes a copy when its step has
// ended, and can send it on at once. A PE never waits for a copy; see
// firmware/plan/programs/tolerant.s.
//
// Where the network has translations and all nodes send alike, only node 0's schedule is made, and moved to
// every node: see translated.go. Elsewhere the hops of all nodes are booked on their links.
//
// The trees and the terms are after P. Fragopoulou and S. G. Akl, Edge-Disjoint Spanning Trees on the
// Star Network with Applications to Fault Tolerance.
package tolerant

// SPDX-License-Identifier: Apache-2.0

// Package collective generates firmware for scatter, gather and gossip, runs
// it on the model and compares every word that it was to move.
//
// A generator turns a [Job] into a [Plan]: one program per role, shared by the
// PEs that play it, and for each PE the parameters in its data memory. The
// programs are the files of the folder programs; what the schedule decides
// (order, dispatch cycles) is in the parameters. [Execute] runs a plan.
//
// Where a Job's algorithm is left open, auto takes the one that is done first:
// package contest compares what the plans predict, and simulates the others.
//
//	Job --Scatter, Gather, Gossip--> Plan --Execute--> Result
package collective

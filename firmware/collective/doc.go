// SPDX-License-Identifier: Apache-2.0

// Package collective is the table of all algorithms for collectives. It generates
// firmware for a job, runs the firmware on the model, and compares every word.
//
// Each family of algorithms has a package of its own: scattergather,
// certification, allgather, trees, alltoall and packets. A family's function
// turns a task into a plan (package plan). A new algorithm is one new file in its
// family's package and one row in the table.
//
// Where a job leaves the algorithm open, auto takes the fastest one: package
// contest compares what the plans predict, and simulates the others.
//
//	Job --Generate--> Plan --Execute--> Result
package collective

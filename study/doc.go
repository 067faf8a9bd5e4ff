// SPDX-License-Identifier: Apache-2.0

// Package study asks what-if questions: it runs a collective on many networks
// with many sizes of blocks and several algorithms, keeps what came out in a
// file that a later run goes on from, and says who wins where and whether that
// was to be expected.
//
//	Sweep --Run--> Store of Rows --Tables, Crossovers, Plot--> reader
//
// A [Row] is one run: what was run (a [Point]), its time and where that is from,
// and the time by the algorithm's formula. A [Store] holds rows by their points.
package study

// SPDX-License-Identifier: Apache-2.0

// Package study answers what-if questions: it runs a collective on many networks, with
// many sizes of blocks and several algorithms. It keeps the results in a file, from
// which a later run continues. It says which algorithm is the fastest for which size,
// and compares this with the formulas.
//
//	Sweep --Run--> Store of Rows --Tables, Crossovers, Plot--> reader
//
// A [Campaign] tries sets of faults on one plan, see there.
//
// A [Row] is one result: what was run (a [Point]), its time and the source of the time,
// and the time by the algorithm's formula. A [Store] holds rows by their points.
package study

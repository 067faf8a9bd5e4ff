// SPDX-License-Identifier: Apache-2.0

// Package treesearch plans broadcasts, reductions and allreduces in which every piece of the words goes along the same tree of
// messages, or pieces take several trees in turn, and scatters in which each message carries the blocks of all nodes below its receiver. It searches for the form of the tree. A message may go over several links. The messages get times at which they never
// meet (package booking), so the time of a form is exact.
//
//	root ---> a ---> b          a node serves its children in their order, one piece after the other:
//	  \-----> c                 a1 c1 a2 c2 a3 c3 ...
//
// The search is simulated annealing: a node goes to another parent with all that is below it, children change places, or there are more pieces or
// fewer. Where all pieces do the same, one after the other, only one period of the schedule is booked. It begins with known trees, with siblings that serve one another, with two binary trees, and with leaps past nodes. In an allreduce sums may go to the root along
// other trees than the totals go out, and it also begins with a reduction and a broadcast that were found by searches of their own.
package treesearch

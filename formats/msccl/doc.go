// SPDX-License-Identifier: Apache-2.0

// Package msccl reads collective algorithms in the XML form of MSCCL, says whether
// they do what they claim, and turns them into transfers.
//
// An algorithm has ranks (gpu), each with an input, an output and a scratch buffer
// of chunks, and threadblocks (tb) that run at once, each with one rank it sends to
// and one it receives from over a channel. A threadblock's steps come one after the
// other; a step may wait for one of another threadblock of its rank (depid, deps):
//
//	s     send                       r     receive
//	rcs   receive, store, send       rrc   receive, add, store
//	rrs   receive, add, send         rrcs  receive, add, store, send
//	cpy   copy within the rank       re    add within the rank
//	nop   only wait
//
// The k-th send over a connection (rank, rank, channel) is for the k-th receive.
// Sends do not wait for their receives.
//
// [Read] refuses whatever it does not understand: each element, attribute and value
// is read or named in an error. [Algorithm.Flow] follows the chunks through the
// algorithm, every chunk as the sum of the inputs that went into it, and compares
// the outputs with what the collective promises; it finds chunks that are read
// before anything is in them, pairs of steps that nothing puts in order, and
// threadblocks that wait for each other. [Algorithm.List] is the algorithm as a
// transfer.List. How a GPU moves bytes (proto, nthreads, the limits in bytes) is
// read and checked, and has no part in the list.
package msccl

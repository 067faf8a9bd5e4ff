// SPDX-License-Identifier: Apache-2.0

// Package tdm reads the tables of time-division networks on square tori. All nodes have
// the same static schedule, and each sends one flit to every other node. A table has one
// message a line. The position in a line is the cycle. The letter is the link that the flit
// crosses in that cycle: n (y-1), e (x+1), s (y+1), w (x-1); l is its delivery at the
// destination. Node y*N+x of torus:NxN has the coordinates (x, y). This is a table for 2x2:
//
//	nel
//	  nl
//	   el
//
// Node 0 sends a flit north in cycle 0. That flit goes east in cycle 1 and is delivered in
// cycle 2, in which node 0 sends the next flit. Messages may also be separated by |, lines
// may be quoted strings joined by + or ending in \ as in programs, and # starts a comment.
// In tables without any l a line has only the links, and the delivery is in the cycle after
// the last link.
//
// The form is that of the S4NOC tables (Brandner and Schoeberl, Static routing in symmetric
// real-time network-on-chips, RTNS 2012) and of the one-way shared memory.
package tdm

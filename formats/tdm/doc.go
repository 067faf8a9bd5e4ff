// SPDX-License-Identifier: Apache-2.0

// Package tdm reads the tables of time-division networks on square tori: the
// same static schedule for every node, one flit to every other node, written as
// one message a line. The position in a line is the cycle, the letter the link
// that the flit takes in it: n (y-1), e (x+1), s (y+1), w (x-1), and l when it is
// taken off the network at its destination, node y*N+x of torus:NxN:
//
//	nel
//	  nl
//	   el
//
// is a table for 2x2: node 0 sends north in cycle 0, that flit goes east in cycle
// 1 and is delivered in cycle 2, in which node 0 sends the next one. Messages may
// be divided by lines or by |, lines may be quoted strings joined by + or ending
// in \ as in programs, # starts a comment. Tables without any l, in which a line is
// just the links and delivery is the cycle behind it, are read as well.
//
// The form is that of the S4NOC tables (Brandner and Schoeberl, Static routing in
// symmetric real-time network-on-chips, RTNS 2012) and of the one-way shared memory.
package tdm

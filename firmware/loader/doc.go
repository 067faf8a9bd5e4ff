// SPDX-License-Identifier: Apache-2.0

// Package loader runs programs that users write: it gives each PE its program
// and its memory, lets the PEs run until all have halted, and compares memories
// with what they are to hold.
//
// A PE starts at the first word of its program. [NodeRegister] holds the PE's
// own number, [NodesRegister] the number of nodes; all other registers are 0.
// The data memory has the words of the PE's image, the rest is 0.
package loader

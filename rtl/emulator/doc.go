// SPDX-License-Identifier: Apache-2.0

// Package emulator writes a whole run as hardware: the network, its processing
// elements (PEs) with their programs and memories, and a check of all memories
// at the end.
//
// In the model instructions cost no cycle. So the network of an emulator
// advances only on a tick, when all PEs have executed what they execute in this
// cycle: the target cycle. A target cycle takes as many clock cycles as the
// slowest PE needs, and all results are those of the model, target cycle by
// target cycle.
//
// The modules in folder pe are written by hand; the decoder, the top and the
// sizes are generated, from the table of instructions and from what the run
// needs.
package emulator

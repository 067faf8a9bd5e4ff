// SPDX-License-Identifier: Apache-2.0

// Package wave writes waveforms of a run: what every link, buffer and channel shows in every cycle, for viewers such as
// GTKWave and Surfer.
//
// A file has a tree of signals for each side: the model, and each simulator of the Verilog. The signals of all sides have
// the same names, package rtl lists them. A nanosecond is a clock cycle: a cycle of the machine, or a tick on machines that
// switch packets. Files are value change dumps (VCD), or FST files, which vcd2fst of GTKWave makes from them.
package wave

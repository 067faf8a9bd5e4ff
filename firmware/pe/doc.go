// SPDX-License-Identifier: Apache-2.0

// Package pe emulates the processing elements (PEs) of a network at target
// time: instructions cost no cycle, and a PE stalls only in send, sendv, sendw,
// recv, recvw, probe and wait.
//
// An [Array] holds all PEs of a network in flat slices and is a component on
// its clock. In a cycle only those PEs run that something has happened to: a
// message for them came, a channel of theirs became free, the cycle they wait
// for is here. They run in rising node order, or on all cores with the same
// results. A million idle PEs cost memory, not time.
//
// Messages that come before a PE asks for them wait in its inbox, in order of
// arrival. Words are cut to the machine's width as they are sent;
// words of more than 32 bits have several elements of 32 bits, see wide.go.
package pe

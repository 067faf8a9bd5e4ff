// SPDX-License-Identifier: Apache-2.0

// Package readback reads the capture of a run, a .pcapng file of package capture, back as a schedule: the
// messages with their sources, destinations and flits, the cycles in which they were dispatched, and their routes.
//
// A capture has a packet for each flit on each link, see package flitlayer. The first flit of a message on its first
// link says when the message was dispatched; the first flit's other links are the route. [Read] demands that all
// flits of every message cross all links of its route, so that a capture of some cycles or links, a filtered or a
// cut one, or one in which flits were lost, is refused: a schedule made of it would be another run.
//
// Package gopacket reads the packets. It trusts a file's lengths, so [guard] lets only sound blocks of pcapng
// through (IETF draft-ietf-opsawg-pcapng, sections 3 and 4).
package readback

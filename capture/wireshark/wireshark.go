// SPDX-License-Identifier: Apache-2.0

// Package wireshark holds the dissector that shows meshwright's captures in
// Wireshark and tshark:
//
//	meshwright dissector > meshwright.lua
//	tshark -X lua_script:meshwright.lua -r run.pcapng
//	tshark -X lua_script:meshwright.lua -r run.pcapng -Y 'meshwright.message == 5 && meshwright.flit == 1'
//
// The columns Source and Destination are the nodes that a flit's message goes
// between; Info has the flit as tables show it, and the link that it crosses.
// Its fields are meshwright.version, kind, flags, head, tail, vc, source,
// destination, message, flit, length, from, to, value and waited.
package wireshark

import _ "embed"

// Dissector is the text of meshwright.lua.
//
//go:embed meshwright.lua
var Dissector string

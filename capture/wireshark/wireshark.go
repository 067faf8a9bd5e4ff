// SPDX-License-Identifier: Apache-2.0

// Package wireshark holds the dissector that shows meshwright's captures in
// Wireshark and tshark:
//
//	tshark -X lua_script:meshwright.lua -r run.pcapng
//	tshark -X lua_script:meshwright.lua -r run.pcapng -Y 'meshwright.message == 5 && meshwright.head'
//
// Its fields are meshwright.version, kind, flags, head, tail, vc, source,
// destination, message, flit, length, from, to and value.
package wireshark

import _ "embed"

// Dissector is the text of meshwright.lua.
//
//go:embed meshwright.lua
var Dissector string

-- SPDX-License-Identifier: Apache-2.0
--
-- Wireshark and tshark dissector for meshwright's captures: a packet is a flit
-- that crosses a link, a nanosecond is a cycle, an interface is a link. The
-- layout is that of package meshwright/capture/flitlayer.
--
-- Use:  meshwright dissector > meshwright.lua
--       wireshark -X lua_script:meshwright.lua run.pcapng
-- or copy this file into Wireshark's folder of personal Lua plugins.

local SIZE, NARROW, WIDE = 40, 1, 2 -- versions: payloads of up to 32 bits, and of more
local WAITED, WAITED_SIZE = 0x04, 8 -- the flag, and the field behind the payload

local kinds = { [0] = "data", [1] = "order", [2] = "token", [3] = "certificate" }

local meshwright = Proto("meshwright", "Meshwright flit")

local f = {
	version     = ProtoField.uint8("meshwright.version", "Version"),
	kind        = ProtoField.uint8("meshwright.kind", "Kind", base.DEC, kinds),
	flags       = ProtoField.uint8("meshwright.flags", "Flags", base.HEX),
	head        = ProtoField.bool("meshwright.head", "Head", 8, nil, 0x01),
	tail        = ProtoField.bool("meshwright.tail", "Tail", 8, nil, 0x02),
	late        = ProtoField.bool("meshwright.late", "Has waited", 8, nil, 0x04),
	vc          = ProtoField.uint8("meshwright.vc", "Virtual channel"),
	source      = ProtoField.uint32("meshwright.source", "Source"),
	destination = ProtoField.uint32("meshwright.destination", "Destination"),
	message     = ProtoField.int64("meshwright.message", "Message"),
	flit        = ProtoField.uint32("meshwright.flit", "Flit"),
	length      = ProtoField.uint32("meshwright.length", "Length in flits"),
	from        = ProtoField.uint32("meshwright.from", "From"),
	to          = ProtoField.uint32("meshwright.to", "To"),
	value       = ProtoField.uint32("meshwright.value", "Value", base.DEC_HEX),
	size        = ProtoField.uint32("meshwright.size", "Payload in bytes"),
	payload     = ProtoField.bytes("meshwright.payload", "Payload"),
	waited      = ProtoField.uint64("meshwright.waited", "Cycles in the injection register before"),
}
meshwright.fields = f

local e = {
	short   = ProtoExpert.new("meshwright.short", "Shorter than a flit", expert.group.MALFORMED, expert.severity.ERROR),
	version = ProtoExpert.new("meshwright.version.unknown", "Unknown version", expert.group.PROTOCOL, expert.severity.ERROR),
}
meshwright.experts = e

-- cell is how meshwright's tables show a flit.
local function cell(kind, message, flit, value)
	if kind == 1 then
		return "(" .. value .. ")"
	elseif kind == 2 then
		return "[*]"
	elseif kind == 3 then
		return "<" .. value .. ">"
	end
	return "m" .. message .. "." .. flit
end

function meshwright.dissector(buffer, pinfo, tree)
	pinfo.cols.protocol = "meshwright"
	if buffer:len() < SIZE then
		local root = tree:add(meshwright, buffer())
		root:add_proto_expert_info(e.short)
		return 0
	end
	local wide = buffer(0, 1):uint() == WIDE
	local size = wide and buffer(36, 4):uint() or 0
	local last = SIZE + size
	local behind = bit.band(buffer(2, 1):uint(), WAITED) ~= 0 and WAITED_SIZE or 0
	if buffer:len() < last + behind then
		local root = tree:add(meshwright, buffer())
		root:add_proto_expert_info(e.short)
		return 0
	end
	local root = tree:add(meshwright, buffer(0, last + behind))
	local version = root:add(f.version, buffer(0, 1))
	if not wide and buffer(0, 1):uint() ~= NARROW then
		version:add_proto_expert_info(e.version)
		return SIZE
	end

	root:add(f.kind, buffer(1, 1))
	local flags = root:add(f.flags, buffer(2, 1))
	flags:add(f.head, buffer(2, 1))
	flags:add(f.tail, buffer(2, 1))
	flags:add(f.late, buffer(2, 1))
	root:add(f.vc, buffer(3, 1))
	root:add(f.source, buffer(4, 4))
	root:add(f.destination, buffer(8, 4))
	root:add(f.message, buffer(12, 8))
	root:add(f.flit, buffer(20, 4))
	root:add(f.length, buffer(24, 4))
	root:add(f.from, buffer(28, 4))
	root:add(f.to, buffer(32, 4))
	if wide then
		root:add(f.size, buffer(36, 4))
		root:add(f.payload, buffer(SIZE, size))
	else
		root:add(f.value, buffer(36, 4))
	end

	if behind > 0 then
		root:add(f.waited, buffer(last, behind))
	end

	local kind = buffer(1, 1):uint()
	local name = cell(kind, tostring(buffer(12, 8):int64()), buffer(20, 4):uint(), buffer(last - 4, 4):uint())
	local source, destination = buffer(4, 4):uint(), buffer(8, 4):uint()
	local info = string.format("%s %s %d -> %d on %d>%d", name, kinds[kind] or "unknown", source, destination,
		buffer(28, 4):uint(), buffer(32, 4):uint())
	root:append_text(", " .. info)
	pinfo.cols.src = tostring(source)
	pinfo.cols.dst = tostring(destination)
	pinfo.cols.info = info
	return last + behind
end

-- LINKTYPE_USER0, which is for private use
DissectorTable.get("wtap_encap"):add(wtap.USER0, meshwright)

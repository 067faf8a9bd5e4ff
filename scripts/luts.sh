#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The size of the chips with each code of the buffers, as a table of Markdown: Yosys for Lattice iCE40, which has
# tables (LUTs) of four inputs. The chips have four ports, buffers of four flits, and payloads of 32 bits.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp)
trap 'rm -f "$out"' EXIT

count() { awk -v cell="$1" '$1 ~ "^SB_" cell { n += $2 } END { print n + 0 }' "$out"; }

echo "| chip | \`buffer.code\` | LUTs | flip-flops |"
echo "|---|---|---|---|"
for chip in wormhole_router packet_router packet_router_all_ports; do
	packet="-chparam Packet 2"
	if [ $chip = wormhole_router ]; then packet=; fi
	code=0
	for row in none:32 parity:33 secded:39; do
		yosys -q -p "read_verilog -defer rtl/lib/*.v; hierarchy -top $chip -chparam Buffer 4 $packet -chparam Code $code -chparam Word ${row#*:}; synth_ice40; tee -q -o $out stat"
		echo "| \`$chip\` | \`${row%:*}\` | $(count LUT4) | $(count DFF) |"
		code=$((code + 1))
	done
done

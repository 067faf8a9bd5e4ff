#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# throughput.sh [SIZE...]: cycles per second of processor time of saturated meshes of SIZExSIZE chips, as a table of
# Markdown: in Icarus Verilog, in Verilator, and in the cycle model. All nodes send messages of 1 to 8 flits to random
# nodes as fast as the network takes them. The simulators also compare every link and buffer in every cycle. The time to
# build them is not counted.
set -euo pipefail
cd "$(dirname "$0")/.."
go build -o build/throughput/meshwright ./cmd/meshwright
meshwright=$PWD/build/throughput/meshwright
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
TIMEFORMAT=%U

# rate CYCLES COMMAND...: cycles per second of processor time.
rate() {
	local cycles=$1 seconds
	shift
	seconds=$({ time "$@" >"$out/log" 2>&1; } 2>&1)
	awk -v c="$cycles" -v s="$seconds" 'BEGIN { printf "%.3g", c / (s > 0.01 ? s : 0.01) }'
}

echo "| mesh | Icarus Verilog | Verilator | model | model / Icarus | model / Verilator |"
echo "|---|---|---|---|---|---|"
for size in "${@:-8}"; do
	dir=$out/$size
	cycles=$("$meshwright" export --force "$dir" random -t "mesh:${size}x$size" --number $((size * size * 25)) --pattern uniform --rate 0.5 --stress 0 |
		sed -n 's/.* \([0-9]*\) cycles$/\1/p')
	make -s -C "$dir" OPTIMIZE=-O1 icarus verilator >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
	icarus=$(cd "$dir" && rate "$cycles" vvp -n build/icarus.vvp)
	verilator=$(cd "$dir" && rate "$cycles" ./build/verilator-O1/bench)
	length=100000
	model=$(rate $((length + 2000)) "$meshwright" traffic -t "mesh:${size}x$size" --rate 0.5 --flits 1@1,2@1,3@1,4@1,5@1,6@1,7@1,8@1 \
		--warmup 1000 --cycles $length --drain 1000)
	awk -v n="$size" -v i="$icarus" -v v="$verilator" -v m="$model" \
		'BEGIN { printf "| %dx%d | %d | %d | %d | %.0f | %.0f |\n", n, n, i, v, m, m / i, m / v }'
done

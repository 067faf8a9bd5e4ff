#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Usage: scripts/simulators.sh [bin/meshwright [ROUNDS]]
# Cycles per second of processor time on a saturated mesh of 8x8: the model, and its Verilog in Verilator and in Icarus Verilog,
# in turn. The simulators compare every output in every cycle with the vectors. The model runs in two ways: `run` as a whole
# command, with the PEs and the comparison of all words, on ten times as many messages of the same kind; `bench` the chips alone.
set -euo pipefail
mw=$(realpath "${1:-bin/meshwright}") rounds=${2:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
TIMEFORMAT=%U
job="random --topology mesh:8x8 --length 8 --pattern uniform --rate 1"
"$mw" export chip $job --number 6000 --stress 0 > export.txt
make -s -C chip OPTIMIZE=-O2 > make.txt 2>&1 # both simulators compile and pass
cycles=$(sed -n 's/^PASS cycles=\([0-9]*\).*/\1/p' chip/build/icarus.out)
"$mw" run $job --number 60000 --json > run.json
many=$(sed -n 's/^ *"cycles": \([0-9]*\).*/\1/p' run.json)

# per_second CYCLES COMMAND...: cycles of the command per second of its processor time.
per_second() {
	local seconds
	seconds=$({ time "${@:2}" > out.txt 2> err.txt; } 2>&1) || { cat err.txt >&2; exit 1; }
	awk -v c="$1" -v s="$seconds" 'BEGIN { printf "%.0f\n", c / s }'
}

middle() { sort -n "$1" | sed -n "$(((rounds + 1) / 2))p"; }

for _ in $(seq "$rounds"); do
	per_second 100000 "$mw" bench saturated-8x8 --cycles 100000 --load 0.32 >> bench
	per_second "$many" "$mw" run $job --number 60000 >> run
	(cd chip && per_second "$cycles" ./build/verilator-O2/bench) >> verilator
	(cd chip && per_second "$cycles" vvp -n build/icarus.vvp) >> icarus
done
for name in bench run verilator icarus; do
	awk -v n="$name" -v x="$(middle $name)" -v v="$(middle verilator)" -v i="$(middle icarus)" \
		'BEGIN { printf "%-10s %8d cycles/s  %8.1f x Verilator  %8.1f x Icarus\n", n, x, x / v, x / i }'
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh MESHWRIGHT DIR: the main job on real bytes. Scatters small files of this
# project over a 6x6 mesh, one file a PE, gathers them back, runs an all-gather
# and an all-to-all, writes captures, and repeats the scatter on the same chips as Verilog.
set -eu
meshwright=$1
out=$2
start=$(date +%s)
rm -rf "$out"
mkdir -p "$out/payload"

step() { printf '\n== %s\n' "$1"; }

# One file for each PE but the root: the 35 smallest sources, tables and machine files.
find . -path ./build -prune -o \( -name '*.go' -o -name '*.v' -o -name '*.s' -o -name '*.csv' -o -name '*.yaml' -o -name '*.mem' \) -type f -size +0 -printf '%s %p\n' |
	sort -n | head -n 35 | while read -r _ file; do
	cp "$file" "$out/payload/$(echo "${file#./}" | tr / _).txt"
done

step "scatter: a file to every PE of a 6x6 mesh, as firmware on the cycle model"
"$meshwright" run scatter --topology mesh:6x6 --payload "$out/payload" --trace "$out/scatter.pcapng" --trace "$out/load.svg"

step "gather: the files back to the root"
"$meshwright" run gather --topology mesh:6x6 --payload "$out/payload"

step "all-gather (gossip): 16 words of every PE to every PE of a torus, by the fastest algorithm for a startup of 160 cycles, after little search"
"$meshwright" plan formulas --topology torus:8x8 --length 16 --startup 160
"$meshwright" run gossip --topology torus:8x8 --length 16 --startup 160 --effort 0.1

step "all-to-all (exchange): a flit from every PE to every other, without buffers and without collisions"
"$meshwright" run exchange --topology torus:8x8 --machine bufferless --ports all --length 1

step "a bufferless gather on a path, as a space-time diagram"
"$meshwright" run gather --algorithm shoulder-tap --topology path:6 --machine bufferless --lengths 2,3,0,2,1 --trace "$out/gather.svg"

step "the scatter again, as Verilog: exported, then run in Icarus Verilog and in Verilator"
"$meshwright" export "$out/chip" scatter --topology mesh:6x6 --payload "$out/payload"
make -s -C "$out/chip" icarus >"$out/icarus.txt" & # the two simulators at the same time
icarus=$!
verilator=$(make -s -C "$out/chip" verilator | grep PASS)
wait "$icarus"
echo "Icarus Verilog: $(cat "$out/icarus.txt")"
echo "Verilator:      $verilator"

printf '\nin %s: scatter.pcapng (Wireshark, with capture/wireshark/meshwright.lua), load.svg,\n' "$out"
printf 'gather.svg, and chip, a folder of Verilog that works without meshwright. The demo took %d seconds.\n' $(($(date +%s) - start))

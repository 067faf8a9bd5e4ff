#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# published.sh DIR: tries the published examples of other projects, which DIR has as checkouts in the folders
# astra-sim, chakra, TE-CCL, mscclpp and tt-npe. Prints a line for each outcome: how many files, and what
# meshwright says of them. docs/import.md has the table.
set -eu

[ $# = 1 ] || { echo "usage: published.sh DIR" >&2; exit 2; }
dir=$1
for project in astra-sim chakra TE-CCL mscclpp tt-npe; do
	[ -d "$dir/$project" ] || { echo "published.sh: $dir/$project: no such folder (expected a checkout)" >&2; exit 2; }
done
mesh=${MESHWRIGHT:-bin/meshwright}

# try GROUP FLAGS FILE: prints the group, and run, wrong or refused with the reason, without names, lines and numbers of one file.
try() {
	file=$3
	# shellcheck disable=SC2086 # the flags are several words
	if out=$("$mesh" import "$file" $2 --json 2>&1); then
		cycles=
		[ "$1" = collective ] || cycles=$(printf '%s\n' "$out" | sed -n 's/^  "cycles": \(.*\),$/ in \1 cycles/p')
		case $1 in *traces*) cycles= ;; esac
		echo "$1: run, every word compared$cycles"
	elif [ "${out#meshwright:}" = "$out" ]; then
		echo "$1: wrong: $(printf '%s\n' "$out" | sed -n 's/^  "failure": "\(.*\)",$/\1/p')"
	else
		echo "$1: refused: $(printf '%s\n' "$out" | sed 's/.*\.\(json\|xml\|et\):\([0-9]*:\)\{0,1\} //; s/chunk .* goes via switches [0-9, >-]*/a flow goes via switches /; s/node [0-9]* (expected 0 to/a node beyond the network (expected 0 to/')"
	fi
}

{
	example=$dir/astra-sim/examples
	ring=$example/system/custom_collectives/custom_ring_allreduce_8npus_1MB
	try "astra-sim ring allreduce, XML" "-t ring:8 --length 32768" "$ring/custom_allreduce.xml"
	try "astra-sim ring allreduce, .et" "-t ring:8 --cycles-per-us 0" "$ring/custom_allreduce.0.et"
	for collective in all_gather all_reduce all_to_all reduce_scatter; do
		for ranks in 4 8 16; do
			try "astra-sim $collective, $ranks ranks, .et" "-t ring:$ranks" "$example/workload/microbenchmarks/$collective/${ranks}npus_1MB/$collective.0.et"
		done
	done
	feeder=$dir/feeder
	mkdir -p "$feeder"
	tar -xzf "$dir/chakra/tests/data/feeder_tests_trace.tar.gz" -C "$feeder"
	trace=$(find "$feeder" -name 'chakra.0.et')
	try "chakra training step, every rank of torus:4x4" "-t torus:4x4 --every-rank" "$trace"
	try "chakra training step with ctrl_deps" "-t torus:4x4 --every-rank --ctrl-deps" "$trace"
	try "chakra training step with ctrl_deps, gaps left out" "-t torus:4x4 --every-rank --ctrl-deps --skip-missing" "$trace"
	schedules=$dir/TE-CCL/teccl/examples
	try "TE-CCL mesh_4" "-t mesh:4x4" "$schedules/schedules/mesh_4.json"
	try "TE-CCL mesh_6" "-t mesh:6x6" "$schedules/schedules/mesh_6.json"
	try "TE-CCL ndv2_schedule" "-t mesh:6x6" "$schedules/schedules/ndv2_schedule.json"
	find "$schedules/experiments" -name '*.json' | sort | while read -r file; do
		try "TE-CCL experiments" "-t mesh:10x10" "$file"
	done
	try "TE-CCL amd_32, XML" "-t torus:4x8" "$schedules/MSCCL_examples/amd_32.xml"
	find "$dir/mscclpp/test/execution-files" "$dir/mscclpp/test/executor-tests" -name '*.json' | sort | while read -r file; do
		try "mscclpp execution plans" "-t path:2 --length 16" "$file"
	done
	find "$dir/tt-npe/tt_npe/workload/noc_trace_json" "$dir/tt-npe/tt_npe/cpp/test/data" -name '*.json' | sort | while read -r file; do
		try "tt-npe traces of one chip" "--width 256" "$file"
	done
	find "$dir/tt-npe/tt_npe/workload/T3K-fabric-traces" -name 'noc_trace*.json' | sort | while read -r file; do
		try "tt-npe traces of several chips" "--width 256" "$file"
	done
} | awk '{ if (!($0 in count)) order[n++] = $0; count[$0]++ } END { for (i = 0; i < n; i++) printf "%4d  %s\n", count[order[i]], order[i] }'

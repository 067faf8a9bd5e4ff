#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# modules.sh [MODULE...]: measures modules of the library with their default parameters and writes docs/data/modules.csv
# anew. A module without a clock has the area only; with AREA=1 none is placed, which takes a tenth of the time. go test ./tests/docs -run Modules -update
# then writes the pages.
set -eu
cd "$(dirname "$0")/.."
files="rtl/lib/*.v rtl/axis/lib/*.v"
out=docs/data/modules.csv
tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
echo "module,lut4,ff,bram,mhz" >"$tmp"
[ $# -gt 0 ] || set -- $(for f in $files; do basename "$f" .v; done | sort)
for module in "$@"; do
	[ "$module" != rule ] || continue # of simulations only
	placed=${AREA:+--area}
	grep -q 'clk_i' "$(ls rtl/lib/"$module.v" rtl/axis/lib/"$module.v" 2>/dev/null)" || placed=--area
	# shellcheck disable=SC2086 # a list of files, and an option or none
	${MESHWRIGHT:-meshwright} synth $files --module "$module" $placed --json |
		awk -v m="$module" -F'[:,]' '
			/"lut4"/ { lut4 = $2 }
			/"ff"/ { ff = $2 }
			/"bram"/ { bram = $2 }
			/"mhz"/ && !mhz { mhz = $2 }
			END { row = m "," lut4 "," ff "," bram "," mhz; gsub(/ /, "", row); print row }' >>"$tmp"
	tail -n 1 "$tmp" >&2
done
mv "$tmp" "$out"
chmod 644 "$out"

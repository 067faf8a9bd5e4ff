#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ICARUS="iverilog … BENCH" ROUTER="FILES" TOP=MODULE mutants.sh DIR N SEED PLUSARGS…
# Yosys makes N mutants of the router. Each replaces the router in all nodes, and the bench runs in Icarus Verilog. A mutant is killed
# if the bench fails, or does not end in a minute of processor time (a loop of gates). A mutant that survives is equivalent if Yosys
# proves that it behaves as the router does. Prints the mutants that survived.
set -eu
dir=$1 mutants=$2 seed=$3
shift 3
case $dir in
*[!A-Za-z0-9._/-]*)
	echo "mutants.sh: $dir: expected a folder whose path has letters, digits, dots, slashes, _ and - only, for Yosys" >&2
	exit 2
	;;
esac
rm -rf "$dir"
mkdir -p "$dir"

# The mutants as Verilog: sound.v, 1.v, 2.v …
if ! yosys -q -p "read_verilog $ROUTER; select -assert-any $TOP" 2> "$dir/log"; then
	if grep -q 'Assertion failed' "$dir/log"; then
		echo "mutants.sh: TOP=$TOP: no such module in ROUTER" >&2
	else
		cat "$dir/log" >&2
	fi
	exit 1
fi
sound="read_verilog $ROUTER; prep -top $TOP -flatten; memory_map; opt_expr -mux_undef; opt_clean"
yosys -q -p "$sound; mutate -list $mutants -seed $seed -o $dir/list"
{
	printf '%s\n' "$sound" | tr ';' '\n'
	echo "write_verilog -noattr $dir/sound.v"
	echo "write_rtlil $dir/sound.il"
	echo "design -save sound"
	awk -v dir="$dir" '{ printf "design -load sound\n%s\nwrite_verilog -noattr %s/%d.v\n", $0, dir, NR }' "$dir/list"
} > "$dir/make.ys"
yosys -q "$dir/make.ys"

# bench FILE PLUSARGS… succeeds if the router in FILE passes.
bench() {
	$ICARUS -o "$dir/router.vvp" "$1" 2> "$dir/log" || {
		cat "$dir/log" >&2
		exit 1
	}
	shift
	(ulimit -t 60; vvp -N "$dir/router.vvp" "$@" < /dev/null) > "$dir/log" 2>&1 && grep -q ^PASS "$dir/log"
}

# equal NUMBER succeeds if a mutant and the router show the same outputs and come into the same state, from every state and for every
# input: with registers as ports, no input of both together tells them apart. A minute of processor time must do.
equal() {
	{
		echo "read_rtlil $dir/sound.il"
		echo "copy $TOP sound_$TOP"
		sed -n "$1p" "$dir/list"
		echo "async2sync; dffunmap; expose -evert-dff sound_$TOP $TOP"
		echo "miter -equiv -flatten sound_$TOP $TOP both"
		echo "hierarchy -top both; opt_merge; opt_clean; select -assert-none t:\$*ff* t:\$*latch* t:\$mem*"
		echo "sat -prove trigger 0 -verify both"
	} > "$dir/equal.ys"
	(ulimit -t 60; yosys -q "$dir/equal.ys") > "$dir/log" 2>&1
}

if ! bench "$dir/sound.v" "$@"; then
	echo "mutants.sh: the router fails without a fault, as Yosys writes it (Yosys writes one router for all nodes: its position must come from ports, not parameters):" >&2
	cat "$dir/log" >&2
	exit 1
fi
killed=0 equivalent=0 number=0
while read -r line; do
	number=$((number + 1))
	if ! bench "$dir/$number.v" "$@"; then
		killed=$((killed + 1))
	elif equal "$number"; then
		equivalent=$((equivalent + 1))
	else
		echo "survived: mutant $number, $(printf '%s\n' "$line" | sed 's/.*-mode \([^ ]*\).*-src \([^ ]*\)$/\1 at \2/; s/.*-mode \([^ ]*\).*-cell \([^ ]*\) .*/\1 at \2/')"
	fi
done < "$dir/list"
relevant=$((number - equivalent)) score=1000
[ $relevant -eq 0 ] || score=$((1000 * killed / relevant))
echo "mutants=$number killed=$killed equivalent=$equivalent survived=$((relevant - killed)) score=$((score / 10)).$((score % 10))%"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Compares meshwright with BookSim2, and prints tables of Markdown. docs/booksim.md defines the columns.
#
#   scripts/booksim.sh BOOKSIM [MESHWRIGHT [option=value …]]   latencies and saturation of eight configurations; options of BookSim2
#   scripts/booksim.sh --row N BOOKSIM [MESHWRIGHT …]          the same for row N, from 1 to 8
#   scripts/booksim.sh --speed BOOKSIM [MESHWRIGHT …]          simulated cycles per second, on one core
set -euo pipefail
shopt -s inherit_errexit

usage() {
	sed -n '6,8s/^# *//p' "$0" >&2
	exit 2
}

speed=no only=
case ${1-} in
--speed) speed=yes; shift ;;
--row) only=${2-}; [[ $only == [1-8] ]] || usage; shift 2 ;;
esac
(($# > 0)) || usage
booksim=$1 meshwright=${2-meshwright} options=("${@:3}")
for binary in "$booksim" "$meshwright"; do
	if ! command -v "$binary" >/dev/null; then
		echo "$binary: expected a program" >&2
		exit 2
	fi
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
echo "use_noc_latency = 0;" >"$folder/links" # all links take one cycle, those of a torus, too

# The columns: network, side, virtual channels, flits of a buffer, flits of a packet, pattern.
configurations="mesh 8 1 4 1 uniform
mesh 8 1 4 8 uniform
mesh 8 1 16 8 transpose
mesh 8 2 8 8 uniform
mesh 8 4 4 1 tornado
torus 8 2 4 1 tornado
torus 7 2 8 8 uniform
torus 8 4 16 8 tornado"

# figures accepted|latency FILE: the accepted flits per node and cycle, or the mean links and the mean latency of packets, from
# BookSim2's stats_out or from the pairs of meshwright. Packets of nodes to themselves, which meshwright does not send, are left
# out: BookSim2's uniform pattern and its transpose have some.
figures() {
	local separator=' '
	[[ $2 == *.csv ]] && separator=,
	awk -F"$separator" -v want="$1" -v net="$net" -v k="$k" -v pattern="$pattern" "$reader" "$2"
}
read -r -d '' reader <<'AWK' || true
function self(s) { return pattern == "transpose" && s % k == int(s / k) }
function away(a, b) { a = a > b ? a - b : b - a; return net == "torus" && k - a < a ? k - a : a }
/^accepted_flits/ {
	for (s = 0; s < k * k; s++) if (!self(s)) { sum += $(s + 4); n++ }
	accepted = sum / n * (pattern == "uniform" ? (k * k - 1) / (k * k) : 1)
}
FS == "," && FNR > 1 { i = $3 * k * k + $4; sent[i] = $7; latency[i] = $8 }
/^pair_sent/ { for (i = 0; i < k ^ 4; i++) sent[i] = $(i + 4) }
/^pair_plat/ { for (i = 0; i < k ^ 4; i++) latency[i] = $(i + 4) }
END {
	if (want == "accepted") { printf "%.5f\n", accepted; exit }
	for (i in sent) {
		s = int(i / (k * k)); d = i % (k * k)
		if (s == d || sent[i] == 0) continue
		packets += sent[i]; cycles += sent[i] * latency[i]
		links += sent[i] * (away(s % k, d % k) + away(int(s / k), int(d / k)))
	}
	printf "%.4f %.4f\n", links / packets, cycles / packets
}
AWK

# bs WANT RATE [option=value …]: the figure of BookSim2 for the configuration in hand.
bs() {
	local want=$1 rate=$2 routing=dor
	shift 2
	[[ $net == torus ]] && routing=dim_order
	rate=$(awk -v r="$rate" -v p="$packet" 'BEGIN { printf "%.7f", r / p }')
	if ! "$booksim" "$folder/links" topology="$net" k="$k" n=2 routing_function=$routing num_vcs="$vcs" vc_buf_size="$buffer" \
		packet_size="$packet" traffic="$pattern" injection_rate="$rate" routing_delay=0 speculative=1 \
		stats_out="$folder/stats" "$@" "${options[@]}" >"$folder/log" 2>&1; then
		# Exit code 255 only says that BookSim2 did not find a steady state.
		tail -n 3 "$folder/log" >"$folder/last"
	fi
	if [[ ! -s $folder/stats ]]; then
		echo "$booksim: no result, expected BookSim2: $(paste -sd' ' "$folder/last" 2>/dev/null)" >&2
		exit 1
	fi
	figures "$want" "$folder/stats"
	rm "$folder/stats"
}
bs_accepts() { bs accepted "$@" sim_type=throughput sample_period=2000 max_samples=8; }

# mw RATE [option …]: the result of meshwright, in JSON.
mw() {
	local rate=$1
	shift
	"$meshwright" traffic --topology "$net:${k}x$k" --nic.channels 1 --vcs "$vcs" --buffer "$buffer" --flits "$packet" \
		--pattern "$pattern" --rate "$rate" --json "$@"
}
mw_accepts() { mw "$@" --warmup 6000 --cycles 6000 --drain 1 | awk -F'[:,]' '/"accepted"/ { printf "%.5f\n", $2 }'; }

# saturation COMMAND [option …] halves the interval (0.02, 1) in its logarithm until its ends differ by 1 %. The answer is the
# highest rate found at which the network accepts at least 95 % of the rate.
saturation() {
	local accepts=$1 low=0.02 high=1.0 middle accepted
	shift
	while middle=$(awk -v a=$low -v b=$high 'BEGIN { if (b / a <= 1.01) exit 1; printf "%.5f", sqrt(a * b) }'); do
		accepted=$("$accepts" "$middle" "$@")
		if awk -v a="$accepted" -v r="$middle" 'BEGIN { exit !(a >= 0.95 * r) }'; then low=$middle; else high=$middle; fi
	done
	echo $low
}

progress() { if [[ -t 2 ]]; then printf '\r\033[K%s' "$*" >&2; fi; }

compare() {
	local row=0
	while read -r net k vcs buffer packet pattern; do
		row=$((row + 1))
		[[ -z $only || $only == "$row" ]] || continue
		progress "row $row of 8: latencies"
		read -r links cycles < <(bs latency 0.002 sim_type=latency sample_period=20000 pair_stats=1)
		mw 0.002 --warmup 1000 --cycles 60000 --per-pair "$folder/pairs.csv" >"$folder/log"
		read -r mw_links mw_cycles < <(figures latency "$folder/pairs.csv")
		awk -v row=$row -v net="$net" -v k="$k" -v vcs="$vcs" -v b="$buffer" -v p="$packet" -v pattern="$pattern" \
			-v ml="$mw_links" -v mc="$mw_cycles" -v bl="$links" -v bc="$cycles" 'BEGIN {
			stall = b < 5 ? int((p - 1) / b) * (5 - b) : 0
			printf "| %d | `%s:%dx%d` | %d | %d | %d | %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n", row, net, k, k, vcs, b, p, pattern,
				ml, mc, mc - (ml + p), bl, bc, bc - (3 * bl + p + 4 + stall) }' >>"$folder/latencies"

		progress "row $row of 8: saturation of meshwright"
		own=$(saturation mw_accepts)
		loop=$(saturation mw_accepts --hop 4)
		progress "row $row of 8: saturation of BookSim2"
		their=$(saturation bs_accepts)
		awk -v row=$row -v own="$own" -v loop="$loop" -v their="$their" 'BEGIN {
			printf "| %d | %.3f | %.3f | %.2f | %.3f | %.2f |\n", row, their, own, own / their, loop, loop / their }' >>"$folder/saturations"
		progress ""
	done <<<"$configurations"

	echo "| row | network | vcs | buffer | packet | pattern | meshwright: links | cycles | waits | BookSim2: links | cycles | waits |"
	echo "|---|---|---|---|---|---|---|---|---|---|---|---|"
	cat "$folder/latencies"
	echo
	echo "| row | BookSim2 saturates at | meshwright | ratio | meshwright, loop of 5 cycles | ratio |"
	echo "|---|---|---|---|---|---|"
	cat "$folder/saturations"
}

# speeds LOAD prints the cycles and flit-hops that each program simulates per second: three rounds, in turn, and the median of
# each figure. A flit of BookSim2 crosses one link less than the routers that BookSim2 counts as hops.
speeds() {
	local load=$1 rate round started ended
	rate=$(awk -v l="$load" 'BEGIN { print l / 8 }')
	for round in 1 2 3; do
		progress "load $load: round $round of 3"
		GOMAXPROCS=1 "$meshwright" bench saturated-8x8 --load "$load" --json | awk -F'[:,]' '
			/"cycles_per_second"/ { c = $2 } /"flit_hops_per_second"/ { h = $2 } /"accepted/ { a = $2 } END { print c, h, a }' >>"$folder/mw.$load"
		started=$(date +%s.%N)
		"$booksim" "$folder/links" topology=mesh k=8 n=2 routing_function=dor num_vcs=1 vc_buf_size=4 packet_size=8 \
			traffic=uniform injection_rate="$rate" sim_type=throughput sample_period=10000 max_samples=10 "${options[@]}" >"$folder/log" || true
		ended=$(date +%s.%N)
		awk -v s="$started" -v e="$ended" '/^Time taken is/ { c = $4 } /^Accepted flit rate average/ { a = $5 == "=" ? $6 : $5 }
			/^Hops average/ { h = $4 } END { c /= e - s; print c, c * 64 * a * (h - 1), a }' <(sed 's/average=/average =/' "$folder/log") >>"$folder/bs.$load"
		[[ -s $folder/bs.$load ]]
	done
	progress ""
	awk -v load="$load" 'BEGIN { getline mw < ARGV[1]; getline bs < ARGV[2]; split(mw, m); split(bs, b)
		printf "| %s | %.3f | %.0f | %.1f | %.3f | %.0f | %.2f | %.0f | %.0f |\n", load, m[3], m[1], m[2] / 1e6, b[3], b[1], b[2] / 1e6, m[1] / b[1], m[2] / b[2] }' \
		<(medians "$folder/mw.$load") <(medians "$folder/bs.$load")
}

# medians FILE: the middle of three values in each column.
medians() {
	local column
	for column in 1 2 3; do
		awk -v c=$column '{ print $c }' "$1" | sort -g | sed -n 2p
	done | paste -sd' '
}

if [[ $speed == yes ]]; then
	echo "| load | meshwright accepts | cycles/s | million flit-hops/s | BookSim2 accepts | cycles/s | million flit-hops/s | ratio of cycles/s | ratio of flit-hops/s |"
	echo "|---|---|---|---|---|---|---|---|---|"
	speeds 0.16
	speeds 0.32
else
	compare
fi

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tools.sh COMMAND...: makes sure that the commands, and headers of C such as zlib.h, exist. On
# Debian and Ubuntu it installs what is missing, when it may; elsewhere it says what to install.
set -eu

package() {
	case $1 in
	rsvg-convert) echo librsvg2-bin ;;
	pdftotext) echo poppler-utils ;;
	icepack) echo fpga-icestorm ;;
	protoc) echo protobuf-compiler ;;
	vcd2fst) echo gtkwave ;;
	sbatch) echo slurm-client ;;
	slurmctld | slurmd) echo slurm-wlm ;;
	munged) echo munge ;;
	dpkg-deb) echo dpkg ;;
	groff) echo groff-base ;;
	zlib.h) echo zlib1g-dev ;;
	*) echo "$1" ;;
	esac
}

exists() {
	case $1 in
	*.h) [ -e "/usr/include/$1" ] ;;
	*) command -v "$1" >/dev/null 2>&1 ;;
	esac
}

missing=
for name in "$@"; do
	exists "$name" || missing="$missing $(package "$name")"
done
[ -n "$missing" ] || exit 0

as_root=
[ "$(id -u)" = 0 ] || as_root="sudo -n"
if ! command -v apt-get >/dev/null 2>&1 || ! $as_root true 2>/dev/null; then
	echo "missing:$missing (on Debian or Ubuntu, as root: apt-get install$missing)" >&2
	exit 3
fi
echo "installing:$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list of packages
if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
	tail -n 5 "$log" >&2
	echo "could not install:$missing" >&2
	exit 3
fi

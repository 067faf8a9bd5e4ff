#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# objcache.sh COMPILER ARGUMENT...: compiles C++ for Verilator's makefiles, which call it by
# the variable OBJCACHE. It shortens the builds of small designs:
#
#   - Verilator's run-time library is the same for every design, and takes longer to
#     compile than a small one. Its objects are kept.
#   - Designs are compiled without optimisation, with precompiled headers.
#
# The kept files are in the folder $OBJCACHE_DIR. Their names are the sum of all that decides
# their content.
set -eu
source=
object=
last=
for argument in "$@"; do
	case $argument in *.cpp) source=$argument ;; esac
	if [ "$last" = -o ]; then object=$argument; fi
	last=$argument
done
if [ -z "$source" ] || [ -z "$object" ]; then
	exec "$@"
fi

# key FILE ARGUMENT...: the sum of a file, a compiler and its arguments.
key() {
	{
		printf '%s\n' "$@"
		"$2" --version
		cat "$1"
	} | sha256sum | cut -c 1-32
}

mkdir -p "$OBJCACHE_DIR"
case $source in
*/verilated*.cpp)
	kept=$OBJCACHE_DIR/$(key "$source" "$@").o
	if [ ! -f "$kept" ]; then
		"$@"
		cp "$object" "$kept.$$"
		mv "$kept.$$" "$kept" # whole or not at all
		exit
	fi
	exec cp "$kept" "$object"
	;;
esac

# What remains are the arguments that headers and design share.
include=
for argument in "$@"; do
	shift
	case $argument in
	-O?) argument=-O0 ;;
	-I*/include) include=${argument#-I} ;;
	-c | -o | -MMD | "$object" | "$source") continue ;;
	esac
	set -- "$@" "$argument"
done
if [ ! -f "$include/verilated.h" ]; then
	exec "$@" -c -o "$object" "$source"
fi
headers=$OBJCACHE_DIR/$(key "$include/verilated.h" "$@")
if [ ! -f "$headers/all.h.gch" ]; then
	making=$headers.$$
	mkdir -p "$making"
	echo '#include "verilated.h"' >"$making/all.h"
	"$@" -x c++-header -o "$making/all.h.gch" "$making/all.h"
	if [ -d "$headers" ]; then rm -rf "$making"; else mv "$making" "$headers"; fi # another build may be first
fi
exec "$@" -include "$headers/all.h" -c -o "$object" "$source"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# objcache.sh COMPILER ARGUMENT...: compiles, and keeps the objects of Verilator's
# own run-time library in the folder $OBJCACHE_DIR: they are the same for every design,
# and take longer than a small one. Verilator's makefiles call it for the
# variable OBJCACHE. The name of a kept object is the sum of all that decides its content.
set -eu
source=
object=
last=
for argument in "$@"; do
	case $argument in */verilated*.cpp) source=$argument ;; esac
	if [ "$last" = -o ]; then object=$argument; fi
	last=$argument
done
if [ -z "$source" ] || [ -z "$object" ]; then
	exec "$@"
fi
sum=$({
	printf '%s\n' "$@"
	"$1" --version
	cat "$source"
} | sha256sum | cut -c 1-32)
kept=$OBJCACHE_DIR/$sum.o
if [ -f "$kept" ]; then
	exec cp "$kept" "$object"
fi
"$@"
mkdir -p "$OBJCACHE_DIR"
cp "$object" "$kept.$$"
mv "$kept.$$" "$kept" # whole or not at all

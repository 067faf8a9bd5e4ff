#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# stanford.sh DIR [FLAGS...]: area and clock of Stanford's open-source router, in the harness of meshwright synth. DIR is the
# folder src of a clone of anan-cn/Open-Source-Network-on-Chip-Router-RTL. The router has five ports, 32 bits of
# payload and four flits an input: wormhole switching, heads and tails marked, synchronous reset.
set -eu
src=$1
shift
for file in "$src"/clib/*.v "$src"/*.v; do
	case $file in
	*constants.v | *functions.v | */parameters.v) ;; # the others include them
	*) set -- "$@" "$file" ;;
	esac
done
exec "${MESHWRIGHT:-meshwright}" synth "$@" --module router_wrap --clock clk \
	--parameter buffer_size=4 --parameter num_message_classes=1 --parameter packet_format=0 --parameter flit_data_width=32 \
	--parameter router_type=0 --parameter explicit_pipeline_register=0 --parameter reset_type=1

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The long campaigns. SEED moves all of them to other random machines.
set -eu
seed=${SEED:-1}

go test ./rtl -run Random -timeout 4h -icarus 200 -verilator 50 -seed "$seed"
go test ./firmware/collective -run Random -timeout 1h -seeds 50000 -first "$seed"
go test ./tests -run Peers -timeout 2h -every-move

# FUZZTIME for each fuzz target of each package.
go list ./... | while read -r package; do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		go test "$package" -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-60s}" -fuzzminimizetime 20x
	done
done

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scores.sh TOPOLOGY COLLECTIVE…: the rows of the table in docs/mutation.md. MUTANTS (1000) are measured for each.
set -eu
topology=$1
shift
for collective in "$@"; do
	go run ./cmd/meshwright mutate "$collective" --topology "$topology" --mutants "${MUTANTS:-1000}" --json | awk -v what="$collective on $topology" '
		/"killed_by_run"|"killed_by_stress"|"equivalent"|"survived"|"score"/ { gsub(/[",:]/, ""); value[$1] = $2 }
		END { printf "| %s | %d | %d | %d | %d | %.1f%% |\n", what, value["killed_by_run"], value["killed_by_stress"], value["equivalent"], value["survived"], 100 * value["score"] }'
done

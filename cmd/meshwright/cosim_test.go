// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// When all rows have found no fault, a line names the column in which they differ.
func TestDisagreement(t *testing.T) {
	row := func(name string, ok bool, cycles, quiet router.Cycle, flits int64) witness {
		return witness{Name: name, OK: ok, Cycles: duration{cycles, 1}, Quiet: duration{quiet, 1}, Flits: flits}
	}
	for _, c := range []struct {
		name      string
		witnesses []witness
		want      string
	}{
		{"one", []witness{row("model", true, 5, 5, 3)}, ""},
		{"equal", []witness{row("model", true, 5, 6, 3), row("icarus", true, 5, 6, 3)}, ""},
		{"cycles", []witness{row("model", true, 7, 6, 3), row("icarus", true, 5, 6, 3)}, `the witnesses differ in the column "cycles": model has 7, icarus has 5`},
		{"quiet", []witness{row("model", true, 5, 6, 3), row("icarus", true, 5, 6, 3), row("verilator", true, 5, 5, 3)}, `the witnesses differ in the column "network quiet": model has 6, verilator has 5`},
		{"flits", []witness{row("model", true, 5, 6, 3), row("icarus", true, 5, 6, 4)}, `the witnesses differ in the column "flits": model has 3, icarus has 4`},
		{"a row says why", []witness{row("model", false, 7, 6, 3), row("icarus", true, 5, 6, 3)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, disagreement(c.witnesses)) })
	}
}

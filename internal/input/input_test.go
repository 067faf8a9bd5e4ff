// SPDX-License-Identifier: Apache-2.0

package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestErrorNamesFileLineAndExpectation(t *testing.T) {
	for _, row := range []struct {
		name string
		err  *Error
		want string
	}{
		{"all parts", At("a.csv", 3, "expected a node", "bad %q", "x"), `a.csv:3: bad "x" (expected a node)`},
		{"no line", At("a.csv", 0, "", "empty"), "a.csv: empty"},
		{"no file", Errorf("expected 1 or more", "size 0"), "size 0 (expected 1 or more)"},
	} {
		t.Run(row.name, func(t *testing.T) { require.EqualError(t, row.err, row.want) })
	}
}

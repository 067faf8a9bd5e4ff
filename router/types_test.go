// SPDX-License-Identifier: Apache-2.0

package router

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Wires and programs use these numbers, traces and assembler text these names.
func TestKindsHaveTheirNumbersAndNames(t *testing.T) {
	for number, row := range []struct {
		kind Kind
		name string
	}{
		{Data, "data"}, {Order, "order"}, {Token, "token"}, {Certificate, "certificate"}, {4, "kind(4)"},
	} {
		require.EqualValues(t, number, row.kind)
		require.Equal(t, row.name, row.kind.String())
	}
	require.Equal(t, "kind(255)", Kind(255).String())
}

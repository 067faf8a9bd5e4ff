// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/sat"
)

// Clauses are emitted for a list of nodes that others go on reading: it stays as it is.
func TestEmitLeavesTheList(t *testing.T) {
	c := newCircuit()
	a, b := c.leaf(), c.leaf()
	list := []literal{c.and(a, c.xor(a, b)), c.and(-a, b), a, b}
	before := slices.Clone(list)
	c.emit(sat.New(len(c.nodes)-1), list...)
	require.Equal(t, before, list)
}

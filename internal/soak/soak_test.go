// SPDX-License-Identifier: Apache-2.0

package soak_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

func TestSomeCasesWithoutASoakAndAllInOne(t *testing.T) {
	t.Setenv("SOAK", "")
	require.Equal(t, []string{"a", "d", "g"}, soak.Some(3, []string{"a", "b", "c", "d", "e", "f", "g"}))
	require.Equal(t, 2, soak.Number(2, 90))
	t.Setenv("SOAK", "1")
	require.Equal(t, []string{"a", "b"}, soak.Some(3, []string{"a", "b"}))
	require.Equal(t, 90, soak.Number(2, 90))
}

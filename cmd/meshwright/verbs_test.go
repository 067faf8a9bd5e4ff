// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A command line declares the verb that it names, and nothing else of the list.
func TestVerbsHaveTheirNames(t *testing.T) {
	for _, v := range allVerbs() {
		require.Equal(t, v.name, v.declare().Name())
	}
	require.Len(t, rootFor([]string{"run"}).Commands(), 1)
	require.Len(t, rootFor([]string{"rum"}).Commands(), len(allVerbs()))
	require.Len(t, rootFor(nil).Commands(), len(allVerbs()))
}

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

// A word that stands for a verb is no verb, and stands for one alone.
func TestOtherWordsForVerbs(t *testing.T) {
	meant := map[string]string{}
	for _, v := range allVerbs() {
		meant[v.name] = v.name
	}
	for _, v := range allVerbs() {
		for _, word := range v.declare().SuggestFor {
			require.Empty(t, meant[word], word)
			meant[word] = v.name
			require.Equal(t, v.name, meantVerb(rootFor(nil), word))
		}
	}
}

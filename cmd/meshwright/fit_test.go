// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestWrapBreaksBetweenWords(t *testing.T) {
	for _, row := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 4, []string{""}},
		{"one two", 7, []string{"one two"}},
		{"one two", 6, []string{"one", "two"}},
		{"to a longer-word", 4, []string{"to a", "longer-word"}},
		{"longer-word to", 4, []string{"longer-word", "to"}},
		{"1 … 8 9", 5, []string{"1 … 8", "9"}},
	} {
		require.Equal(t, row.want, wrap(row.text, row.width), "%q %d", row.text, row.width)
	}
}

// A table of exactly the width is not wrapped; one that is wider by a character is.
func TestFitNarrowsWhatCostsFewLines(t *testing.T) {
	rows := [][]string{{"name", "what"}, {"a", "some words to wrap"}, {"bb", "few"}}
	require.Equal(t, []int{4, 18}, fit(rows, 29))
	require.Equal(t, []int{4, 17}, fit(rows, 28))
	require.Equal(t, []int{4, 5}, fit(rows, 16))
}

// The lists fit a screen of 80 columns, but for one whose words are too long. No word gets lost.
func TestListsFitTheScreen(t *testing.T) {
	for _, topic := range append([]string{"", "gossip", "torgos"}, topics()...) {
		var b bytes.Buffer
		require.NoError(t, printListing(&b, topic, false))
		widest := 0
		for line := range strings.Lines(b.String()) {
			widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		if topic == "options" {
			require.Greater(t, widest, screenWidth)
			require.LessOrEqual(t, widest, helpWidth)
			continue
		}
		require.LessOrEqual(t, widest, screenWidth, topic)
	}
	var b bytes.Buffer
	require.NoError(t, printListing(&b, "algorithms", false))
	for _, name := range collectiveNames() {
		for _, a := range listed(name) {
			for _, word := range strings.Fields(a.Algorithm + " " + a.Topologies + " " + a.About) {
				require.Contains(t, b.String(), word)
			}
		}
	}
}

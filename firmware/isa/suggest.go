// SPDX-License-Identifier: Apache-2.0

package isa

import "strings"

// longest is the longest word that gets a suggestion: comparing two words takes the product of their lengths.
const longest = 64

// nearest returns the name that is closest to word, the first in the alphabet of several, or "" if all are too far off (more than one slip
// in three letters) or the word is too long.
func nearest(word string, names []string) string {
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	best, least := "", (len(word)+1)/3+1
	for _, name := range names {
		d := distance(word, strings.ToLower(name), least)
		if d < least || d == least && best != "" && name < best {
			best, least = name, d
		}
	}
	return best
}

// distance counts the slips between two words: a letter more, less or changed, or two neighbours swapped.
// Beyond the limit it may return any number beyond the limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, before
		row[0] = i + 1
		for j := range len(b) {
			d := above[j]
			if a[i] != b[j] {
				d = 1 + min(d, above[j+1], row[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
	}
	return row[len(b)]
}

// meant returns "did you mean …?" if a name is near, otherwise "expected " and what.
func meant(word string, names []string, what string) string {
	if name := nearest(word, names); name != "" {
		return "did you mean " + quote(name) + "?"
	}
	return "expected " + what
}

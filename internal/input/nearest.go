// SPDX-License-Identifier: Apache-2.0

package input

import "strings"

// longest is the longest word that gets a suggestion: comparing two words takes the
// product of their lengths.
const longest = 64

// Nearest returns the known name that is closest to word, small letters and capitals
// being alike, and the first in the alphabet of several. When all are further off than one
// slip in three letters, it is the only name that the word abbreviates, as src does source,
// or "". It is also "" when the word is too long.
func Nearest(word string, known []string) string {
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	best, least := "", (len(word)+1)/3+1
	for _, name := range known {
		d := distance(word, strings.ToLower(name), least)
		if d < least || d == least && best != "" && name < best {
			best, least = name, d
		}
	}
	if best == "" {
		return abbreviated(word, known)
	}
	return best
}

// shortest is the number of letters from which on a word may abbreviate a name.
const shortest = 3

// abbreviated returns the only name of which a word in small letters has the first letter
// and some of the others in their order, among them the first ones of all parts between hyphens; "" if there is none or several.
func abbreviated(word string, known []string) string {
	if len(word) < shortest {
		return ""
	}
	full := ""
	for _, name := range known {
		lower := strings.ToLower(name)
		switch {
		case !strings.HasPrefix(lower, word[:1]) || !contains(lower, word) || !contains(word, initials(lower)):
		case full != "":
			return ""
		default:
			full = name
		}
	}
	return full
}

// initials are the first letters of the parts of a name between hyphens.
func initials(name string) string {
	first := ""
	for part := range strings.SplitSeq(name, "-") {
		first += part[:min(1, len(part))]
	}
	return first
}

// contains reports whether a name has all letters of a word in their order.
func contains(name, word string) bool {
	for i := 0; i < len(name) && word != ""; i++ {
		if name[i] == word[0] {
			word = word[1:]
		}
	}
	return word == ""
}

// Suggest returns the expectation for an unknown name: the nearest known one,
// or all of them.
func Suggest(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	if len(known) == 1 {
		return "expected " + known[0]
	}
	return "expected one of " + strings.Join(known, ", ")
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

// SPDX-License-Identifier: Apache-2.0

package input

import "strings"

// Nearest returns the known name with the smallest edit distance to name, or
// "" when even that one is too far off to be a misspelling.
func Nearest(name string, known []string) string {
	best, bestDistance := "", len(name)/3+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k)); d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = k, d
		}
	}
	return best
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

// editDistance is Levenshtein's: insertions, deletions, substitutions.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

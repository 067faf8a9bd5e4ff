// SPDX-License-Identifier: Apache-2.0

package input

import "strings"

// Or writes words as a choice: a, b or c.
func Or(words []string) string { return joined(words, " or ") }

// And writes words as a list: a, b and c.
func And(words []string) string { return joined(words, " and ") }

func joined(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + last + words[n]
}

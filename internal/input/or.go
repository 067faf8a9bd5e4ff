// SPDX-License-Identifier: Apache-2.0

package input

import "strings"

// Or writes words as a choice: a, b or c.
func Or(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

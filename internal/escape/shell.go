// SPDX-License-Identifier: Apache-2.0

package escape

import "strings"

// Shell writes a word as a POSIX shell reads it, in quotation marks only where it needs them.
func Shell(word string) string {
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special reports whether a character may mean something to a shell.
func special(c rune) bool {
	return !strings.ContainsRune("-_./:,=@+%", c) && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

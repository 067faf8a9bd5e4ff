// SPDX-License-Identifier: Apache-2.0

package escape

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// A shell reads each word as it was.
func TestWordsForTheShell(t *testing.T) {
	for word, want := range map[string]string{
		"star:4": "star:4", "%A-%a.log": "%A-%a.log", "@l.csv": "@l.csv", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$HOME": "'$HOME'", "a\nb": "'a\nb'", "é": "'é'",
	} {
		require.Equal(t, want, Shell(word))
		out, err := proctest.Command(t, "sh", "-c", "printf %s "+Shell(word)).Output()
		require.NoError(t, err)
		require.Equal(t, word, string(out))
	}
}

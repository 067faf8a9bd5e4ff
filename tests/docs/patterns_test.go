// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/traffic"
)

// patternRow matches a row of a table whose first cell is a word in code, with or without an argument.
var patternRow = regexp.MustCompile("(?m)^\\| `([a-z]+)(:[^`]+)?` \\| [^|]+ \\| [^|]+ \\|$")

// docs/traffic.md has a row for every pattern, in the order of the list, and for no others.
func TestTrafficPageListsEveryPattern(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "traffic.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(page), "\n| pattern | ")
	require.True(t, ok, "docs/traffic.md has no table of patterns")
	table, _, _ = strings.Cut(table, "\n\n")
	var have, want []string
	for _, row := range patternRow.FindAllStringSubmatch(table, -1) {
		have = append(have, row[1])
	}
	for _, f := range traffic.Patterns() {
		want = append(want, f.Name)
		require.Contains(t, have, f.Name, "docs/traffic.md lacks a row for `%s` in its table of patterns", f)
	}
	require.Equal(t, want, have, "the patterns in docs/traffic.md")
}

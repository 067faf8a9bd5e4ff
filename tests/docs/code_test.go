// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// goBlock is a block of Go, and the line above it that names a file.
var goBlock = regexp.MustCompile("(?s)(?:<!-- (\\S+) -->\n)?```go\n(.*?)```")

// Go code in a document is a file of the project, without its licence line.
func TestCodeIsThatOfFiles(t *testing.T) {
	blocks := 0
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		fresh := goBlock.ReplaceAllStringFunc(string(text), func(block string) string {
			blocks++
			parts := goBlock.FindStringSubmatch(block)
			require.NotEmpty(t, parts[1], "%s: the line above a block of Go names its file", path)
			source, err := os.ReadFile(filepath.Join(root, parts[1]))
			require.NoError(t, err, path)
			_, code, ok := strings.Cut(string(source), "\n\n")
			require.True(t, ok, parts[1])
			if !*update {
				require.Equal(t, code, parts[2], "%s: %s", path, parts[1])
			}
			return "<!-- " + parts[1] + " -->\n```go\n" + code + "```"
		})
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(fresh), 0o644))
		}
	}
	require.GreaterOrEqual(t, blocks, 5)
}

// The library is used from another module in both ways: the commands are run
// with the others, see TestCommandsPrintWhatTheDocumentsShow.
func TestLibraryIsBuiltFromAnotherModule(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "library.md"))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^\$ .*-replace=meshwright=.*\n(\$ .*\n)*\$ .*go run \.\n[^$]`, string(text))
	require.Regexp(t, `(?m)^\$ .*go work init.*\n(\$ .*\n)*\$ .*go run \.\n[^$]`, string(text))
}

// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// vectorRow matches a row of the table of vector files in docs/verilog.md: files, fields, and the module that reads them.
var vectorRow = regexp.MustCompile("(?m)^\\| `[a-z.`, ]+` \\| `(\\{cycle,[^`]*\\})` \\| \\[[a-z_]+\\]\\(\\.\\./([^)]+)\\)")

// The layouts of vector files in docs/verilog.md are those at the top of the modules that read them.
func TestVectorFilesAreLaidOutAsTheModulesSay(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "verilog.md"))
	require.NoError(t, err)
	rows := vectorRow.FindAllStringSubmatch(string(page), -1)
	require.Len(t, rows, 5)
	for _, row := range rows {
		module, err := os.ReadFile(filepath.Join(root, row[2]))
		require.NoError(t, err)
		require.Contains(t, string(module), row[1], row[2])
	}
}

// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/schedule/bound"
)

var quotedName = regexp.MustCompile("`([A-Za-z]+)`")

// docs/bounds.md names the functions that prove each bound, and these have comments.
func TestProofsAreWhereTheDocsSay(t *testing.T) {
	comments := map[string]string{}
	files, err := filepath.Glob(filepath.Join(root, "schedule", "bound", "*.go"))
	require.NoError(t, err)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				comments[d.Name.Name] = d.Doc.Text()
			case *ast.GenDecl:
				if named, ok := d.Specs[0].(*ast.TypeSpec); ok {
					comments[named.Name.Name] = d.Doc.Text()
				}
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "bounds.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "| name | functions |\n|---|---|\n")
	require.True(t, ok)
	named := ""
	for line := range strings.Lines(table) {
		cells := cellsOf(strings.TrimSpace(line))
		if cells == nil {
			break
		}
		named += cells[0] + ", "
		for _, name := range quotedName.FindAllStringSubmatch(cells[1], -1) {
			require.NotEmpty(t, comments[name[1]], name[1])
		}
	}
	for _, p := range bound.Proofs() {
		if p != bound.ByPackets && p != bound.ByNeed { // these have no functions of their own here
			require.Contains(t, named, string(p))
		}
	}
}

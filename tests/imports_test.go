// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rooms are the folders from the bottom of the house to its top, as
// docs/architecture.md shows them. The root package is the room ".".
var rooms = []string{"internal", ".", "router", "fabric", "schedule", "firmware", "formats", "rtl", "capture", "study", "cmd"}

// floors are the packages of the firmware from the bottom to the top. A family
// of collectives knows no other family, and not the table either.
var floors = [][]string{
	{"isa", "image", "contest"}, {"pe", "transfer"}, {"plan", "loader"}, {"collective/symmetries"}, {"collective/stages", "collective/sendtree", "collective/listed", "collective/worth", "collective/orbits"}, {"collective/treesearch", "collective/relayed", "collective/rounds", "collective/sampled"}, {"collective/*"}, {"collective"}, {"collective/collectivetest"},
}

// Imports point downward only, from room to room and from floor to floor.
func TestImportsPointDownward(t *testing.T) {
	edges := imports(t)
	require.Greater(t, len(edges), 200)
	for _, e := range edges {
		from, to := room(e.from), room(e.to)
		require.Contains(t, rooms, from, "%s imports %s", e.from, e.to)
		require.GreaterOrEqual(t, slices.Index(rooms, from), slices.Index(rooms, to), "%s imports %s", e.from, e.to)
		if from == "firmware" && to == "firmware" {
			require.Greater(t, floor(t, e.from), floor(t, e.to), "%s imports %s", e.from, e.to)
		}
	}
}

// edge is an import of one of our packages by another, as folders.
type edge struct{ from, to string }

// imports lists the imports of all files but tests and examples. Packages of one
// family of collectives, and of one room that is not listed by floors, are left out.
func imports(t *testing.T) []edge {
	var edges []edge
	require.NoError(t, filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"build", "examples", "testdata", "tests", ".git"}, d.Name()) && name != ".." {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		from, err := filepath.Rel("..", filepath.Dir(name))
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			to, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if to == "meshwright" {
				to = "meshwright/."
			}
			to, ours := strings.CutPrefix(to, "meshwright/")
			if ours && (family(from) == "" || family(from) != family(to)) {
				edges = append(edges, edge{filepath.ToSlash(from), to})
			}
		}
		return nil
	}))
	return edges
}

func room(folder string) string { return strings.Split(folder, "/")[0] }

// family is the folder of a family of collectives that a package belongs to.
func family(folder string) string {
	parts := strings.Split(filepath.ToSlash(folder), "/")
	if len(parts) < 3 || parts[0] != "firmware" || parts[1] != "collective" {
		return ""
	}
	return path.Join(parts[:3]...)
}

func floor(t *testing.T, folder string) int {
	name := strings.TrimPrefix(folder, "firmware/")
	if f := family(folder); f != "" {
		name = strings.TrimPrefix(f, "firmware/")
	}
	for _, exact := range []bool{true, false} {
		for i, list := range floors {
			for _, pattern := range list {
				if match, err := path.Match(pattern, name); pattern == name || !exact && err == nil && match {
					return i
				}
			}
		}
	}
	require.Fail(t, "a package without a floor", folder)
	return 0
}

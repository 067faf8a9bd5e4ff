// SPDX-License-Identifier: Apache-2.0

package input

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRows(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"rows", "1, 2\n3,4 \n", "1 1|2;2 3|4;"},
		{"header, comments, quotes", "# c\nnode,flits\n\"1\",2\r\n", "3 1|2;"},
		{"empty", "", ""},
		{"one column", "1,2\n3\n", "1 1|2;f.csv:2: 1 column (expected node,flits)"},
		{"semicolons", "1;2\n", "f.csv:1: 1 column (expected node,flits, separated by commas)"},
		{"semicolons of a header", "node;flits\n1;2\n", "f.csv:1: 1 column (expected node,flits, separated by commas)"},
		{"tabs", "-1\t2\n", "f.csv:1: 1 column (expected node,flits, separated by commas)"},
		{"no table", "<a b='c'/>\n", "f.csv:1: 1 column (expected node,flits)"},
		{"three columns", "1,2,3\n", "f.csv:1: 3 columns (expected node,flits)"},
		{"quote", "1,\"2\n", `f.csv:1: a field that begins with a quotation mark does not end with one (expected node,flits)`},
		{"quote inside a field", "1,2\n<svg width=\"1\"/>\n", "1 1|2;f.csv:2: a quotation mark inside a field (expected node,flits)"},
		{"header in another order", "flits,node\n2,1\n3,4\n", "2 1|2;3 4|3;"},
		{"quoted header", "\"flits\", node \n2,1\n", "2 1|2;"},
		{"column twice", "node,node\n1,2\n", `f.csv:1: column "node" twice (expected node,flits, in any order)`},
		{"unknown column", "# c\nnode,flit\n1,2\n", `f.csv:2: unknown column "flit" (did you mean flits?)`},
		{"other case", "Node,Flits\n1,2\n", `f.csv:1: unknown column "Node" (did you mean node?)`},
		{"no known column", "color,words\n1,2\n", `f.csv:1: unknown column "color" (expected one of node, flits)`},
		{"column too many", "node,flits,color\n1,2,3\n", `f.csv:1: unknown column "color" (expected one of node, flits)`},
		{"column missing", "flits\n1\n", `f.csv:1: no column "node" (expected node,flits, in any order)`},
		{"no header", "a,1\n", "1 a|1;"},
		{"header again", "1,2\nnode,flits\n", "1 1|2;2 node|flits;"},
		{"bad row", "1,2\nbad,3\n", "1 1|2;f.csv:2: bad (expected good)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := ""
			err := Rows("f.csv", []byte(row.text), "node,flits", func(fields []string, line int) error {
				if fields[0] == "bad" {
					return Errorf("expected good", "bad")
				}
				got += fmt.Sprint(line) + " " + fields[0] + "|" + fields[1] + ";"
				return nil
			})
			if err != nil {
				got += err.Error()
			}
			require.Equal(t, row.want, got)
		})
	}
}

func TestLocateKeepsWhatIsThere(t *testing.T) {
	require.EqualError(t, Locate(Errorf("", "bad"), "f", 2), "f:2: bad")
	require.EqualError(t, Locate(At("g", 1, "", "bad"), "f", 2), "g:1: bad")
	plain := errors.New("plain")
	require.Equal(t, plain, Locate(plain, "f", 2))
}

func TestReadFileDropsTheMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte("\xef\xbb\xbfa"), 0o644))
	text, err := ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "a", string(text))
	_, err = ReadFile(filepath.Dir(path))
	require.EqualError(t, err, filepath.Dir(path)+": is a directory (expected a file that can be read)")
}

func TestPathsAreDistinctAndWritable(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("dir", 0o755))
	require.NoError(t, os.MkdirAll("below/more", 0o755))
	require.NoError(t, os.WriteFile("below/more/x", nil, 0o644))
	require.NoError(t, os.WriteFile("old", nil, 0o644))
	require.NoError(t, os.WriteFile("in", nil, 0o644))
	require.NoError(t, os.Symlink("in", "link"))
	require.NoError(t, os.Symlink("dir", "dirlink"))
	require.NoError(t, os.Symlink("none", "dangling"))
	require.NoError(t, os.Symlink("nowhere/none", "lost"))
	require.NoError(t, os.Symlink("loop", "loop"))
	for _, row := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"new ones", []string{"a", "b", "dir/a", "old"}, ""},
		{"twice", []string{"a", "./a"}, "./a: named by --w and by --w (expected a file of its own for each)"},
		{"twice, there", []string{"old", "dir/../old"}, "dir/../old: named by --w and by --w (expected a file of its own for each)"},
		{"through a linked directory", []string{"dir/a", "dirlink/a"}, "dirlink/a: named by --w and by --w (expected a file of its own for each)"},
		{"input", []string{"link"}, "link: named by IN and by --w (expected a file of its own for each)"},
		{"input in a folder", []string{"below/more/x"}, "below/more/x: named by FOLDER and by --w (expected a file of its own for each)"},
		{"a directory", []string{"dir"}, "dir: is a directory (expected a file to write, for --w)"},
		{"no directory", []string{"none/a"}, "none/a: there is no directory none (expected a directory that exists)"},
		{"a file as directory", []string{"old/a"}, "old/a: not a directory (expected the name of a file in a directory that exists)"},
		{"a name ending in /", []string{"new/"}, "new/: is no file (expected the name of a file)"},
		{"a link to nothing yet", []string{"dangling"}, ""},
		{"a link to nothing yet and its target", []string{"dangling", "none"}, "none: named by --w and by --w (expected a file of its own for each)"},
		{"a link into no directory", []string{"lost"}, "lost: there is no directory nowhere (expected a directory that exists)"},
		{"a link to itself", []string{"loop"}, "loop: too many levels of symbolic links (expected the name of a file in a directory that exists)"},
		{"device twice", []string{os.DevNull, os.DevNull}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var p Paths
			p.Read("IN", "in")
			p.ReadFolder("FOLDER", "below")
			var err error
			for _, path := range row.paths {
				err = errors.Join(err, p.Write("--w", path))
			}
			if row.want == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, row.want)
			}
		})
	}
	require.NoError(t, WriteFolder("dir"))
	require.NoError(t, WriteFolder("none"))
	require.EqualError(t, WriteFolder("."), ".: the folder is not empty (expected a new or an empty folder)")
	require.EqualError(t, WriteFolder("old"), "old: not a directory (expected a new or an empty folder)")
}

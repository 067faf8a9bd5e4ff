// SPDX-License-Identifier: Apache-2.0

package atomicfile_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/atomicfile"
)

// longest is the longest name that Linux's file systems have, in bytes.
const longest = 255

func TestNamesUpToTheLimit(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x", strings.Repeat("a", longest), strings.Repeat("é", longest/2) + "x", strings.Repeat("\xff", longest)} {
		path := filepath.Join(dir, name)
		require.NoError(t, atomicfile.Write(path, func(w io.Writer) error {
			_, err := w.Write([]byte("new"))
			return err
		}))
		require.Equal(t, "new", read(t, path))
		require.NoError(t, os.Remove(path))

		f, err := atomicfile.CreateFolder(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(f.Dir(), "in"), []byte("new"), 0o644))
		require.NoDirExists(t, path)
		require.NoError(t, f.Commit())
		require.Equal(t, "new", read(t, filepath.Join(path, "in")))
		require.NoError(t, os.RemoveAll(path))
	}
	require.Empty(t, list(t, dir), "nothing is left beside them")

	path := filepath.Join(dir, strings.Repeat("a", longest+1))
	_, err := atomicfile.Create(path)
	require.EqualError(t, err, "create "+path+": file name too long")
	_, err = atomicfile.CreateFolder(path)
	require.EqualError(t, err, "create "+path+": file name too long")
}

func TestLinksLeadToTheFile(t *testing.T) {
	for _, row := range []struct {
		name  string
		links [][2]string // link and what it says, "" for the outer directory
		open  string
		want  string // the file that is made
	}{
		{"to a file that is there", [][2]string{{"link", "there"}}, "link", "there"},
		{"dangling", [][2]string{{"link", "none"}}, "link", "none"},
		{"dangling, twice", [][2]string{{"link", "link2"}, {"link2", "none"}}, "link", "none"},
		{"dangling into a folder", [][2]string{{"link", "sub/none"}}, "link", "sub/none"},
		{"dangling in a folder", [][2]string{{"sub/link", "../none"}}, "sub/link", "none"},
		{"behind a linked folder", [][2]string{{"far", "sub/deep"}, {"sub/deep/link", "../none"}}, "far/link", "sub/none"},
		{"over a linked folder", [][2]string{{"far", "sub/deep"}, {"link", "far/../none"}}, "link", "sub/none"},
	} {
		for _, kind := range []string{"file", "folder"} {
			t.Run(row.name+", "+kind, func(t *testing.T) {
				t.Chdir(t.TempDir())
				require.NoError(t, os.MkdirAll("sub/deep", 0o755))
				if row.want == "there" {
					require.NoError(t, map[string]func() error{
						"file":   func() error { return os.WriteFile("there", []byte("old"), 0o644) },
						"folder": func() error { return os.Mkdir("there", 0o755) },
					}[kind]())
				}
				for _, link := range row.links {
					require.NoError(t, os.Symlink(link[1], link[0]))
				}
				if kind == "folder" {
					f, err := atomicfile.CreateFolder(row.open + "/")
					require.NoError(t, err)
					require.NoError(t, f.Commit())
					require.DirExists(t, row.want)
				} else {
					f, err := atomicfile.Create(row.open)
					require.NoError(t, err)
					require.NoError(t, f.Commit())
					require.FileExists(t, row.want)
				}
				for _, link := range row.links {
					info, err := os.Lstat(link[0])
					require.NoError(t, err)
					require.NotZero(t, info.Mode()&os.ModeSymlink, "%s is still a link", link[0])
				}
			})
		}
	}
}

func TestLoopsOfLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink("b", "a"))
	require.NoError(t, os.Symlink("a", "b"))
	_, err := atomicfile.Create("a")
	require.ErrorIs(t, err, syscall.ELOOP)
	require.ErrorContains(t, err, "create a: ")
	_, err = atomicfile.CreateFolder("a")
	require.ErrorIs(t, err, syscall.ELOOP)
}

// Errors carry the name that the user gave, not a temporary one.
func TestFolderErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("file", nil, 0o644))
	require.NoError(t, os.Mkdir("full", 0o755))
	require.NoError(t, os.WriteFile("full/x", nil, 0o644))
	require.NoError(t, os.Symlink("/proc/none", "proc"))
	for _, row := range []struct{ path, want string }{
		{"", "create : no name"},
		{".", "create .: the folder is not empty"},
		{"file", "create file: not a directory"},
		{"file/chip", "create file/chip: not a directory"},
		{"full", "create full: the folder is not empty"},
		{"full/x/y/z", "create full/x/y/z: not a directory"},
		{"proc", "create proc: the folder cannot be made"},
		{"proc/a/b", "create proc/a/b: no such file or directory"},
	} {
		_, err := atomicfile.CreateFolder(row.path)
		require.EqualError(t, err, row.want)
	}
	require.NoError(t, os.Mkdir("here", 0o755))
	t.Chdir("here")
	_, err := atomicfile.CreateFolder("../here")
	require.EqualError(t, err, "create ../here: the folder in use cannot be replaced")
}

func TestFolderErrorsInside(t *testing.T) {
	t.Chdir(t.TempDir())
	f, err := atomicfile.CreateFolder("chip/")
	require.NoError(t, err)
	_, err = os.Create(filepath.Join(f.Dir(), "none", "x"))
	require.EqualError(t, f.Fault(err), "open chip/none/x: no such file or directory")
	_, err = os.Open("other")
	require.EqualError(t, f.Fault(err), "open other: no such file or directory")
	require.NoError(t, os.Mkdir("chip", 0o755))
	require.NoError(t, os.WriteFile("chip/x", nil, 0o644))
	require.EqualError(t, f.Commit(), "commit chip/: directory not empty")
	require.Len(t, list(t, "."), 1, "only that folder is left")
	require.EqualError(t, f.Commit(), "commit chip/: file already closed")
}

func TestAbortedFolderLeavesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	f, err := atomicfile.CreateFolder("a/b/chip")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(f.Dir(), "x"), nil, 0o644))
	require.NoError(t, f.Abort())
	require.NoError(t, f.Abort())
	require.Empty(t, list(t, "."))
}

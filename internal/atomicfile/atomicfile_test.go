// SPDX-License-Identifier: Apache-2.0

package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/atomicfile"
)

func TestFileAppearsOnCommitOnly(t *testing.T) {
	tests := []struct {
		name   string
		before string // content of the target beforehand, "" for none
		end    func(*atomicfile.File) error
		want   string
	}{
		{"commit creates", "", (*atomicfile.File).Commit, "new"},
		{"commit replaces", "old", (*atomicfile.File).Commit, "new"},
		{"finish, then commit", "old", func(f *atomicfile.File) error {
			if err := f.Finish(); err != nil {
				return err
			}
			return f.Commit()
		}, "new"},
		{"finish, then abort", "old", func(f *atomicfile.File) error {
			if err := f.Finish(); err != nil {
				return err
			}
			return f.Abort()
		}, "old"},
		{"abort leaves nothing", "", (*atomicfile.File).Abort, ""},
		{"abort leaves the old", "old", (*atomicfile.File).Abort, "old"},
		{"abort after commit does nothing", "old", func(f *atomicfile.File) error {
			if err := f.Commit(); err != nil {
				return err
			}
			return f.Abort()
		}, "new"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.csv")
			if test.before != "" {
				require.NoError(t, os.WriteFile(path, []byte(test.before), 0o600))
			}
			f, err := atomicfile.Create(path)
			require.NoError(t, err)
			_, err = f.Write([]byte("new"))
			require.NoError(t, err)
			require.Equal(t, test.before, read(t, path), "before the end the target is untouched")
			require.NoError(t, test.end(f))
			require.Equal(t, test.want, read(t, path))
			require.LessOrEqual(t, len(list(t, filepath.Dir(path))), 1, "no temporary file is left")
		})
	}
}

func TestCreateKeepsPermissionsAndLinks(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(real, []byte("old"), 0o640))
	require.NoError(t, os.Symlink("real", link))
	f, err := atomicfile.Create(link)
	require.NoError(t, err)
	require.NoError(t, f.Commit())
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	info, err = os.Stat(real)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	require.Empty(t, read(t, real))
}

func TestCommitAfterTheEndFails(t *testing.T) {
	for _, end := range []func(*atomicfile.File) error{(*atomicfile.File).Commit, (*atomicfile.File).Abort} {
		path := filepath.Join(t.TempDir(), "x")
		f, err := atomicfile.Create(path)
		require.NoError(t, err)
		require.NoError(t, end(f))
		require.EqualError(t, f.Commit(), "commit "+path+": file already closed")
		require.EqualError(t, f.Finish(), "finish "+path+": file already closed")
	}
}

func TestFinishedFileIsNotThereYet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	f, err := atomicfile.Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Finish())
	require.NoFileExists(t, path)
	_, err = f.Write([]byte("more"))
	require.EqualError(t, err, "write "+path+": file already closed", "the target is named, not the temporary file")
	require.NoError(t, f.Commit())
	require.FileExists(t, path)
}

func TestTwoWritersOfOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	a, err := atomicfile.Create(path)
	require.NoError(t, err)
	b, err := atomicfile.Create(path)
	require.NoError(t, err)
	_, err = a.Write([]byte("a"))
	require.NoError(t, err)
	_, err = b.Write([]byte("b"))
	require.NoError(t, err)
	require.NoError(t, b.Commit())
	require.NoError(t, a.Commit())
	require.Equal(t, "a", read(t, path), "the last to commit wins, whole")
}

func TestDevicesAreWrittenDirectly(t *testing.T) {
	for _, end := range []func(*atomicfile.File) error{(*atomicfile.File).Commit, (*atomicfile.File).Abort} {
		f, err := atomicfile.Create(os.DevNull)
		require.NoError(t, err)
		_, err = f.Write([]byte("gone"))
		require.NoError(t, err)
		require.NoError(t, end(f))
		info, err := os.Stat(os.DevNull)
		require.NoError(t, err)
		require.False(t, info.Mode().IsRegular())
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	_, err := atomicfile.Create(dir)
	require.EqualError(t, err, "create "+dir+": is a directory")
	missing := filepath.Join(dir, "no", "x.csv")
	_, err = atomicfile.Create(missing)
	require.EqualError(t, err, "create "+missing+": no such file or directory")

	path := filepath.Join(dir, "sub", "x.csv")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	f, err := atomicfile.Create(path)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(path, 0o700), "a directory takes the target's place meanwhile")
	require.Error(t, f.Commit())
	require.Len(t, list(t, filepath.Dir(path)), 1, "only that directory is left")

	path = filepath.Join(dir, "gone", "x.csv")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	f, err = atomicfile.Create(path)
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(filepath.Dir(path)))
	require.ErrorIs(t, f.Abort(), os.ErrNotExist)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return ""
	}
	require.NoError(t, err)
	return string(data)
}

func list(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	return entries
}

// SPDX-License-Identifier: Apache-2.0

package confine

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a folder names are those of its files, and lead nowhere else.
func TestNames(t *testing.T) {
	top := t.TempDir()
	here, secret := filepath.Join(top, "here"), filepath.Join(top, "secret")
	require.NoError(t, os.MkdirAll(filepath.Join(here, "sub", "deep"), 0o777))
	for _, name := range []string{secret, filepath.Join(here, "a"), filepath.Join(here, "sub", "b")} {
		require.NoError(t, os.WriteFile(name, []byte("text"), 0o666))
	}
	for link, target := range map[string]string{"in": "sub/b", "out": "../secret", "far": secret, "up": "..", "nothing": "../new", "new": "later"} {
		require.NoError(t, os.Symlink(target, filepath.Join(here, link)))
	}
	t.Chdir(here)
	f := enter(here)
	for _, row := range []struct {
		name        string
		read, write error // of Open, and of Check
	}{
		{"a", nil, nil},
		{"./a", nil, nil},
		{"sub/b", nil, nil},
		{"sub/../a", nil, nil},
		{here + "/a", nil, nil},
		{"in", nil, nil},
		{"absent", fs.ErrNotExist, nil},
		{"no/folder", fs.ErrNotExist, nil},
		{"new", fs.ErrNotExist, nil},
		{secret, ErrOutside, ErrOutside},
		{"../secret", ErrOutside, ErrOutside},
		{"../absent", ErrOutside, ErrOutside},
		{"..", ErrOutside, ErrOutside},
		{"sub/../../secret", ErrOutside, ErrOutside},
		{"absent/../../secret", ErrOutside, ErrOutside},
		{here + "/../secret", ErrOutside, ErrOutside},
		{"out", ErrOutside, ErrOutside},
		{"far", ErrOutside, ErrOutside},
		{"up/secret", ErrOutside, ErrOutside},
		{"nothing", ErrOutside, ErrOutside},
		{"/dev/stdin", ErrOutside, ErrOutside},
		{"/proc/self/environ", ErrOutside, ErrOutside},
	} {
		t.Run(row.name, func(t *testing.T) {
			file, err := f.open(row.name)
			require.ErrorIs(t, err, row.read)
			if err == nil {
				require.NoError(t, file.Close())
			} else {
				require.Contains(t, err.Error(), row.name, "the name that the user gave")
			}
			_, err = f.stat(row.name)
			require.ErrorIs(t, err, row.read)
			_, err = f.readDir(row.name)
			require.Error(t, err)
			require.ErrorIs(t, f.check(row.name), row.write)
		})
	}
}

// Names of folders are those of the folder, too.
func TestFolders(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b", "a", "c"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o666))
	}
	for _, row := range []struct {
		name string
		of   *folder
	}{{"confined", enter(dir)}, {"free", enter("")}} {
		entries, err := row.of.readDir(dir)
		require.NoError(t, err, row.name)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		require.Equal(t, []string{"a", "b", "c"}, names, row.name)
	}
	_, err := enter(dir).readDir("..")
	require.ErrorIs(t, err, ErrOutside)
}

// Without a folder all names are free; with one that is not there none is.
func TestFree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, nil, 0o666))
	for _, row := range []struct {
		name   string
		folder string
		want   error
	}{{"free", "", nil}, {"no folder", path + "-absent", fs.ErrNotExist}} {
		f := enter(row.folder)
		file, err := f.open(path)
		require.ErrorIs(t, err, row.want, row.name)
		if err == nil {
			require.NoError(t, file.Close())
		}
		require.ErrorIs(t, f.check(path), row.want, row.name)
	}
}

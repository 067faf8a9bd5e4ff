// SPDX-License-Identifier: Apache-2.0

package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// content returns the names in a folder.
func content(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestReplaceFolder(t *testing.T) {
	refusal := errors.New("stays")
	for _, row := range []struct {
		name    string
		answers []error // of mayGo
		failure error
		want    []string
	}{
		{"replaced", []error{nil, nil}, nil, []string{"new"}},
		{"refused at once", []error{refusal}, refusal, []string{"old"}},
		{"refused in the end", []error{nil, refusal}, refusal, []string{"old"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.Mkdir("dir", 0o755))
			require.NoError(t, os.WriteFile("dir/old", nil, 0o644))
			asked := 0
			folder, err := ReplaceFolder("dir", func() error { asked++; return row.answers[asked-1] })
			if err == nil {
				require.NoError(t, os.WriteFile(filepath.Join(folder.Dir(), "new"), nil, 0o644))
				require.Equal(t, []string{"old"}, content(t, "dir"))
				err = folder.Commit()
			}
			require.ErrorIs(t, err, row.failure)
			require.Len(t, row.answers, asked)
			require.Equal(t, row.want, content(t, "dir"))
			require.Equal(t, []string{"dir"}, content(t, "."), "nothing is left beside it")
		})
	}
}

func TestReplaceFolderThatIsNotThere(t *testing.T) {
	t.Chdir(t.TempDir())
	never := func() error { t.Error("asked"); return nil }
	for _, dir := range []string{"new", "new/empty"} {
		folder, err := ReplaceFolder(dir, never)
		require.NoError(t, err)
		require.NoError(t, folder.Commit())
		require.Empty(t, content(t, dir))
	}
}

// Where names cannot be exchanged the old folder steps aside, and comes back
// when the new one cannot take its place.
func TestReplaceFolderByRenames(t *testing.T) {
	cannot := func(_, _ string) error { return errors.ErrUnsupported }
	begin := func(t *testing.T) *Folder {
		t.Chdir(t.TempDir())
		require.NoError(t, os.MkdirAll("dir/old", 0o755))
		folder, err := ReplaceFolder("dir", func() error { return nil })
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(filepath.Join(folder.Dir(), "new"), 0o755))
		return folder
	}
	folder := begin(t)
	require.NoError(t, folder.swap(cannot))
	require.NoError(t, folder.Abort())
	require.Equal(t, []string{"new"}, content(t, "dir"))
	require.Equal(t, []string{"dir"}, content(t, "."))
	folder = begin(t)
	folder.work.Path += "-none"
	require.Error(t, folder.swap(cannot))
	require.Equal(t, []string{"old"}, content(t, "dir"))
}

// SPDX-License-Identifier: Apache-2.0

package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study/point"
	"meshwright/study/store"
)

// row is a result with as much in it as that of a run.
func row(i int) *store.Row {
	r := &store.Row{Settings: point.Settings{"topology": "mesh:8x8", "collective": "gossip", "algorithm": "highdimgos", "length": fmt.Sprint(i), "startup": "100"}}
	copy(r.ID[:], fmt.Sprintf("point %09d", i))
	r.Figures = point.Figures{}
	for _, m := range point.Measures() {
		if m.Of == point.Collective {
			if r.Figures[m.Name] = point.Number(float64(i) / 3); m.Text {
				r.Figures[m.Name] = point.Text("refined")
			}
		}
	}
	return r
}

func opened(t testing.TB, path string) *store.Store {
	s, err := store.Open(context.Background(), path)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestStoreKeepsRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c.db")
	s := opened(t, path)
	failed := &store.Row{ID: point.ID{9}, Settings: point.Settings{"topology": "mesh:0"}, Error: "no such mesh"}
	require.NoError(t, s.Add(t.Context(), row(1)))
	require.NoError(t, s.Add(t.Context(), failed))
	one := &store.Study{Name: "q", File: "q.yaml", Text: "text", Parameters: map[string]string{"side": "4"}, Version: "1"}
	require.NoError(t, s.Define(t.Context(), one, []point.ID{failed.ID, {7}, row(1).ID}))
	require.NoError(t, s.Define(t.Context(), one, []point.ID{failed.ID, {7}, row(1).ID}), "the last definition counts")
	require.NoError(t, s.Close())
	require.NoFileExists(t, path+"-wal")

	s = opened(t, path)
	ids, err := s.IDs(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[point.ID]bool{row(1).ID: false, failed.ID: true}, ids)
	rows, err := s.Rows(t.Context(), "q")
	require.NoError(t, err)
	require.Equal(t, map[int]store.Row{0: *failed, 2: *row(1)}, rows)
	studies, err := s.Studies(t.Context())
	require.NoError(t, err)
	require.Equal(t, []store.Study{*one}, studies)
}

// A merge takes what is missing, and results instead of errors. To do it twice changes nothing.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	a, b := opened(t, filepath.Join(dir, "a.db")), opened(t, filepath.Join(dir, "b.db"))
	bad := &store.Row{ID: row(2).ID, Settings: row(2).Settings, Error: "no memory"}
	for _, r := range []*store.Row{row(1), bad} {
		require.NoError(t, a.Add(t.Context(), r))
	}
	for _, r := range []*store.Row{row(2), row(3), {ID: row(1).ID, Settings: row(1).Settings, Error: "no memory"}} {
		require.NoError(t, b.Add(t.Context(), r))
	}
	for range 2 {
		require.NoError(t, a.Merge(t.Context(), filepath.Join(dir, "b.db")))
		ids, err := a.IDs(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[point.ID]bool{row(1).ID: false, row(2).ID: false, row(3).ID: false}, ids)
	}
}

// Stores that are opened while another process makes the tables are ours.
func TestOpenedWhileMade(t *testing.T) {
	for range 40 {
		path := filepath.Join(t.TempDir(), "s.db")
		ends := make(chan error)
		for i := range 8 {
			go func() {
				s, err := store.Open(t.Context(), path)
				if err == nil {
					err = errors.Join(s.Add(t.Context(), row(i)), s.Close())
				}
				ends <- err
			}()
		}
		for range 8 {
			require.NoError(t, <-ends)
		}
		ids, err := opened(t, path).IDs(t.Context())
		require.NoError(t, err)
		require.Len(t, ids, 8)
	}
}

func TestBadStores(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("text.db", []byte("This is a text and no database, whatever its name may say of it."), 0o644))
	require.NoError(t, os.WriteFile("empty.db", nil, 0o644))
	for name, statement := range map[string]string{
		"other.db": "CREATE TABLE t (a)",
		"bare.db":  "PRAGMA user_version = 1",
		"newer.db": "CREATE TABLE point (a); PRAGMA application_id = 1836544884; PRAGMA user_version = 99",
	} {
		db, err := sql.Open("sqlite", name)
		require.NoError(t, err)
		_, err = db.Exec(statement)
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
	for name, want := range map[string]string{
		"none.db":  "none.db: no such file or directory (expected a file that can be read)",
		"bare.db":  "bare.db: a database without tables (expected a store that meshwright sweep has written)",
		"empty.db": "empty.db: an empty file (expected a store that meshwright sweep has written)",
		"text.db":  "text.db: not a SQLite file (expected a store that meshwright sweep has written)",
		"other.db": "other.db: a database of another program (expected a store that meshwright sweep has written)",
		"newer.db": "newer.db: a store of version 99 (expected version 2 or earlier, or a newer meshwright)",
	} {
		_, err := store.OpenForReading(t.Context(), name)
		require.EqualError(t, err, want)
	}
}

// A store can be read where nothing can be written, and reading leaves no file beside it.
func TestReadingNeedsNoWriting(t *testing.T) {
	for _, c := range []struct {
		name         string
		file, folder os.FileMode
	}{
		{"all writable", 0o644, 0o755}, {"a file", 0o444, 0o755}, {"a folder", 0o644, 0o555}, {"both", 0o444, 0o555},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "my study.db")
			s := opened(t, path)
			require.NoError(t, s.Add(t.Context(), row(1)))
			require.NoError(t, s.Close())
			require.NoError(t, os.Chmod(path, c.file))
			require.NoError(t, os.Chmod(dir, c.folder))
			t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
			before, err := os.ReadFile(path)
			require.NoError(t, err)

			s, err = store.OpenForReading(t.Context(), path)
			require.NoError(t, err)
			ids, err := s.IDs(t.Context())
			require.NoError(t, err)
			require.Len(t, ids, 1)
			require.NoError(t, s.Close())

			s = opened(t, filepath.Join(t.TempDir(), "merged.db"))
			require.NoError(t, s.Merge(t.Context(), path))
			ids, err = s.IDs(t.Context())
			require.NoError(t, err)
			require.Len(t, ids, 1)
			require.NoError(t, s.Close())
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, before, after)
			files, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, files, 1)
		})
	}
}

// Results that are only in the journal are not passed over in silence.
func TestReadingWithAJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := opened(t, path)
	require.NoError(t, s.Add(t.Context(), row(1)))
	require.FileExists(t, path+"-wal")
	reader, err := store.OpenForReading(t.Context(), path)
	require.NoError(t, err)
	ids, err := reader.IDs(t.Context())
	require.NoError(t, err)
	require.Len(t, ids, 1)
	require.NoError(t, reader.Close())

	copied := filepath.Join(t.TempDir(), "copy.db")
	for _, end := range []string{"", "-wal"} {
		text, err := os.ReadFile(path + end)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(copied+end, text, 0o444))
	}
	require.NoError(t, os.Chmod(filepath.Dir(copied), 0o555))
	t.Cleanup(func() { _ = os.Chmod(filepath.Dir(copied), 0o755) })
	reader, err = store.OpenForReading(t.Context(), copied)
	if os.Geteuid() == 0 { // who may write everywhere
		require.NoError(t, err)
		require.NoError(t, reader.Close())
		return
	}
	require.EqualError(t, err, copied+": results are still in "+copied+"-wal (expected a file and a folder that can be written, for once)")
	_, err = store.Open(t.Context(), copied)
	require.EqualError(t, err, copied+": the store cannot be written (expected a file and a folder that can be written)")
}

// When the disk is full, what is in the store can be read, and one line says what is wrong.
func TestFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "full.db")
	s := opened(t, path)
	s.Limit(t.Context(), 12)
	kept, err := 0, error(nil)
	for ; err == nil && kept < 10_000; kept++ {
		err = s.Add(t.Context(), row(kept))
	}
	require.EqualError(t, err, path+": the disk is full (what was swept before is in it)")
	require.NoError(t, s.Close())
	ids, err := opened(t, path).IDs(t.Context())
	require.NoError(t, err)
	require.Len(t, ids, kept-1)
	require.Greater(t, kept, 10)
}

// Each point costs less than a kilobyte.
func TestStoreIsSmall(t *testing.T) {
	const points = 2000
	path := filepath.Join(t.TempDir(), "s.db")
	s := opened(t, path)
	var members []point.ID
	for i := range points {
		require.NoError(t, s.Add(t.Context(), row(i)))
		members = append(members, row(i).ID)
	}
	require.NoError(t, s.Define(t.Context(), &store.Study{Name: "s"}, members))
	require.NoError(t, s.Close())
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, info.Size()/points, int64(1000))
	t.Logf("%d bytes a point", info.Size()/points)
}

func BenchmarkAdd(b *testing.B) {
	s := opened(b, filepath.Join(b.TempDir(), "b.db"))
	for i := 0; b.Loop(); i++ {
		require.NoError(b, s.Add(b.Context(), row(i)))
	}
}

// A store of an earlier version is read as it is, and marked once it is written: programs of that version cannot read texts.
func TestEarlierStores(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := opened(t, path)
	require.NoError(t, s.Add(t.Context(), &store.Row{ID: point.ID{1}, Figures: point.Figures{"cycles": point.Number(5)}}))
	require.NoError(t, s.Close())
	version := func() (version int) {
		db, err := sql.Open("sqlite", path)
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, db.QueryRow("PRAGMA user_version").Scan(&version))
		return version
	}
	require.Equal(t, 2, version())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.Exec("PRAGMA user_version = 1")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	r, err := store.OpenForReading(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, 1, version())
	s = opened(t, path)
	ids, err := s.IDs(t.Context())
	require.NoError(t, err)
	require.Len(t, ids, 1)
	require.NoError(t, s.Close())
	require.Equal(t, 2, version())
}

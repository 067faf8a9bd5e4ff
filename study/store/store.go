// SPDX-License-Identifier: Apache-2.0

// Package store keeps the results of studies in a SQLite file. A point that is in the file stays there whatever happens to
// the process.
//
//	point(id, settings, figures, error)   a result, by the content of the point
//	study(name, text, …)                  the file of the study as it was swept last
//	member(study, place, id)              the points of the study, in its order
package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite" // the driver, which is plain Go

	"meshwright/internal/input"
	"meshwright/study/point"
)

// form is the version of the tables.
const form = 1

// kind marks the file as a store of meshwright ("mwst").
const kind = 0x6d777374

const tables = `
CREATE TABLE point (id BLOB PRIMARY KEY, settings TEXT NOT NULL, figures TEXT, error TEXT) WITHOUT ROWID;
CREATE TABLE study (name TEXT PRIMARY KEY, file TEXT NOT NULL, text TEXT NOT NULL, parameters TEXT NOT NULL, version TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE member (study TEXT NOT NULL, place INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (study, place)) WITHOUT ROWID;`

// Store is an open file. Several goroutines may use it, and several processes the same file.
type Store struct {
	path string
	db   *sql.DB
	add  *sql.Stmt
	lock sync.Mutex // of add
}

// Row is the result of a point: figures, or an error.
type Row struct {
	ID       point.ID
	Settings point.Settings
	Figures  point.Figures
	Error    string // why there are no figures; "" if there are
}

// Study is a study as it was swept.
type Study struct {
	Name, File, Text string
	Parameters       map[string]string
	Version          string // of the program
}

// Open opens a store, or makes one. Errors are *input.Error where the file is none of ours.
func Open(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, "rwc")
}

// OpenForReading opens a store that is there.
func OpenForReading(ctx context.Context, path string) (*Store, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, input.Unreadable(path, err)
	case info.Size() == 0:
		return nil, input.At(path, 0, wanted, "an empty file")
	}
	return open(ctx, path, "rw")
}

// wanted is what a file should be.
const wanted = "expected a store that meshwright sweep has written"

func open(ctx context.Context, path, mode string) (*Store, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: absolute, RawQuery: "mode=" + mode + "&_pragma=busy_timeout(10000)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)"}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &Store{path: path, db: db}
	err = s.prepare(ctx)
	for range patience {
		if !busy(err) {
			break
		}
		time.Sleep(pause)
		err = s.prepare(ctx)
	}
	if err != nil {
		return nil, errors.Join(s.fault(err), db.Close())
	}
	return s, nil
}

// Two processes that both turn a new file's journal on lock each other out, and SQLite does not wait: whoever lost tries again.
const (
	patience = 200 // times
	pause    = 50 * time.Millisecond
)

func busy(err error) bool {
	var own *sqlite.Error
	return errors.As(err, &own) && own.Code()&0xff == codeBusy
}

// prepare judges the file, and makes the tables in a new one.
func (s *Store) prepare(ctx context.Context) error {
	version, application, objects, err := s.marks(ctx)
	if err != nil {
		return err
	}
	switch {
	case objects > 0 && application != kind:
		return input.At(s.path, 0, wanted, "a database of another program")
	case version > form:
		return input.At(s.path, 0, fmt.Sprintf("expected version %d or earlier, or a newer meshwright", form), "a store of version %d", version)
	case objects == 0:
		if err := s.create(ctx); err != nil {
			return err
		}
	}
	s.add, err = s.db.PrepareContext(ctx, "INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?)")
	return err
}

// marks reads what tells a store from other files, in one transaction: another process may be making the tables.
func (s *Store) marks(ctx context.Context) (version, application, objects int, err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, 0, 0, err
	}
	defer tx.Rollback()
	for _, mark := range []struct {
		query string
		value *int
	}{
		{"SELECT count(*) FROM sqlite_schema", &objects},
		{"PRAGMA user_version", &version},
		{"PRAGMA application_id", &application},
	} {
		if err := tx.QueryRowContext(ctx, mark.query).Scan(mark.value); err != nil {
			return 0, 0, 0, err
		}
	}
	return version, application, objects, nil
}

func (s *Store) create(ctx context.Context) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", strings.ReplaceAll(tables, "CREATE TABLE", "CREATE TABLE IF NOT EXISTS"), kind, form)); err != nil {
		return err
	}
	return tx.Commit()
}

// Close closes the file. The journal beside it goes.
func (s *Store) Close() error { return s.fault(s.db.Close()) }

// The codes of SQLite for a file that another process has locked, for one that is none of its own, for a full disk, and for other
// writes that fail.
const (
	codeBusy        = 5
	codeNotDatabase = 26
	codeFull        = 13
	codeWrite       = 778 // of a write that the system refuses, as under ulimit -f
)

// fault names the file in an error of SQLite.
func (s *Store) fault(err error) error {
	var own *sqlite.Error
	if !errors.As(err, &own) {
		return err
	}
	switch {
	case own.Code() == codeWrite:
		return input.At(s.path, 0, "what was swept before is in it", "the file cannot grow")
	case own.Code()&0xff == codeNotDatabase:
		return input.At(s.path, 0, wanted, "not a SQLite file")
	case own.Code()&0xff == codeFull:
		return input.At(s.path, 0, "what was swept before is in it", "the disk is full")
	}
	return input.At(s.path, 0, "", "%s", strings.TrimPrefix(own.Error(), "SQL logic error: "))
}

// Add keeps a result at once.
func (s *Store) Add(ctx context.Context, r *Row) error {
	settings, err := json.Marshal(r.Settings)
	if err != nil {
		return err
	}
	var figures, failure any
	if r.Error != "" {
		failure = r.Error
	} else if figures, err = json.Marshal(r.Figures); err != nil {
		return err
	} else {
		figures = string(figures.([]byte))
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	_, err = s.add.ExecContext(context.WithoutCancel(ctx), r.ID[:], string(settings), figures, failure)
	return s.fault(err)
}

// IDs returns the points that have a result; true if it is an error.
func (s *Store) IDs(ctx context.Context) (map[point.ID]bool, error) {
	ids := map[point.ID]bool{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var id []byte
		var failed bool
		err := rows.Scan(&id, &failed)
		if len(id) == len(point.ID{}) {
			ids[point.ID(id)] = failed
		}
		return err
	}, "SELECT id, error IS NOT NULL FROM point")
	return ids, err
}

// each calls see for every row of a query.
func (s *Store) each(ctx context.Context, see func(*sql.Rows) error, query string, args ...any) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return s.fault(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := see(rows); err != nil {
			return s.fault(err)
		}
	}
	return s.fault(rows.Err())
}

// Define keeps a study and the points that it has.
func (s *Store) Define(ctx context.Context, study *Study, members []point.ID) error {
	parameters, err := json.Marshal(study.Parameters)
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return s.fault(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO study VALUES (?, ?, ?, ?, ?)", study.Name, study.File, study.Text, string(parameters), study.Version); err != nil {
		return s.fault(err)
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM member WHERE study = ?", study.Name); err != nil {
		return s.fault(err)
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO member VALUES (?, ?, ?)")
	if err != nil {
		return s.fault(err)
	}
	defer insert.Close()
	for place, id := range members {
		if _, err := insert.ExecContext(ctx, study.Name, place, id[:]); err != nil {
			return s.fault(err)
		}
	}
	return s.fault(tx.Commit())
}

// Studies lists the studies by name.
func (s *Store) Studies(ctx context.Context) ([]Study, error) {
	var list []Study
	err := s.each(ctx, func(rows *sql.Rows) error {
		var one Study
		var parameters string
		if err := rows.Scan(&one.Name, &one.File, &one.Text, &parameters, &one.Version); err != nil {
			return err
		}
		list = append(list, one)
		return json.Unmarshal([]byte(parameters), &list[len(list)-1].Parameters)
	}, "SELECT name, file, text, parameters, version FROM study ORDER BY name")
	return list, err
}

// Rows returns the results of a study by place; points without a result are left out.
func (s *Store) Rows(ctx context.Context, study string) (map[int]Row, error) {
	list := map[int]Row{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var place int
		var id []byte
		var settings string
		var figures, failure sql.NullString
		if err := rows.Scan(&place, &id, &settings, &figures, &failure); err != nil {
			return err
		}
		r := Row{Error: failure.String}
		copy(r.ID[:], id)
		if err := json.Unmarshal([]byte(settings), &r.Settings); err != nil {
			return err
		}
		if figures.Valid {
			if err := json.Unmarshal([]byte(figures.String), &r.Figures); err != nil {
				return err
			}
		}
		list[place] = r
		return nil
	}, "SELECT place, point.id, settings, figures, error FROM member JOIN point ON point.id = member.id WHERE study = ? ORDER BY place", study)
	return list, err
}

// Merge takes the points of another store that this one does not have.
func (s *Store) Merge(ctx context.Context, path string) error {
	other, err := OpenForReading(ctx, path)
	if err != nil {
		return err
	}
	if err := other.Close(); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "ATTACH ? AS other", path); err != nil {
		return s.fault(err)
	}
	_, err = s.db.ExecContext(ctx, `INSERT OR REPLACE INTO point SELECT * FROM other.point AS new
		WHERE NOT EXISTS (SELECT 1 FROM main.point AS old WHERE old.id = new.id AND (old.error IS NULL OR new.error IS NOT NULL))`)
	_, detach := s.db.ExecContext(ctx, "DETACH other")
	return s.fault(errors.Join(err, detach))
}

// SPDX-License-Identifier: Apache-2.0

// Package store keeps the results of studies in a SQLite file. A point that is in the file stays there whatever happens to
// the process.
//
//	point(id, settings, figures, error)   a result, by the content of the point; of a job that no algorithm takes an error, and {} as figures
//	study(name, text, …)                  the file of the study as it was swept last
//	member(study, place, id)              the points of the study, in its order
//	machine(study, file, text)            the machine files of the study; stores of earlier programs do not have it
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
	"regexp"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite" // the driver, which is plain Go

	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/study/point"
)

// form is the version of the tables. In the first one figures were numbers alone.
const form = 2

// kind marks the file as a store of meshwright ("mwst").
const kind = 0x6d777374

const tables = `
CREATE TABLE point (id BLOB PRIMARY KEY, settings TEXT NOT NULL, figures TEXT, error TEXT) WITHOUT ROWID;
CREATE TABLE study (name TEXT PRIMARY KEY, file TEXT NOT NULL, text TEXT NOT NULL, parameters TEXT NOT NULL, version TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE member (study TEXT NOT NULL, place INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (study, place)) WITHOUT ROWID;`

// Store is an open file. Several goroutines may use it, and several processes the same file.
type Store struct {
	path string
	mode string // in which SQLite has opened it, in the form of its URIs
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
	Refused  bool   // of an Error: no algorithm takes the job, and nothing has gone wrong
}

// Study is a study as it was swept.
type Study struct {
	Name, File, Text string
	Parameters       map[string]string
	Version          string            // of the program
	Machines         map[string]string // texts of machine files, by their names
}

// Open opens a store, or makes one. Errors are *input.Error where the file is none of ours.
func Open(ctx context.Context, path string) (*Store, error) {
	s, err := connect(path, "mode=rwc", "&_pragma=journal_mode(wal)&_pragma=synchronous(normal)", func(s *Store) error { return s.prepare(ctx) })
	return s, fault(path, err)
}

// OpenForReading opens a store that is there. Nothing has to be writable, and no file stays behind.
func OpenForReading(ctx context.Context, path string) (*Store, error) {
	if err := readable(path); err != nil {
		return nil, err
	}
	s, err := openForReading(path, func(s *Store) error { return s.look(ctx) })
	if refused(err) && journaled(path) {
		return nil, input.At(path, 0, "expected a file and a folder that can be written, for once", "results are still in %s", path+journal)
	}
	return s, fault(path, err)
}

// openForReading lets SQLite make its files beside the store where it can also take them away again. An immutable store
// needs none, but lacks the results of a journal.
func openForReading(path string, look func(*Store) error) (*Store, error) {
	if writable(path) {
		if s, err := connect(path, "mode=rw", "&_pragma=query_only(1)", look); !refused(err) {
			return s, err
		}
	}
	if journaled(path) {
		return connect(path, "mode=ro", "", look)
	}
	return connect(path, "mode=ro&immutable=1", "", look)
}

// wanted is what a file should be.
const wanted = "expected a store that meshwright sweep has written"

// journal is the end of the name of a file beside the store. It has results that are not in the store yet, of a sweep
// that goes on or was killed.
const journal = "-wal"

func journaled(path string) bool {
	info, err := os.Stat(path + journal)
	return err == nil && info.Size() > 0
}

// readable judges a file before SQLite opens it.
func readable(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return input.Unreadable(path, err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return input.Unreadable(path, err)
	} else if info.Size() == 0 {
		return input.At(path, 0, wanted, "an empty file")
	}
	return nil
}

// writable reports whether a file could be written. SQLite leaves files beside one that cannot.
func writable(path string) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	file.Close()
	return true
}

// uri names a file for SQLite, and says how to open it.
func uri(path, query string) (string, error) {
	absolute, err := filepath.Abs(path)
	name := url.URL{Scheme: "file", Path: absolute, RawQuery: query}
	return name.String(), err
}

// connect opens a file, and waits while other processes lock it.
func connect(path, mode, pragmas string, begin func(*Store) error) (*Store, error) {
	name, err := uri(path, mode+"&_pragma=busy_timeout(10000)"+pragmas)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &Store{path: path, mode: mode, db: db}
	err = begin(s)
	for range patience {
		if !busy(err) {
			break
		}
		time.Sleep(pause)
		err = begin(s)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
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

// prepare judges the file, makes the tables in a new one, and marks an old one: earlier programs cannot read what will be in it.
func (s *Store) prepare(ctx context.Context) error {
	objects, version, err := s.judge(ctx)
	if err != nil {
		return err
	}
	if objects == 0 || version < form {
		if err := s.create(ctx); err != nil {
			return err
		}
	}
	s.add, err = s.db.PrepareContext(ctx, "INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?)")
	return err
}

// look judges a file that is only read.
func (s *Store) look(ctx context.Context) error {
	objects, _, err := s.judge(ctx)
	if err == nil && objects == 0 {
		err = input.At(s.path, 0, wanted, "a database without tables")
	}
	return err
}

// judge refuses files that are no stores, and returns how many objects a file has, 0 of a new one, and of which version it is.
func (s *Store) judge(ctx context.Context) (objects, version int, err error) {
	version, application, objects, err := s.marks(ctx)
	switch {
	case err != nil:
		return 0, 0, err
	case objects > 0 && application != kind:
		return 0, 0, input.At(s.path, 0, wanted, "a database of another program")
	case version > form:
		return 0, 0, input.At(s.path, 0, fmt.Sprintf("expected version %d or earlier, or a newer meshwright", form), "a store of version %d", version)
	}
	return objects, version, nil
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

// Codes of SQLite.
const (
	codeBusy        = 5   // another process has locked the file
	codeReadOnly    = 8   // the file or its folder cannot be written
	codeDamaged     = 11  // the file contradicts itself
	codeFull        = 13  // the disk is full
	codeCannotOpen  = 14  // the file, or one beside it, cannot be opened
	codeNotDatabase = 26  // the file is none of SQLite's
	codeWrite       = 778 // the system refuses a write, as under ulimit -f
)

// refused reports whether SQLite could not open, make or write a file.
func refused(err error) bool {
	var own *sqlite.Error
	return errors.As(err, &own) && (own.Code()&0xff == codeReadOnly || own.Code()&0xff == codeCannotOpen)
}

func (s *Store) fault(err error) error { return fault(s.path, err) }

// fault names the file in an error of SQLite.
func fault(path string, err error) error {
	var own *sqlite.Error
	if !errors.As(err, &own) {
		return err
	}
	const before = "what was swept before is in it"
	if own.Code() == codeWrite {
		return input.At(path, 0, before, "the file cannot grow")
	}
	switch own.Code() & 0xff {
	case codeNotDatabase:
		return input.At(path, 0, wanted, "not a SQLite file")
	case codeFull:
		return input.At(path, 0, before, "the disk is full")
	case codeDamaged:
		return input.At(path, 0, wanted, "the file is damaged")
	case codeBusy:
		return input.At(path, 0, "", "another process has locked the file")
	case codeReadOnly, codeCannotOpen:
		return input.At(path, 0, "expected a file and a folder that can be written", "the store cannot be written")
	}
	text := strings.TrimPrefix(own.Error(), "SQL logic error: ")
	return input.At(path, 0, "", "%s", code.ReplaceAllString(text, ""))
}

// code is the number behind the text of an error of SQLite.
var code = regexp.MustCompile(` \(\d+\)( \(SQLITE_BUSY\))?$`)

// noFigures are the figures of a refusal.
const noFigures = "{}"

// Add keeps a result at once.
func (s *Store) Add(ctx context.Context, r *Row) error {
	settings, err := json.Marshal(r.Settings)
	if err != nil {
		return err
	}
	var figures, failure any
	if r.Error != "" {
		if failure = r.Error; r.Refused {
			figures = noFigures
		}
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

// IDs returns the points that have a result; true if they have failed. A refusal is no failure.
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
	}, "SELECT id, error IS NOT NULL AND figures IS NULL FROM point")
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
	if err := defineMachines(ctx, tx, study); err != nil {
		return s.fault(err)
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO member VALUES (?, ?, ?)")
	if err != nil {
		return s.fault(err)
	}
	defer insert.Close()
	phase := progress.Begin(ctx, "keep the list of points", len(members))
	defer phase.End()
	for place, id := range members {
		if err := phase.Step(); err != nil {
			return err
		}
		if _, err := insert.ExecContext(ctx, study.Name, place, id[:]); err != nil {
			return s.fault(err)
		}
	}
	return s.fault(tx.Commit())
}

// defineMachines keeps the machine files of a study.
func defineMachines(ctx context.Context, tx *sql.Tx, study *Study) error {
	const table = "CREATE TABLE IF NOT EXISTS machine (study TEXT NOT NULL, file TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (study, file)) WITHOUT ROWID"
	if _, err := tx.ExecContext(ctx, table); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM machine WHERE study = ?", study.Name); err != nil {
		return err
	}
	for file, text := range study.Machines {
		if _, err := tx.ExecContext(ctx, "INSERT INTO machine VALUES (?, ?, ?)", study.Name, file, text); err != nil {
			return err
		}
	}
	return nil
}

// machines adds the machine files to a list of studies.
func (s *Store) machines(ctx context.Context, list []Study) error {
	there := false
	err := s.each(ctx, func(rows *sql.Rows) error { return rows.Scan(&there) }, "SELECT count(*) > 0 FROM sqlite_schema WHERE name = 'machine'")
	if err != nil || !there {
		return err
	}
	return s.each(ctx, func(rows *sql.Rows) error {
		var study, file, text string
		err := rows.Scan(&study, &file, &text)
		for i := range list {
			if one := &list[i]; one.Name == study {
				if one.Machines == nil {
					one.Machines = map[string]string{}
				}
				one.Machines[file] = text
			}
		}
		return err
	}, "SELECT study, file, text FROM machine")
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
	if err == nil {
		err = s.machines(ctx, list)
	}
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
		r := Row{Error: failure.String, Refused: failure.Valid && figures.Valid}
		copy(r.ID[:], id)
		if err := json.Unmarshal([]byte(settings), &r.Settings); err != nil {
			return err
		}
		if figures.Valid && !r.Refused {
			if err := json.Unmarshal([]byte(figures.String), &r.Figures); err != nil {
				return err
			}
		}
		list[place] = r
		return nil
	}, "SELECT place, point.id, settings, figures, error FROM member JOIN point ON point.id = member.id WHERE study = ? ORDER BY place", study)
	return list, err
}

// Merge takes the points of another store that this one does not have. The other one is only read, as OpenForReading does.
func (s *Store) Merge(ctx context.Context, path string) error {
	other, err := OpenForReading(ctx, path)
	if err != nil {
		return err
	}
	if err := other.Close(); err != nil {
		return err
	}
	name, err := uri(path, other.mode)
	if err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "ATTACH ? AS other", name); err != nil {
		return fault(path, err)
	}
	_, err = s.db.ExecContext(ctx, `INSERT OR REPLACE INTO point SELECT * FROM other.point AS new
		WHERE NOT EXISTS (SELECT 1 FROM main.point AS old WHERE old.id = new.id AND (old.error IS NULL OR new.error IS NOT NULL))`)
	_, detach := s.db.ExecContext(ctx, "DETACH other")
	return s.fault(errors.Join(err, detach))
}

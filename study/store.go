// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"meshwright/internal/atomicfile"
	"meshwright/internal/filelock"
	"meshwright/internal/input"
	"meshwright/internal/scratch"
)

// Store holds rows, and keeps them in a file when it has one.
type Store struct {
	path string
	lock *filelock.Lock // nil: no file, or one that cannot be replaced (a pipe, a device)
	rows map[Point]Row
}

// NewStore returns an empty store without a file.
func NewStore() *Store { return &Store{rows: map[Point]Row{}} }

// OpenStore reads the rows of a CSV file that an earlier study left; a file
// that is not there yet is an empty one. It keeps other processes from using
// the file until Close. Errors are *input.Error.
func OpenStore(path string) (*Store, error) {
	s := NewStore()
	s.path = path
	if err := s.acquire(); err != nil {
		return nil, err
	}
	if err := s.read(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// acquire locks the file by a lock file beside it: the file itself is replaced
// with every row.
func (s *Store) acquire() error {
	target, err := atomicfile.Target(s.path)
	if err != nil {
		return input.Unreadable(s.path, err)
	}
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	s.lock, err = filelock.Acquire(scratch.LockName(target))
	var held *filelock.Held
	switch {
	case errors.As(err, &held):
		return input.At(s.path, 0, "expected a file that no other sweep writes", "%v", held)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return nil // nobody else of this kind writes there
	case err != nil:
		return input.Unreadable(s.path, err)
	}
	return nil
}

// Close lets other processes use the file.
func (s *Store) Close() error {
	if s.lock == nil {
		return nil
	}
	lock := s.lock
	s.lock = nil
	return lock.Release()
}

// read reads the rows that are in the file.
func (s *Store) read() error {
	path := s.path
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	text, err := input.ReadFile(path)
	if err != nil || len(text) == 0 {
		return err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return input.Rows(path, text, strings.Join(names, ","), func(fields []string, _ int) error {
		var r Row
		for i, c := range columns {
			if err := c.set(&r, fields[i]); err != nil {
				return err
			}
		}
		s.rows[r.Point] = r
		return nil
	})
}

// Get returns the row of a point.
func (s *Store) Get(p Point) (Row, bool) {
	r, ok := s.rows[p]
	return r, ok
}

// Add enters a row. With a file, the file is replaced by one that has it, too.
func (s *Store) Add(r Row) error {
	s.rows[r.Point] = r
	if s.path == "" {
		return nil
	}
	return atomicfile.Write(s.path, s.write)
}

// Rows returns all rows, by collective, network, machine, tokens, algorithm,
// start, flits and source.
func (s *Store) Rows() []Row {
	return slices.SortedFunc(maps.Values(s.rows), func(a, b Row) int {
		return cmp.Or(
			cmp.Compare(a.Collective, b.Collective), cmp.Compare(a.Topology, b.Topology), cmp.Compare(a.Machine, b.Machine),
			compareBool(a.Sync, b.Sync), cmp.Compare(a.Algorithm, b.Algorithm), cmp.Compare(a.Start, b.Start),
			cmp.Compare(a.Flits, b.Flits), cmp.Compare(a.Source, b.Source))
	})
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func (s *Store) write(w io.Writer) error {
	out := csv.NewWriter(w)
	fields := make([]string, len(columns))
	for i, c := range columns {
		fields[i] = c.name
	}
	if err := out.Write(fields); err != nil {
		return err
	}
	for _, r := range s.Rows() {
		for i, c := range columns {
			fields[i] = c.get(&r)
		}
		if err := out.Write(fields); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

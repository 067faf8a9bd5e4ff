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

	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
)

// Store holds rows, and keeps them in a file when it has one.
type Store struct {
	path string
	rows map[Point]Row
}

// NewStore returns an empty store without a file.
func NewStore() *Store { return &Store{rows: map[Point]Row{}} }

// OpenStore reads the rows of a CSV file that an earlier study left; a file
// that is not there yet is an empty one. Errors are *input.Error.
func OpenStore(path string) (*Store, error) {
	s := NewStore()
	s.path = path
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	text, err := input.ReadFile(path)
	if err != nil || len(text) == 0 {
		return s, err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	err = input.Rows(path, text, strings.Join(names, ","), func(fields []string, _ int) error {
		var r Row
		for i, c := range columns {
			if err := c.set(&r, fields[i]); err != nil {
				return err
			}
		}
		s.rows[r.Point] = r
		return nil
	})
	return s, err
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

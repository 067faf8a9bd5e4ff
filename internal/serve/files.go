// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"unicode/utf8"
)

// content is what is in a file. In JSON it is a text, or an object with base64 if it is none.
type content []byte

// inBase64 is content that is no text.
type inBase64 struct {
	Bytes *[]byte `json:"base64"`
}

// MarshalJSON implements json.Marshaler.
func (c content) MarshalJSON() ([]byte, error) {
	if utf8.Valid(c) {
		return json.Marshal(string(c))
	}
	return json.Marshal(inBase64{(*[]byte)(&c)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte(`"`)) {
		var s string
		err := json.Unmarshal(text, &s)
		*c = content(s)
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var of inBase64
	if err := decoder.Decode(&of); err != nil || of.Bytes == nil || !bytes.Contains(text, []byte(`"base64"`)) {
		return errors.New("a file is neither a text nor an object with base64")
	}
	*c = *of.Bytes
	return nil
}

// allFiles stands for all names in a request's return.
const allFiles = "all"

// returned are the files that a request is to return. In JSON they are a list of names, or "all".
type returned struct {
	all   bool
	names []string
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *returned) UnmarshalJSON(text []byte) error {
	if string(text) == `"`+allFiles+`"` {
		r.all = true
		return nil
	}
	if err := json.Unmarshal(text, &r.names); err != nil {
		return errors.New(`return is neither a list of names nor "all"`)
	}
	return nil
}

// place puts the files of a request into a folder.
func (q *request) place(dir string) error {
	for _, name := range q.Return.names {
		if err := checkName("return", name); err != nil {
			return err
		}
	}
	for name := range q.Files {
		if err := checkName("file", name); err != nil {
			return err
		}
		for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
			if _, both := q.Files[folder]; both {
				return refuse(http.StatusBadRequest, "request", "file %q (expected no file with the name of its folder)", name)
			}
		}
	}
	for name, text := range q.Files {
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(target, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func checkName(what, name string) error {
	if fileName.MatchString(name) {
		return nil
	}
	return refuse(http.StatusBadRequest, "request", "%s %q (expected a name of letters, digits, _ . and -, in folders with such names or in none)", what, name)
}

// collect reads the files that are to be returned.
func (s *server) collect(dir string, q *request, a *answer) error {
	names := q.Return.names
	if q.Return.all {
		var err error
		if names, err = written(dir); err != nil {
			return err
		}
	}
	left := s.MaxReply
	for _, name := range names {
		file := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			return refuse(http.StatusBadRequest, "request", "return %q (expected a file that the run writes)", name)
		}
		given, isGiven := q.Files[name]
		if left < info.Size() && (!isGiven || int64(len(given)) != info.Size()) {
			return s.tooLong()
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if q.Return.all && isGiven && bytes.Equal(text, given) {
			continue // the run has only read it
		}
		if left -= int64(len(text)); left < 0 {
			return s.tooLong()
		}
		if a.Files == nil {
			a.Files = map[string]content{}
		}
		a.Files[name] = text
	}
	return nil
}

func (s *server) tooLong() error {
	return refuse(http.StatusRequestEntityTooLarge, "request", "the files have more bytes (expected at most %d)", s.MaxReply)
}

// written lists the files below a folder, but those of the program alone.
func written(dir string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == temporaryName && entry.IsDir():
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(dir, file)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	slices.Sort(names)
	return names, err
}

// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"meshwright/fabric"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/internal/snapshot"
)

// Capture is a monitor that writes a file.
type Capture interface {
	fabric.Component
	fabric.Sleeper
	// Finish completes the file beside its path. It reports every failure
	// since Open. Of several captures of a run, finish all before the first
	// Commit, so that they appear together or not at all.
	Finish() error
	// Commit puts the finished file at its path. After a failure there is none.
	Commit() error
	// Close is Finish and Commit. After a failure there is no file.
	Close() error
	// Abort removes what was written. It does nothing after Commit and Close.
	Abort() error
}

// sink is the part of a capture that writes one format: a monitor that can be ended.
type sink interface {
	fabric.Component
	fabric.Sleeper
	finish() error // write what is left
}

// formats by extension.
var formats = map[string]func(*observer, io.Writer) (sink, error){
	".csv":     newCSV,
	".html":    newHTML,
	".pcapng":  newPcapng,
	".pftrace": newPerfetto,
	".svg":     newPicture,
}

// Extensions lists the file extensions that Open knows.
func Extensions() []string {
	known := make([]string, 0, len(formats))
	for extension := range formats {
		known = append(known, extension)
	}
	slices.Sort(known)
	return known
}

// Open begins a capture of a network's run in the form that the extension of
// path says: .csv, .html, .pcapng, .pftrace or .svg. Attach it before the first cycle. A file that
// the extension or options rule out is an *input.Error.
func Open(path string, net *fabric.Network, opts Options) (Capture, error) {
	extension := strings.ToLower(filepath.Ext(path))
	newSink, known := formats[extension]
	if !known {
		return nil, &input.Error{
			File: path, What: "unknown kind of trace " + quoted(extension), Want: "expected a name ending in " + strings.Join(Extensions(), " "),
		}
	}
	opts, err := opts.resolve(net, byNumber(net))
	if err != nil {
		return nil, err
	}
	return begin(path, func(w io.Writer) (sink, error) { return newSink(newObserver(net, opts), w) })
}

// OpenTable begins a capture of a network's run as the CSV table of flits at
// nodes, whatever the extension of path.
func OpenTable(path string, net *fabric.Network, opts Options) (Capture, error) {
	t, err := NewTable(net, opts)
	if err != nil {
		return nil, err
	}
	return begin(path, func(w io.Writer) (sink, error) { return &tableFile{t, w, path}, nil })
}

// tableFile is a Table that is written at the end.
type tableFile struct {
	*Table
	w    io.Writer `snapshot:"-"`
	path string    `snapshot:"-"` // for errors
}

func (t *tableFile) finish() error { return input.Locate(t.Write(t.w), t.path, 0) }

// file joins a sink with the file it writes to.
type file struct {
	sink
	out *atomicfile.File
}

func begin(path string, newSink func(io.Writer) (sink, error)) (Capture, error) {
	out, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	s, err := newSink(out)
	if err != nil {
		return nil, errors.Join(err, out.Abort())
	}
	return &file{s, out}, nil
}

// streaming is a sink that writes in every cycle.
type streaming interface {
	flush() error // write what is buffered
}

// Snapshot keeps the sink, and what a streaming sink has written so far.
func (f *file) Snapshot(a *snapshot.Archive) error {
	if err := a.Keep(&f.sink); err != nil {
		return err
	}
	s, ok := f.sink.(streaming)
	if !ok {
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	if a.Reads() {
		written, _, err := a.Source()
		if err != nil {
			return err
		}
		return f.out.Replace(written)
	}
	written, size, err := f.out.Content()
	if err != nil {
		return err
	}
	defer written.Close()
	return a.Stream(written, size)
}

func (f *file) Finish() error {
	if err := f.finish(); err != nil {
		return err
	}
	return f.out.Finish()
}

func (f *file) Commit() error { return f.out.Commit() }

func (f *file) Close() error {
	if err := f.Finish(); err != nil {
		return errors.Join(err, f.Abort())
	}
	return f.Commit()
}

func (f *file) Abort() error { return f.out.Abort() }

func quoted(extension string) string {
	if extension == "" {
		return "without an extension"
	}
	return `"` + extension + `"`
}

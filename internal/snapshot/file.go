// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	gobytes "bytes"
	"encoding/binary"
	"errors"
	"hash"
	"hash/crc32"
	"io"

	"meshwright/internal/atomicfile"
	"meshwright/internal/confine"
	"meshwright/internal/escape"
	"meshwright/internal/input"
)

// A file is
//
//	magic | header | state | length of the file, 8 bytes | CRC-32C of all before, 4 bytes
//
// The numbers are little-endian, like the machines that write the state.

// magic begins a file; its number is the version of the form.
const magic = "meshwright checkpoint 1\n"

// tail is the bytes of length and checksum.
const tail = 12

// Header says which run a state belongs to.
type Header struct {
	Version string // of the program
	Start   Digest // of the run before its first step
	Facts   []Fact // what an error names when Start differs, the most telling first
}

// Fact is something that a user knows about a run.
type Fact struct{ Name, Value string }

// summed sums what is written.
type summed struct {
	to   io.Writer
	sum  hash.Hash32
	size uint64
}

// Write implements io.Writer.
func (s *summed) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	s.sum.Write(b[:n])
	s.size += uint64(n)
	return n, err
}

func newSum() hash.Hash32 { return crc32.New(crc32.MakeTable(crc32.Castagnoli)) }

// WriteFile writes the state of a value to a file, which appears whole or not at all.
func WriteFile(path string, h *Header, state any) error {
	return atomicfile.Write(path, func(w io.Writer) error { return write(w, h, state) })
}

func write(w io.Writer, h *Header, state any) error {
	to := &summed{to: w, sum: newSum()}
	if _, err := io.WriteString(to, magic); err != nil {
		return err
	}
	for _, part := range []any{h, state} {
		a := NewWriter(to)
		if err := a.Keep(part); err != nil {
			return err
		}
		if err := a.Flush(); err != nil {
			return err
		}
	}
	if _, err := to.Write(binary.LittleEndian.AppendUint64(nil, to.size+tail)); err != nil {
		return err
	}
	_, err := w.Write(binary.LittleEndian.AppendUint32(nil, to.sum.Sum32()))
	return err
}

// ReadFile reads a state from a file that WriteFile has written in a run with the same header. Errors
// are *input.Error; after one the value is of no use.
func ReadFile(path string, h *Header, state any) error {
	f, err := confine.Open(path)
	if err != nil {
		return input.Unreadable(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return input.Unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return input.At(path, 0, "expected a file that --checkpoint has written", "not a regular file")
	}
	return input.Locate(read(f, info.Size(), h, state), path, 0)
}

// read reads a file: once to sum it, and once for its content.
func read(f io.ReadSeeker, size int64, h *Header, state any) error {
	if err := whole(f, size); err != nil {
		return err
	}
	if _, err := f.Seek(int64(len(magic)), io.SeekStart); err != nil {
		return failed(err)
	}
	a := NewReader(f, size-int64(len(magic))-tail)
	var of Header
	if err := a.Keep(&of); err != nil {
		return failed(err)
	}
	if err := h.same(&of); err != nil {
		return err
	}
	next := &Archive{layouts: a.layouts, number: map[object]int{}, in: a.in, left: a.left}
	if err := next.Keep(state); err != nil {
		return failed(err)
	}
	if next.left != 0 {
		return failed(errForm)
	}
	return nil
}

// whole refuses a file that is not as it was written.
func whole(f io.Reader, size int64) error {
	first := make([]byte, len(magic))
	if _, err := io.ReadFull(f, first); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return failed(err)
	}
	if k := gobytes.IndexByte([]byte(magic), '1'); !gobytes.Equal(first[:k], []byte(magic[:k])) {
		return input.Errorf("expected a file that --checkpoint has written", "not a checkpoint")
	} else if string(first) != magic && size >= int64(len(magic)+tail) && first[len(first)-1] == '\n' {
		return input.Errorf("expected form 1", "a checkpoint of form %s", orNone(string(first[k:len(first)-1])))
	}
	damaged := input.Errorf("expected it as --checkpoint wrote it", "the checkpoint is cut short or damaged")
	if size < int64(len(magic)+tail) || string(first) != magic {
		return damaged
	}
	sum := newSum()
	sum.Write(first)
	if _, err := io.CopyN(sum, f, size-int64(len(magic))-tail); err != nil {
		return failed(err)
	}
	last := make([]byte, tail)
	if _, err := io.ReadFull(f, last); err != nil {
		return failed(err)
	}
	sum.Write(last[:8])
	if binary.LittleEndian.Uint64(last) != uint64(size) || binary.LittleEndian.Uint32(last[8:]) != sum.Sum32() {
		return damaged
	}
	return nil
}

// failed is what is wrong with a file that cannot be read to its end.
func failed(err error) error {
	var without *unsupported
	switch {
	case errors.As(err, &without):
		return without.fault()
	case errors.Is(err, errForm), errors.Is(err, errShort):
		return input.Errorf("expected one of this version and of the same job", "the checkpoint is of another form: %v", err)
	}
	return input.Errorf("expected a file that can be read", "%v", err)
}

// same refuses the state of another program or run.
func (h *Header) same(of *Header) error {
	if h.Version != of.Version {
		return input.Errorf("expected one of "+h.Version, "the checkpoint is of version %s", orNone(of.Version))
	}
	if h.Start == of.Start {
		return nil
	}
	values := map[string]string{}
	for _, fact := range of.Facts {
		values[fact.Name] = fact.Value
	}
	for _, fact := range h.Facts {
		if value := values[fact.Name]; value != fact.Value {
			return input.Errorf("expected "+orNone(fact.Value), "the checkpoint is of another job: %s %s", fact.Name, orNone(value))
		}
	}
	return input.Errorf("expected the job that wrote it", "the checkpoint is of another job: other programs, words or files")
}

// orNone is a value in an error.
func orNone(value string) string {
	if value == "" {
		return "none"
	}
	return escape.Line(input.Clip(value))
}

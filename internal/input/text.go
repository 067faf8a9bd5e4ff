// SPDX-License-Identifier: Apache-2.0

package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"meshwright/internal/confine"
)

// Bounds say how large a text may be. A slip, such as a device or a pipe that
// never ends, must be an error, not a machine without memory.
type Bounds struct {
	Bytes int64 // of the whole text
	Line  int   // bytes of a line
}

// The bounds of texts. A line of most formats is short; that of an XML file may be all
// of it, that of a route or a table as long as the network has nodes.
const (
	maxBytes = 256 << 20
	maxLine  = 1 << 20
)

// ordinary are the bounds of most files: 256 MiB, 1 MiB a line.
func ordinary() Bounds { return Bounds{maxBytes, maxLine} }

// LongLines are the bounds of files that may be a single line: 256 MiB.
func LongLines() Bounds { return Bounds{maxBytes, maxBytes} }

// mark is the byte-order mark that some editors put in front.
var mark = []byte("\xef\xbb\xbf")

// ReadFile reads a text file that the user named, or Stdin, within the ordinary bounds and
// without a byte-order mark. Its errors are *Error.
func ReadFile(path string) ([]byte, error) { return ReadFileWithin(path, ordinary()) }

// ReadFileWithin is [ReadFile] within other bounds.
func ReadFileWithin(path string, most Bounds) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadAll(path, f, most)
}

// Open opens a file that the user named, or Stdin. Its errors are *Error.
func Open(path string) (io.ReadCloser, error) {
	if path == Stdin {
		text, err := standardText()
		return io.NopCloser(bytes.NewReader(text)), err
	}
	f, err := confine.Open(path)
	if err != nil {
		return nil, Unreadable(path, err)
	}
	return f, nil
}

// ReadAll reads a text within bounds, without a byte-order mark; file stands
// for it in errors, which are *Error.
func ReadAll(file string, r io.Reader, most Bounds) ([]byte, error) {
	var text []byte
	err := Lines(file, r, most, func(line []byte, _ int) error {
		text = append(text, line...)
		return nil
	})
	return text, err
}

// Lines calls see for every line of a text within bounds, with its number,
// counted from 1, and its newline, if it has one; the line is valid only until see returns. A
// byte-order mark in front is left out. The errors, see's apart, are *Error.
func Lines(file string, r io.Reader, most Bounds, see func(line []byte, number int) error) error {
	reader := bufio.NewReaderSize(r, 1<<16)
	if head, _ := reader.Peek(len(mark)); bytes.Equal(head, mark) {
		_, _ = reader.Discard(len(mark))
	}
	var long []byte // the beginning of a line that is longer than the reader's buffer
	read := int64(0)
	for number := 1; ; {
		part, err := reader.ReadSlice('\n')
		read += int64(len(part))
		switch {
		case bytes.IndexByte(part, 0) >= 0:
			return At(file, number, "expected a text file", "not a text")
		case len(long)+len(bytes.TrimSuffix(part, []byte{'\n'})) > most.Line:
			return At(file, number, fmt.Sprintf("expected at most %d", most.Line), "a line of more bytes")
		case read > most.Bytes:
			return At(file, number, fmt.Sprintf("expected at most %d", most.Bytes), "a text of more bytes")
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
			continue
		case err != nil && err != io.EOF:
			return Unreadable(file, err)
		}
		line := part
		if len(long) > 0 {
			line = append(long, part...)
			long = line[:0]
		}
		if len(line) > 0 {
			if err := see(line, number); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		number++
	}
}

// SPDX-License-Identifier: Apache-2.0

package escape

import (
	"io"
	"unicode/utf8"
)

// Writer passes text on to another writer with everything escaped that Line
// would escape, except line ends and tabs. It keeps the first error of that
// writer and fails from then on. Flush it in the end.
type Writer struct {
	to   io.Writer
	rest []byte // a character that has only begun
	err  error
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// Write escapes and passes on the complete characters.
func (w *Writer) Write(p []byte) (int, error) {
	text := p
	if len(w.rest) > 0 {
		text = append(w.rest, p...)
		w.rest = nil
	}
	whole := complete(text)
	w.rest = append(w.rest, text[whole:]...)
	w.pass(text[:whole])
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// Flush passes on the rest, and returns the first error of all.
func (w *Writer) Flush() error {
	w.pass(w.rest)
	w.rest = nil
	return w.err
}

// complete returns how many bytes of a text are there before a character at
// its end whose last bytes are still to come.
func complete(text []byte) int {
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if utf8.FullRune(text[i:]) {
				break
			}
			return i
		}
	}
	return len(text)
}

// pass writes a text with its hidden characters escaped.
func (w *Writer) pass(text []byte) {
	if w.err != nil || len(text) == 0 {
		return
	}
	_, w.err = w.to.Write(visibleText(text))
}

// visibleText is text itself when all of it is visible.
func visibleText(text []byte) []byte {
	var out []byte // nil: nothing was escaped so far
	from := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c >= ' ' && c != 0x7f || c == '\n' || c == '\t' {
				i++
				continue
			}
		}
		r, size := utf8.DecodeRune(text[i:])
		if !visible(r, size) {
			out = append(append(out, text[from:i]...), quoted(string(text[i:i+size]))...)
			from = i + size
		}
		i += size
	}
	if out == nil {
		return text
	}
	return append(out, text[from:]...)
}

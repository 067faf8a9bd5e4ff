// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"bytes"
	"io"

	"meshwright/internal/input"
)

// maxSpan bounds the bytes from one tag to the next. The XML decoder keeps what is between them in memory, several
// times over, before it says what is wrong.
const maxSpan = 1 << 20

// spans hands a text on as long as its tags follow each other within maxSpan.
type spans struct {
	file string
	r    io.Reader
	line int // of the last tag, less 1
	here int // lines behind it
	span int // bytes behind it
}

func (s *spans) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	p = p[:n]
	if at := bytes.LastIndexByte(p, '<'); at >= 0 {
		s.line += s.here + bytes.Count(p[:at], []byte{'\n'})
		s.here, s.span = 0, 0
		p = p[at:]
	}
	s.here += bytes.Count(p, []byte{'\n'})
	if s.span += len(p); s.span > maxSpan {
		return 0, input.At(s.file, s.line+1, "expected elements such as <algo …>", "more than %d bytes without a tag", maxSpan)
	}
	return n, err
}

// SPDX-License-Identifier: Apache-2.0

// Package image reads and writes memory images: words in hexadecimal, as
// Verilog's $readmemh takes them and as asm writes them.
//
//	// a comment, or one of /* several lines */
//	00000003 0000002a   words from address 0 on
//	@10                 the next word goes to address 0x10
//	dead_beef           _ may stand between digits
package image

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// MaxWords bounds the addresses of an image.
const MaxWords = 1 << 28

// Image is the content that a file gives to a memory.
type Image struct {
	File     string
	Segments []Segment // in the order of the file
}

// Segment is a run of words at successive addresses.
type Segment struct {
	Address int
	Words   []uint32
	Lines   []int // of each word, from 1
}

// form describes the form of an image, for errors.
const form = "expected words of up to 8 hex digits, @address, or // comments"

// Read reads the image in a file. Its errors are *input.Error.
func Read(path string) (*Image, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads an image; file stands for it in errors, which are *input.Error.
func Parse(file string, text []byte) (*Image, error) {
	p := parser{file: file, image: &Image{File: file}}
	for line := range bytes.Lines(text) {
		p.line++
		if err := p.parseLine(string(line)); err != nil {
			return nil, err
		}
	}
	switch {
	case p.comment > 0:
		return nil, input.At(file, p.comment, "expected */", "the comment does not end")
	case len(p.image.Segments) == 0:
		return nil, input.At(file, 0, form, "no words")
	}
	return p.image, nil
}

// parser is the state between lines.
type parser struct {
	file    string
	image   *Image
	line    int
	next    int // address of the next word
	comment int // line in which a comment that has not ended began, 0: none
}

func (p *parser) parseLine(text string) error {
	text = p.withoutComments(text)
	for _, field := range strings.Fields(text) {
		if err := p.parseField(field); err != nil {
			return err
		}
	}
	return nil
}

// withoutComments replaces comments by blanks.
func (p *parser) withoutComments(text string) string {
	var kept strings.Builder
	for text != "" {
		if p.comment > 0 {
			_, rest, ended := strings.Cut(text, "*/")
			if !ended {
				break
			}
			p.comment, text = 0, rest
		}
		at := strings.Index(text, "/")
		switch {
		case at < 0:
			kept.WriteString(text)
			text = ""
		case strings.HasPrefix(text[at:], "//"):
			kept.WriteString(text[:at])
			text = ""
		case strings.HasPrefix(text[at:], "/*"):
			kept.WriteString(text[:at] + " ")
			p.comment, text = p.line, text[at+2:]
		default:
			kept.WriteString(text[:at+1])
			text = text[at+1:]
		}
	}
	return kept.String()
}

// parseField takes a word, or an address for the next one.
func (p *parser) parseField(field string) error {
	digits, isAddress := strings.CutPrefix(field, "@")
	value, err := strconv.ParseUint(strings.ReplaceAll(digits, "_", ""), 16, 32)
	switch {
	case err != nil:
		return input.At(p.file, p.line, form, "%q is not a word", input.Clip(field))
	case isAddress && value >= MaxWords:
		return input.At(p.file, p.line, "expected an address below @10000000", "address %q", field)
	case isAddress:
		p.next = int(value)
		return nil
	case p.next >= MaxWords:
		return input.At(p.file, p.line, "expected at most 2^28 words", "too many words")
	}
	p.add(uint32(value))
	return nil
}

func (p *parser) add(word uint32) {
	segments := p.image.Segments
	if n := len(segments); n == 0 || segments[n-1].end() != p.next {
		p.image.Segments = append(segments, Segment{Address: p.next})
	}
	s := &p.image.Segments[len(p.image.Segments)-1]
	s.Words, s.Lines = append(s.Words, word), append(s.Lines, p.line)
	p.next++
}

// end is the address behind the last word.
func (s *Segment) end() int { return s.Address + len(s.Words) }

// Size returns the words of the smallest memory that the image fits in.
func (i *Image) Size() int {
	size := 0
	for k := range i.Segments {
		size = max(size, i.Segments[k].end())
	}
	return size
}

// CopyTo puts the image into a memory of at least Size words.
func (i *Image) CopyTo(memory []uint32) {
	for _, s := range i.Segments {
		copy(memory[s.Address:], s.Words)
	}
}

// Write writes words as an image, one a line, from address 0 on.
func Write(w io.Writer, words []uint32) error {
	out := bufio.NewWriter(w) // keeps the first error
	for _, word := range words {
		fmt.Fprintf(out, "%08x\n", word)
	}
	return out.Flush()
}

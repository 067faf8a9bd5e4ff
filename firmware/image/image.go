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
	"slices"
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
	Words   []uint32         // the lowest 32 bits of each
	Upper   map[int][]uint32 // by place in Words: the bits above, where there are any, 32 an element, the lowest first
	Lines   []int            // of each word, from 1
}

// form describes the form of an image, for errors.
const form = "expected hexadecimal words, @address or // comments"

// Read reads the image in a file. Its errors are *input.Error, or an input.List of them.
func Read(path string) (*Image, error) {
	text, err := input.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// Parse reads an image; file stands for it in errors, which are *input.Error, or an input.List of them.
func Parse(file string, text []byte) (*Image, error) {
	p := parser{file: file, image: &Image{File: file}}
	for line := range bytes.Lines(text) {
		p.line++
		p.parseLine(string(line))
	}
	switch {
	case len(p.wrong) > 0:
		return nil, p.wrong
	case p.comment > 0:
		return nil, input.At(file, p.comment, "expected */", "the comment does not end")
	case len(p.image.Segments) == 0:
		return nil, input.At(file, 0, form, "no words")
	}
	if err := p.image.once(); err != nil {
		return nil, err
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
	wrong   input.List
}

// parseLine reads the fields of a line, up to the first that is wrong.
func (p *parser) parseLine(text string) {
	text = p.withoutComments(text)
	for _, field := range strings.Fields(text) {
		if err := p.parseField(field); err != nil {
			p.wrong = append(p.wrong, err)
			return
		}
	}
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
	digits = strings.ReplaceAll(digits, "_", "")
	var upper []uint32
	if !isAddress {
		if len(digits) > mostDigits {
			return input.At(p.file, p.line, fmt.Sprintf("expected at most %d", mostDigits), "a word of %d digits", len(digits))
		}
		digits, upper = splitWord(digits)
	}
	value, err := strconv.ParseUint(digits, 16, 32)
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
	p.add(uint32(value), upper)
	return nil
}

// mostDigits bounds the hexadecimal digits of a word, and elementDigits are those of an element.
const mostDigits, elementDigits = 128, 8

// splitWord cuts the bits above 32 off a word of hexadecimal digits. It returns all digits if some of them
// are none.
func splitWord(digits string) (low string, upper []uint32) {
	low = digits
	for rest, last := digits, true; rest != ""; last = false {
		at := max(0, len(rest)-elementDigits)
		element, err := strconv.ParseUint(rest[at:], 16, 32)
		if err != nil {
			return digits, nil
		}
		if last {
			low = rest[at:]
		} else {
			upper = append(upper, uint32(element))
		}
		rest = rest[:at]
	}
	for len(upper) > 0 && upper[len(upper)-1] == 0 {
		upper = upper[:len(upper)-1]
	}
	if len(upper) == 0 {
		return low, nil
	}
	return low, upper
}

func (p *parser) add(word uint32, upper []uint32) {
	segments := p.image.Segments
	if n := len(segments); n == 0 || segments[n-1].end() != p.next {
		p.image.Segments = append(segments, Segment{Address: p.next})
	}
	s := &p.image.Segments[len(p.image.Segments)-1]
	if upper != nil {
		if s.Upper == nil {
			s.Upper = map[int][]uint32{}
		}
		s.Upper[len(s.Words)] = upper
	}
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

// LastLine returns the line of the word with the highest address; 0 of an image without words.
func (i *Image) LastLine() int {
	line, size := 0, 0
	for k := range i.Segments {
		if s := &i.Segments[k]; s.end() > size {
			line, size = s.Line(len(s.Words)-1), s.end()
		}
	}
	return line
}

// once refuses an image that sets an address twice.
func (i *Image) once() error {
	order := make([]*Segment, len(i.Segments))
	for k := range order {
		order[k] = &i.Segments[k]
	}
	slices.SortStableFunc(order, func(a, b *Segment) int { return a.Address - b.Address })
	highest := &Segment{} // of those before
	for _, s := range order {
		if s.Address < highest.end() {
			first, again := highest.Lines[s.Address-highest.Address], s.Lines[0]
			return input.At(i.File, max(first, again), fmt.Sprintf("expected each address once; the other word is on line %d", min(first, again)), "address @%x is set twice", s.Address)
		}
		highest = s
	}
	return nil
}

// Fits refuses an image with words that have more elements of 32 bits than a machine's. The error is an *input.Error.
func (i *Image) Fits(elements int) error {
	for _, s := range i.Segments {
		if len(s.Upper) == 0 {
			continue
		}
		for k := range s.Words {
			if upper := s.Upper[k]; len(upper) >= elements {
				return input.At(i.File, s.Line(k), fmt.Sprintf("expected words of up to %d hex digits", elementDigits*elements), "a word of more than %d bits", 32*elements)
			}
		}
	}
	return nil
}

// Line returns the line of a word of a segment in the image's file; 0 of a word that is in no file.
func (s *Segment) Line(word int) int {
	if word < 0 || word >= len(s.Lines) {
		return 0
	}
	return s.Lines[word]
}

// Element returns an element of a word of a segment; 0 if there is no such word or element.
func (s *Segment) Element(word, element int) uint32 {
	if word < 0 || word >= len(s.Words) || element < 0 {
		return 0
	}
	if element == 0 {
		return s.Words[word]
	}
	if upper := s.Upper[word]; element <= len(upper) {
		return upper[element-1]
	}
	return 0
}

// CopyTo puts an image that Fits into a memory of at least Size words of so many elements, the lowest first.
func (i *Image) CopyTo(memory []uint32, elements int) {
	for _, s := range i.Segments {
		for k, word := range s.Words {
			at := memory[(s.Address+k)*elements:][:elements]
			clear(at[1+copy(at[1:], s.Upper[k]):])
			at[0] = word
		}
	}
}

// Write writes words of so many elements, at least 1, as an image, one a line, from address 0 on.
func Write(w io.Writer, words []uint32, elements int) error {
	out := bufio.NewWriter(w) // keeps the first error
	for ; elements > 0 && len(words) >= elements; words = words[elements:] {
		fmt.Fprintln(out, Hex(words[:elements]))
	}
	return out.Flush()
}

// Hex returns a word in hexadecimal, eight digits for each element.
func Hex(word []uint32) string {
	var text []byte
	for _, element := range slices.Backward(word) {
		text = fmt.Appendf(text, "%08x", element)
	}
	return string(text)
}

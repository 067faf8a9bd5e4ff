// SPDX-License-Identifier: Apache-2.0

package parquet

import "encoding/binary"

// The types of Thrift's compact protocol, in which Parquet writes its metadata.
const (
	wireInt    = 5
	wireLong   = 6
	wireBytes  = 8
	wireList   = 9
	wireStruct = 12
)

// structure writes the fields of a Thrift structure by rising number.
type structure struct {
	b    []byte
	last int
}

// field writes the type of a field, and by how much its number is above the last one, at most 15.
func (s *structure) field(number, wire int) {
	s.b = append(s.b, byte((number-s.last)<<4|wire))
	s.last = number
}

func (s *structure) number(field int, x int64) {
	s.field(field, wireInt)
	s.b = append(s.b, zigzag(x)...)
}

func (s *structure) long(field int, x int64) {
	s.field(field, wireLong)
	s.b = append(s.b, zigzag(x)...)
}

func (s *structure) text(field int, text string) {
	s.field(field, wireBytes)
	s.b = append(s.b, counted(text)...)
}

func (s *structure) inner(field int, fill func(*structure)) {
	s.field(field, wireStruct)
	var in structure
	fill(&in)
	s.b = append(s.b, in.end()...)
}

// longList is how many entries a list has whose length does not share a byte with its type.
const longList = 15

func (s *structure) list(field, wire, count int, entry func(int) []byte) {
	s.field(field, wireList)
	if count < longList {
		s.b = append(s.b, byte(count<<4|wire))
	} else {
		s.b = binary.AppendUvarint(append(s.b, byte(longList<<4|wire)), uint64(count))
	}
	for i := range count {
		s.b = append(s.b, entry(i)...)
	}
}

// end returns the structure with the byte that ends it.
func (s *structure) end() []byte { return append(s.b, 0) }

// zigzag writes a number so that small ones are short, negative ones too.
func zigzag(x int64) []byte { return binary.AppendVarint(nil, x) }

// counted writes a text behind its length.
func counted(text string) []byte {
	return append(binary.AppendUvarint(nil, uint64(len(text))), text...)
}

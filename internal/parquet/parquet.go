// SPDX-License-Identifier: Apache-2.0

// Package parquet writes tables as Apache Parquet files: columns of numbers and texts, without compression, in one row
// group with one page for each column. The libraries for Go also read, compress and nest, which makes every start of the
// program open its own file, and costs 11 s of compilation and 13 MB; this is what a table of results needs.
//
//	"PAR1" | page header, page | … | metadata | length of the metadata | "PAR1"
package parquet

import (
	"encoding/binary"
	"io"
	"math"
)

// Column is a column of a table: Numbers or Texts, one value for each row.
type Column struct {
	Name    string
	Numbers []float64
	Texts   []string // used if there are no Numbers
	Missing []bool   // rows without a value; nil: every row has one
}

// magic stands at both ends of a file.
const magic = "PAR1"

// The numbers that the format gives to types, encodings and roles, see parquet.thrift.
const (
	typeDouble, typeBytes      = 5, 6
	requiredRole, optionalRole = 0, 1
	convertedUTF8              = 0
	encodingPlain, encodingRLE = 0, 3
	pageData                   = 0
	codecNone                  = 0
)

// chunk is where the values of a column are.
type chunk struct{ offset, size int }

// Write writes a table. All columns have so many rows.
func Write(w io.Writer, columns []Column, rows int) error {
	file := []byte(magic)
	chunks := make([]chunk, len(columns))
	for i := range columns {
		page := columns[i].page(rows)
		chunks[i].offset = len(file)
		file = append(file, pageHeader(rows, len(page))...)
		file = append(file, page...)
		chunks[i].size = len(file) - chunks[i].offset
	}
	footer := metadata(columns, chunks, rows)
	file = append(file, footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	_, err := w.Write(append(file, magic...))
	return err
}

// kind is the type of the values.
func (c *Column) kind() int64 {
	if c.Numbers != nil {
		return typeDouble
	}
	return typeBytes
}

// page has which rows have a value, where some have none, and then the values.
func (c *Column) page(rows int) []byte {
	var page []byte
	if c.Missing != nil {
		levels := levels(c.Missing)
		page = binary.LittleEndian.AppendUint32(page, uint32(len(levels)))
		page = append(page, levels...)
	}
	for i := range rows {
		switch {
		case c.Missing != nil && c.Missing[i]:
		case c.Numbers != nil:
			page = binary.LittleEndian.AppendUint64(page, math.Float64bits(c.Numbers[i]))
		default:
			page = binary.LittleEndian.AppendUint32(page, uint32(len(c.Texts[i])))
			page = append(page, c.Texts[i]...)
		}
	}
	return page
}

// levels writes runs: the length twice, and 1 for rows that have a value.
func levels(missing []bool) []byte {
	var b []byte
	for from := 0; from < len(missing); {
		to := from
		for to < len(missing) && missing[to] == missing[from] {
			to++
		}
		b = binary.AppendUvarint(b, uint64(to-from)<<1)
		if missing[from] {
			b = append(b, 0)
		} else {
			b = append(b, 1)
		}
		from = to
	}
	return b
}

func pageHeader(rows, size int) []byte {
	var s structure
	s.number(1, pageData)
	s.number(2, int64(size)) // before compression
	s.number(3, int64(size)) // after it
	s.inner(5, func(data *structure) {
		data.number(1, int64(rows))
		data.number(2, encodingPlain)
		data.number(3, encodingRLE) // of the levels
		data.number(4, encodingRLE)
	})
	return s.end()
}

func metadata(columns []Column, chunks []chunk, rows int) []byte {
	var s structure
	s.number(1, 1) // version
	s.list(2, wireStruct, len(columns)+1, func(i int) []byte {
		if i == 0 {
			return root(len(columns))
		}
		return columns[i-1].schema()
	})
	s.long(3, int64(rows))
	s.list(4, wireStruct, 1, func(int) []byte { return rowGroup(columns, chunks, rows) })
	s.text(6, "meshwright")
	return s.end()
}

func root(columns int) []byte {
	var s structure
	s.text(4, "schema")
	s.number(5, int64(columns))
	return s.end()
}

func (c *Column) schema() []byte {
	var s structure
	s.number(1, c.kind())
	if c.Missing != nil {
		s.number(3, optionalRole)
	} else {
		s.number(3, requiredRole)
	}
	s.text(4, c.Name)
	if c.Numbers == nil {
		s.number(6, convertedUTF8)
	}
	return s.end()
}

func rowGroup(columns []Column, chunks []chunk, rows int) []byte {
	total := 0
	for _, c := range chunks {
		total += c.size
	}
	var s structure
	s.list(1, wireStruct, len(columns), func(i int) []byte { return columns[i].chunk(chunks[i], rows) })
	s.long(2, int64(total))
	s.long(3, int64(rows))
	return s.end()
}

func (c *Column) chunk(at chunk, rows int) []byte {
	var s structure
	s.long(2, int64(at.offset))
	s.inner(3, func(meta *structure) {
		meta.number(1, c.kind())
		encodings := []int64{encodingPlain, encodingRLE}
		meta.list(2, wireInt, len(encodings), func(i int) []byte { return zigzag(encodings[i]) })
		meta.list(3, wireBytes, 1, func(int) []byte { return counted(c.Name) })
		meta.number(4, codecNone)
		meta.long(5, int64(rows))
		meta.long(6, int64(at.size))
		meta.long(7, int64(at.size))
		meta.long(9, int64(at.offset))
	})
	return s.end()
}

// SPDX-License-Identifier: Apache-2.0

package parquet_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/parquet"
)

// compact reads Thrift's compact protocol: structures as maps of their fields by number.
type compact struct {
	t testing.TB
	b []byte
}

func (c *compact) take(n int) []byte {
	require.LessOrEqual(c.t, n, len(c.b))
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *compact) unsigned() int {
	x, n := binary.Uvarint(c.b)
	require.Positive(c.t, n)
	c.take(n)
	return int(x)
}

func (c *compact) signed() int {
	x := c.unsigned()
	return x>>1 ^ -(x & 1)
}

func (c *compact) value(kind byte) any {
	switch kind {
	case 5, 6:
		return c.signed()
	case 8:
		return string(c.take(c.unsigned()))
	case 9:
		head := c.take(1)[0]
		count := int(head >> 4)
		if count == 15 {
			count = c.unsigned()
		}
		list := []any{}
		for range count {
			list = append(list, c.value(head&15))
		}
		return list
	case 12:
		fields, number := map[int]any{}, 0
		for {
			head := c.take(1)[0]
			if head == 0 {
				return fields
			}
			number += int(head >> 4)
			fields[number] = c.value(head & 15)
		}
	}
	require.Fail(c.t, "unknown type", "%d", kind)
	return nil
}

// read reads a file by the format's description, and returns its columns by name; nil for a row without a value.
func read(t testing.TB, file []byte) map[string][]any {
	require.Equal(t, "PAR1", string(file[:4]))
	require.Equal(t, "PAR1", string(file[len(file)-4:]))
	end := len(file) - 8
	length := int(binary.LittleEndian.Uint32(file[end:]))
	meta := (&compact{t, file[end-length : end]}).value(12).(map[int]any)
	groups := meta[4].([]any)
	require.Len(t, groups, 1)
	schema := meta[2].([]any)
	require.Equal(t, len(schema)-1, schema[0].(map[int]any)[5])
	out := map[string][]any{}
	for i, chunk := range groups[0].(map[int]any)[1].([]any) {
		data := chunk.(map[int]any)[3].(map[int]any)
		element := schema[i+1].(map[int]any)
		require.Equal(t, []any{element[4]}, data[3], "the path is the column's name")
		require.Equal(t, meta[3], data[5])
		from := data[9].(int)
		out[element[4].(string)] = column(t, file[from:from+data[7].(int)], element)
	}
	return out
}

// column reads the page of a column.
func column(t testing.TB, chunk []byte, element map[int]any) []any {
	c := &compact{t, chunk}
	header := c.value(12).(map[int]any)
	require.Len(t, c.b, header[3].(int))
	rows := header[5].(map[int]any)[1].(int)
	there := make([]bool, 0, rows)
	if element[3] == 1 {
		end := len(c.b) - 4 - int(binary.LittleEndian.Uint32(c.take(4)))
		for len(c.b) > end {
			run := c.unsigned()
			require.Zero(t, run&1, "a run, not packed bits")
			level := c.take(1)[0]
			for range run >> 1 {
				there = append(there, level == 1)
			}
		}
	} else {
		for range rows {
			there = append(there, true)
		}
	}
	require.Len(t, there, rows)
	var values []any
	for _, ok := range there {
		switch {
		case !ok:
			values = append(values, nil)
		case element[1] == 5:
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(c.take(8))))
		default:
			values = append(values, string(c.take(int(binary.LittleEndian.Uint32(c.take(4))))))
		}
	}
	require.Empty(t, c.b)
	return values
}

func TestFilesReadBack(t *testing.T) {
	for _, rows := range []int{0, 1, 3, 1000} {
		names, numbers, gaps := make([]string, rows), make([]float64, rows), make([]bool, rows)
		var wantNames, wantNumbers, wantGaps []any
		for i := range rows {
			names[i], numbers[i], gaps[i] = fmt.Sprint("née ", i), float64(i)/3-7, i%7 < 3
			wantNames, wantNumbers, wantGaps = append(wantNames, names[i]), append(wantNumbers, numbers[i]), append(wantGaps, any(numbers[i]))
			if gaps[i] {
				wantGaps[i] = nil
			}
		}
		columns := []parquet.Column{{Name: "name", Texts: names}, {Name: "x", Numbers: numbers}, {Name: "y half", Numbers: numbers, Missing: gaps}}
		for i := range 20 {
			columns = append(columns, parquet.Column{Name: fmt.Sprint("more ", i), Texts: names, Missing: make([]bool, rows)})
		}
		var file bytes.Buffer
		require.NoError(t, parquet.Write(&file, columns, rows))
		back := read(t, file.Bytes())
		require.Len(t, back, len(columns))
		require.Equal(t, wantNames, back["name"])
		require.Equal(t, wantNumbers, back["x"])
		require.Equal(t, wantGaps, back["y half"])
		require.Equal(t, wantNames, back["more 19"])
	}
}

// SPDX-License-Identifier: Apache-2.0

package tables_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
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
	case 1, 2:
		return kind == 1
	case 4, 5, 6:
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

// read reads a file by the format's description, and returns the names of its columns and the columns by name; nil for a
// row without a value.
func read(t testing.TB, file []byte) ([]string, map[string][]any) {
	var names []string
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
		names = append(names, element[4].(string))
		out[element[4].(string)] = column(t, file[from:from+data[7].(int)], element)
	}
	return names, out
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
			if run&1 == 0 { // so many rows alike
				level := c.take(1)[0]
				for range run >> 1 {
					there = append(there, level == 1)
				}
				continue
			}
			for _, bits := range c.take(run >> 1) { // eight rows a byte
				for i := range 8 {
					there = append(there, bits>>i&1 == 1)
				}
			}
		}
		there = there[:rows]
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

// The second reader finds the columns of the CSV, in its order, whatever rows have no value.
func TestParquetFilesReadBack(t *testing.T) {
	out := table(t, 300, func(length, repeat int) float64 {
		if length%7 == 2 {
			return math.NaN()
		}
		return float64(length*3 + repeat)
	})
	var file bytes.Buffer
	require.NoError(t, out.Write(&file, ".parquet"))
	names, columns := read(t, file.Bytes())
	require.Equal(t, []string{"length", "cycles", "cycles half", "double", "double half", "error"}, names)
	for i := range out.Rows {
		row := &out.Rows[i]
		require.Equal(t, float64(i+1), columns["length"][i])
		if (i+1)%7 == 2 {
			require.Nil(t, columns["cycles"][i])
			require.Equal(t, "went | wrong", columns["error"][i])
			continue
		}
		require.Equal(t, row.Values[0].Mean, columns["cycles"][i])
		require.Equal(t, row.Values[1].Half, columns["double half"][i])
		require.Nil(t, columns["error"][i])
	}
}

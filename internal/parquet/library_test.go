// SPDX-License-Identifier: Apache-2.0

//go:build soak

package parquet_test

import (
	"bytes"
	"fmt"
	"testing"

	library "github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"meshwright/internal/parquet"
)

// A library that does not share this package's code reads the same rows.
func TestALibraryReadsTheFiles(t *testing.T) {
	type row struct {
		Name string   `parquet:"name"`
		X    float64  `parquet:"x"`
		Y    *float64 `parquet:"y half,optional"`
	}
	const rows = 1000
	names, numbers, gaps := make([]string, rows), make([]float64, rows), make([]bool, rows)
	for i := range rows {
		names[i], numbers[i], gaps[i] = fmt.Sprint("née ", i), float64(i)/3-7, i%7 < 3
	}
	var file bytes.Buffer
	require.NoError(t, parquet.Write(&file, []parquet.Column{{Name: "name", Texts: names}, {Name: "x", Numbers: numbers}, {Name: "y half", Numbers: numbers, Missing: gaps}}, rows))
	read, err := library.Read[row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Len(t, read, rows)
	for i, r := range read {
		require.Equal(t, names[i], r.Name)
		require.Equal(t, numbers[i], r.X)
		if gaps[i] {
			require.Nil(t, r.Y)
		} else {
			require.Equal(t, numbers[i], *r.Y)
		}
	}
}

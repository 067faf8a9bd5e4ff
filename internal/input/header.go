// SPDX-License-Identifier: Apache-2.0

package input

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Header reads the first row of a table whose columns have names. The row is a
// header when one of its fields is a column's name, or when it has several and
// all begin with letters, as no row of numbers does; otherwise ok is false and the columns stand in their own
// order. Columns of a header may stand in any order: place says for every column
// where it is, -1 for one of the last optional columns that is not there. Two columns
// of one name stand in the order of their fields. Unknown and repeated names are
// errors, with the nearest known name.
func Header(fields, columns []string, optional int) (place []int, ok bool, fault *Error) {
	if !isHeader(fields, columns) {
		return nil, false, nil
	}
	place = slices.Repeat([]int{-1}, len(columns))
	want := wantHeader(columns, optional)
	for i, field := range fields {
		column := free(columns, place, field)
		switch {
		case column >= 0:
			place[column] = i
		case slices.Contains(columns, field):
			return nil, true, Errorf(want, "column %q twice", field)
		default:
			if names := slices.Compact(slices.Clone(columns)); len(names) > 1 {
				want = Suggest(field, names)
			}
			return nil, true, Errorf(want, "unknown column %q", Clip(strings.ToValidUTF8(field, "?")))
		}
	}
	if missing := slices.Index(place[:len(columns)-optional], -1); missing >= 0 {
		return nil, true, Errorf(want, "no column %q", columns[missing])
	}
	return place, true, nil
}

// wantHeader is what is expected of a header: node,parent[,weight], in any order.
func wantHeader(columns []string, optional int) string {
	form := strings.Join(columns[:len(columns)-optional], ",")
	for _, column := range columns[len(columns)-optional:] {
		form += "[," + column + "]"
	}
	if len(slices.Compact(slices.Clone(columns))) == 1 {
		return "expected the header " + form + ", or none"
	}
	return "expected " + form + ", in any order"
}

// free returns the first column of a name that has no place yet, or -1.
func free(columns []string, place []int, name string) int {
	for i, column := range columns {
		if column == name && place[i] < 0 {
			return i
		}
	}
	return -1
}

// isHeader reports whether a row names columns.
func isHeader(fields, columns []string) bool {
	if len(fields) > 4*len(columns) {
		return false // a row of another kind of file, whatever it says
	}
	words := true
	for _, field := range fields {
		if slices.Contains(columns, field) {
			return true
		}
		first, _ := utf8.DecodeRuneInString(field)
		words = words && unicode.IsLetter(first)
	}
	return words && len(fields) > 1
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"meshwright/internal/escape"
)

// screenWidth is where lists wrap the cells of their tables, in characters.
const screenWidth = 80

// printFitted prints a table as printRows does, with cells in several lines where the table would be wider than the screen.
// With longer words the table is as wide as the help, or wider.
func printFitted(w io.Writer, title string, header []string, rows [][]string) error {
	cells := lines(rows)
	widths := fit(append([][]string{header}, cells...), screenWidth)
	for _, row := range cells {
		for i, cell := range row {
			row[i] = strings.Join(wrap(cell, widths[i]), "\n")
		}
	}
	return printCells(w, escape.Line(title), header, cells)
}

// fit chooses the widths of the columns of a table. It narrows one column after the other by one character, the column that
// adds the fewest lines, and of several the widest.
func fit(rows [][]string, width int) []int {
	columns := len(rows[len(rows)-1])
	widths, least := make([]int, columns), make([]int, columns)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			for _, word := range strings.Fields(cell) {
				least[i] = max(least[i], utf8.RuneCountInString(word))
			}
		}
	}
	frame := 3*columns + 1
	if total(least)+frame > width {
		width = helpWidth
	}
	for total(widths)+frame > width {
		best, fewest := -1, 0
		for i := range widths {
			if widths[i] == least[i] {
				continue
			}
			narrower := slices.Clone(widths)
			narrower[i]--
			if n := height(rows, narrower); best < 0 || n < fewest || n == fewest && widths[i] > widths[best] {
				best, fewest = i, n
			}
		}
		if best < 0 {
			break
		}
		widths[best]--
	}
	return widths
}

func total(widths []int) int {
	sum := 0
	for _, width := range widths {
		sum += width
	}
	return sum
}

// height is the number of lines of a table.
func height(rows [][]string, widths []int) int {
	sum := 0
	for _, row := range rows {
		most := 1
		for i, cell := range row {
			most = max(most, len(wrap(cell, widths[i])))
		}
		sum += most
	}
	return sum
}

// wrap breaks a text between words into lines of at most width characters; a longer word has a line of its own.
func wrap(text string, width int) []string {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
	var list []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			list, line = append(list, line), word
		}
	}
	return append(list, line)
}

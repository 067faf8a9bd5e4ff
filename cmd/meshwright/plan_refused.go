// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"slices"
	"strings"
)

// refusedGroup are the algorithms that do not take a job for the same reason, at the same lengths.
type refusedGroup struct {
	algorithms   []string
	lengths, why string // lengths: "" where there is only one
	full         string // why, with the name of the first algorithm in front
}

// refusedGroups are the algorithms that do not take a job.
type refusedGroups []*refusedGroup

// add puts an algorithm into the group of its reason. Reasons are the same if they differ in the name of the algorithm alone, with which they begin.
func (g *refusedGroups) add(algorithm, lengths, refusal string) {
	why := refusal
	if _, behind, named := strings.Cut(refusal, " "+algorithm+" "); named && !strings.HasPrefix(behind, "for ") { // which is no sentence without the name
		why = behind
	}
	at := slices.IndexFunc(*g, func(x *refusedGroup) bool { return x.lengths == lengths && x.why == why })
	if at >= 0 {
		(*g)[at].algorithms = append((*g)[at].algorithms, algorithm)
		return
	}
	*g = append(*g, &refusedGroup{[]string{algorithm}, lengths, why, refusal})
}

// widestNames bounds the names of algorithms in a line of a table.
const widestNames = 40

// print prints the groups, with or without lengths; nothing where no algorithm refuses.
func (g refusedGroups) print(w io.Writer, header []string) error {
	if len(g) == 0 {
		return nil
	}
	var rows [][]string
	for _, x := range g {
		why := x.why
		if len(x.algorithms) == 1 {
			why = x.full
		}
		for i, names := range inLines(x.algorithms, widestNames) {
			row := []string{names, x.lengths, why}
			if i > 0 {
				row = []string{names, "", ""}
			}
			if len(header) == 2 {
				row = slices.Delete(row, 1, 2)
			}
			rows = append(rows, row)
		}
	}
	return printRows(w, "Algorithms that do not take this job", header, rows)
}

// inLines lists names between commas, in lines of some width.
func inLines(names []string, width int) []string {
	lines := []string{names[0]}
	for _, name := range names[1:] {
		last := &lines[len(lines)-1]
		*last += ","
		if len(*last)+1+len(name) > width {
			lines = append(lines, name)
		} else {
			*last += " " + name
		}
	}
	return lines
}

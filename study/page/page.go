// SPDX-License-Identifier: Apache-2.0

// Package page writes the results of a study as one HTML page, which needs no other file and no network.
package page

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"meshwright/internal/escape"
	"meshwright/study/chart"
	"meshwright/study/tables"
)

//go:embed page.js
var script string

//go:embed page.css
var style string

// Write writes the page: the charts, the table, and the study file.
func Write(to io.Writer, t *tables.Table, charts []*chart.Chart, version string) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n<style>\n%s%s</style>\n</head>\n<body>\n",
		escape.XML(t.Title()), style, leftColumns(t))
	fmt.Fprintf(w, "<h1>%s</h1>\n<p class=\"about\">%s</p>\n<div class=\"charts\">\n", escape.XML(t.Study.Name), escape.XML(t.Study.About))
	for _, c := range charts {
		if err := writeChart(w, c); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "</div>\n")
	writeTable(w, t)
	fmt.Fprintf(w, "<h2>Study file</h2>\n<pre>")
	for _, line := range t.Lines() {
		fmt.Fprintf(w, "%s\n", escape.XML(line))
	}
	for _, file := range slices.Sorted(maps.Keys(t.Machines)) {
		fmt.Fprintf(w, "</pre>\n<h2>Machine %s</h2>\n<pre>", escape.XML(file))
		for line := range strings.Lines(strings.TrimRight(t.Machines[file], "\n")) {
			fmt.Fprintf(w, "%s\n", escape.XML(strings.TrimRight(line, "\r\n")))
		}
	}
	fmt.Fprintf(w, "</pre>\n<footer>meshwright %s</footer>\n<script>\n%s</script>\n</body>\n</html>\n", escape.XML(version), script)
	return w.Flush()
}

// leftColumns aligns the columns of axes and measures whose values are texts.
func leftColumns(t *tables.Table) string {
	var b strings.Builder
	for i := range t.Axes {
		if !t.Numeric(i) {
			fmt.Fprintf(&b, "th:nth-child(%d), td:nth-child(%d) { text-align: left; }\n", i+1, i+1)
		}
	}
	for i, m := range t.Measures {
		if t.Words(m) {
			fmt.Fprintf(&b, "th:nth-child(%d), td:nth-child(%d) { text-align: left; }\n", len(t.Axes)+i+1, len(t.Axes)+i+1)
		}
	}
	return b.String()
}

func writeChart(w io.Writer, c *chart.Chart) error {
	fmt.Fprintf(w, "<figure>\n")
	if err := c.WriteInline(w); err != nil {
		return err
	}
	for _, cross := range c.Crossovers {
		fmt.Fprintf(w, "<figcaption>Crossover at %s: %s</figcaption>\n", tables.Number(cross.X), escape.XML(cross.String()))
	}
	_, err := fmt.Fprintf(w, "</figure>\n")
	return err
}

func writeTable(w io.Writer, t *tables.Table) {
	header, rows := t.Cells()
	fmt.Fprintf(w, "<section>\n<h2>Points</h2>\n<div class=\"tools\"><label>Filter <input type=\"search\"></label> <output></output></div>\n<table>\n<thead><tr>")
	for _, name := range header {
		fmt.Fprintf(w, "<th>%s</th>", escape.XML(name))
	}
	fmt.Fprintf(w, "</tr></thead>\n<tbody>\n")
	for i, row := range rows {
		fmt.Fprintf(w, "<tr>")
		for column, cell := range row {
			number := ""
			if x := t.WithUnit(i, column); x != "" {
				number = ` data-number="` + x + `"`
			}
			fmt.Fprintf(w, "<td%s>%s</td>", number, escape.XML(cell))
		}
		fmt.Fprintf(w, "</tr>\n")
	}
	fmt.Fprintf(w, "</tbody>\n</table>\n</section>\n")
}

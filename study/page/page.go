// SPDX-License-Identifier: Apache-2.0

// Package page writes the results of a study as one HTML page, which needs no other file and no network.
package page

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"

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
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n", escape.XML(t.Title()), style)
	fmt.Fprintf(w, "<h1>%s</h1>\n<p>%s</p>\n", escape.XML(t.Study.Name), escape.XML(t.Study.About))
	for _, c := range charts {
		fmt.Fprintf(w, "<figure>\n")
		if err := c.WriteInline(w); err != nil {
			return err
		}
		for _, cross := range c.Crossovers {
			fmt.Fprintf(w, "<figcaption>crossover at %s: from %s to %s</figcaption>\n", tables.Number(cross.X), escape.XML(cross.From), escape.XML(cross.To))
		}
		fmt.Fprintf(w, "</figure>\n")
	}
	writeTable(w, t)
	fmt.Fprintf(w, "<h2>The study</h2>\n<pre>")
	for _, line := range t.Lines() {
		fmt.Fprintf(w, "%s\n", escape.XML(line))
	}
	fmt.Fprintf(w, "</pre>\n<p>meshwright %s</p>\n<script>\n%s</script>\n</body>\n</html>\n", escape.XML(version), script)
	return w.Flush()
}

func writeTable(w io.Writer, t *tables.Table) {
	header, rows := t.Cells()
	fmt.Fprintf(w, "<section>\n<label>Filter <input type=\"search\"></label> <output></output>\n<table>\n<thead><tr>")
	for _, name := range header {
		fmt.Fprintf(w, "<th>%s</th>", escape.XML(name))
	}
	fmt.Fprintf(w, "</tr></thead>\n<tbody>\n")
	for _, row := range rows {
		fmt.Fprintf(w, "<tr>")
		for _, cell := range row {
			fmt.Fprintf(w, "<td>%s</td>", escape.XML(cell))
		}
		fmt.Fprintf(w, "</tr>\n")
	}
	fmt.Fprintf(w, "</tbody>\n</table>\n</section>\n")
}

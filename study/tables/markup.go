// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"meshwright/internal/escape"
)

// markups are the formats of tables for a text, by the extensions of files.
var markups = []string{".md", ".tex"}

// IsMarkup reports whether files of a format have the tables of a report, as they are printed, and not all digits of all points.
func IsMarkup(format string) bool { return slices.Contains(markups, format) }

// WriteMarkup writes tables of the study as Markdown or, as .tex, for LaTeX: environments tabular, which need the package booktabs. Each table stands below
// its title, in LaTeX a comment; the first one below the heading of the study.
func (t *Table) WriteMarkup(w io.Writer, format string, parts []Part) error {
	line, markup := "%s\n\n", (*Part).markdown
	if format == ".tex" {
		line, markup = "%% %s\n", (*Part).latex
	}
	var text strings.Builder
	for i := range parts {
		titles := []string{parts[i].Title}
		if i == 0 {
			titles = t.Heading(parts[i].Title)
		} else {
			text.WriteString("\n")
		}
		for _, title := range titles {
			fmt.Fprintf(&text, line, escape.Line(title))
		}
		text.WriteString(markup(&parts[i]))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (p *Part) markdown() string {
	rule := make([]string, len(p.Header))
	for i := range rule {
		if rule[i] = "---"; !p.Texts[i] {
			rule[i] = "---:"
		}
	}
	var text strings.Builder
	for _, row := range append([][]string{p.Header, rule}, p.Rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.ReplaceAll(escape.Line(cell), "|", "\\|")
		}
		text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return text.String()
}

func (p *Part) latex() string {
	columns := ""
	for _, isText := range p.Texts {
		if isText {
			columns += "l"
		} else {
			columns += "r"
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n", columns, latexRow(p.Header))
	for _, row := range p.Rows {
		text.WriteString(latexRow(row))
	}
	text.WriteString("\\bottomrule\n\\end{tabular}\n")
	return text.String()
}

func latexRow(row []string) string {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = latexSigns.Replace(escape.Line(cell))
	}
	return strings.Join(cells, " & ") + ` \\` + "\n"
}

// latexSigns are the characters that LaTeX does not print as they are.
var latexSigns = strings.NewReplacer(
	`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`, `{`, `\{`, `}`, `\}`,
	`~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`,
	`*`, `$^*$`, `±`, `$\pm$`, `[`, `{[}`,
)

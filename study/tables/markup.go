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

// WriteMarkup writes tables as Markdown or, as .tex, for LaTeX.
func WriteMarkup(w io.Writer, format string, parts []Part) error {
	if format == ".tex" {
		return latex(w, parts)
	}
	return markdown(w, parts)
}

// markdown writes tables, each but the first below its title.
func markdown(w io.Writer, parts []Part) error {
	for i := range parts {
		text := parts[i].markdown()
		if i > 0 {
			text = "\n" + escape.Line(parts[i].Title) + "\n\n" + text
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
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

// latex writes tables as environments tabular, each below its title in a comment. They need the package booktabs.
func latex(w io.Writer, parts []Part) error {
	for i := range parts {
		text := parts[i].latex()
		if i > 0 {
			text = "\n" + text
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
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
	fmt.Fprintf(&text, "%% %s\n\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n", escape.Line(p.Title), columns, latexRow(p.Header))
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

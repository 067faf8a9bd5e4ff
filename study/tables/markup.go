// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"meshwright/internal/escape"
)

// markups are the formats of tables for a text, by the extensions of files.
var markups = []string{".md", ".tex"}

// IsMarkup reports whether files of a format have the tables of a report, as they are printed, and not all digits of all points.
func IsMarkup(format string) bool { return slices.Contains(markups, format) }

// WriteMarkup writes tables of the study as Markdown or, as .tex, for LaTeX: environments tabular, which need the package booktabs. Each table stands below
// its title, in LaTeX a comment; the first one below the heading of the study.
func (t *Table) WriteMarkup(w io.Writer, format string, parts []Part) error {
	line, markup, plain := "%s\n\n", (*Part).markdown, markdownLine
	if format == ".tex" {
		line, markup, plain = "%% %s\n", (*Part).latex, escape.Line
	}
	var text strings.Builder
	beyondASCII := false
	for i := range parts {
		titles := []string{parts[i].Title}
		if i == 0 {
			titles = t.Heading(parts[i].Title)
		} else {
			text.WriteString("\n")
		}
		for _, title := range titles {
			fmt.Fprintf(&text, line, plain(title))
		}
		table := markup(&parts[i])
		beyondASCII = beyondASCII || strings.ContainsFunc(table, func(r rune) bool { return r > unicode.MaxASCII })
		text.WriteString(table)
	}
	hint := ""
	if format == ".tex" && beyondASCII {
		hint = unicodeHint
	}
	_, err := io.WriteString(w, hint+text.String())
	return err
}

// unicodeHint stands above tables with letters that LaTeX itself does not know. pdflatex stops at them.
const unicodeHint = "% Names with characters beyond ASCII: compile with lualatex or xelatex, and a font that has them.\n"

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
			cells[i] = markdownCell(cell)
		}
		text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	return text.String()
}

// markdownCell is a text for a cell of a table: whatever Markdown would not show as it is has a backslash in front. Signs that
// mean nothing where they stand, such as the _ within hottest_link, stay as they are.
func markdownCell(text string) string {
	runes := []rune(escape.Line(text))
	near := func(i int) rune {
		if i < 0 || i >= len(runes) {
			return ' '
		}
		return runes[i]
	}
	var out strings.Builder
	for i, r := range runes {
		before, behind := near(i-1), near(i+1)
		means := false
		switch r {
		case '|', '`', '<':
			means = true
		case '\\':
			means = unicode.IsPunct(behind) || unicode.IsSymbol(behind)
		case '_':
			means = strings.Count(string(runes), "_") > 1 && (!isWord(before) || !isWord(behind))
		case '*', '~':
			means = strings.Count(string(runes), string(r)) > 1
		case '[', ']':
			means = strings.Contains(string(runes), "](") || strings.Contains(string(runes), "][")
		case '&':
			means = behind == '#' || unicode.IsLetter(behind)
		}
		if means {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// markdownLine is a text for a line of its own, which no sign at its beginning makes a heading, a list or a quotation.
func markdownLine(text string) string {
	text = markdownCell(text)
	if text != "" && strings.ContainsRune("#>+-=", rune(text[0])) {
		return "\\" + text
	}
	return text
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
	`*`, `$^*$`, plusMinus, ` $\pm$ `, `±`, `$\pm$`, `[`, `{[}`, `×`, `$\times$`, `→`, `$\rightarrow$`, `≤`, `$\le$`, `≥`, `$\ge$`, `·`, `$\cdot$`, `µ`, `$\mu$`, `∞`, `$\infty$`,
)

// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// The pages of modules are made from the headers of the modules, and from the figures in docs/data/modules.csv.

// moduleHeader is what the head of a module says.
type moduleHeader struct {
	name, path string
	comment    []string // lines
	parameters []moduleItem
	ports      []moduleItem
	parts      []string // modules that it instantiates
	rules      []string // that it asserts
}

// moduleItem is a parameter or a port, or a remark about those that follow.
type moduleItem struct {
	remark      string
	name, width string
	value       string // of a parameter
	output      bool
	comment     string
}

var (
	parameterLine = regexp.MustCompile(`^\s*parameter\s*(\[.*\])?\s*(\w+)\s*=\s*(.*?),?\s*(?://\s*(.*))?$`)
	portLine      = regexp.MustCompile(`^\s*(input|output)\s+(?:wire|reg)\s*(\[.*\])?\s*(\w+),?\s*(?://\s*(.*))?$`)
	partLine      = regexp.MustCompile(`(?m)^\s+(\w+) (?:#\(|i_\w+ \()`)
	ruleName      = regexp.MustCompile(`\.Name\("([^"]+)"\)`)
)

func readModule(t *testing.T, path string) *moduleHeader {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	m := &moduleHeader{name: strings.TrimSuffix(filepath.Base(path), ".v"), path: path}
	lines := strings.Split(string(text), "\n")
	start := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "module "+m.name) })
	require.GreaterOrEqual(t, start, 0, path)
	for i := start - 1; i >= 0 && strings.HasPrefix(lines[i], "//"); i-- {
		m.comment = slices.Insert(m.comment, 0, strings.TrimPrefix(strings.TrimPrefix(lines[i], "//"), " "))
	}
	items := &m.ports
	if strings.HasSuffix(lines[start], "#(") {
		items = &m.parameters
	}
	at := start + 1
	for ; lines[at] != ");"; at++ {
		if lines[at] == ") (" {
			items = &m.ports
			continue
		}
		*items = addItem(t, *items, lines[at], path)
	}
	for _, found := range partLine.FindAllStringSubmatch(strings.Join(lines[at:], "\n"), -1) {
		if part := found[1]; part != "rule" && part != "else" && part != "begin" {
			m.parts = append(m.parts, part)
		}
	}
	for _, found := range ruleName.FindAllStringSubmatch(string(text), -1) {
		m.rules = append(m.rules, found[1])
	}
	slices.Sort(m.parts)
	m.parts = slices.Compact(m.parts)
	return m
}

func addItem(t *testing.T, items []moduleItem, line, path string) []moduleItem {
	if strings.HasPrefix(strings.TrimSpace(line), "/* verilator lint_") { // a waiver
		return items
	}
	if text, ok := strings.CutPrefix(strings.TrimSpace(line), "//"); ok {
		text = strings.TrimSpace(text)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		switch n := len(items); {
		case indent > 2 && n > 0 && items[n-1].name != "": // goes on with the comment above
			items[n-1].comment += " " + text
		case n > 0 && items[n-1].name == "":
			items[n-1].remark += " " + text
		default:
			items = append(items, moduleItem{remark: text})
		}
		return items
	}
	if p := parameterLine.FindStringSubmatch(line); p != nil {
		return append(items, moduleItem{width: p[1], name: p[2], value: p[3], comment: p[4]})
	}
	p := portLine.FindStringSubmatch(line)
	require.NotNil(t, p, "%s: neither a port, a parameter nor a comment: %s", path, line)
	return append(items, moduleItem{output: p[1] == "output", width: p[2], name: p[3], comment: p[4]})
}

// diagram draws the module as a box, inputs to its left and outputs to its right.
func (m *moduleHeader) diagram() string {
	var left, right []string
	wide := 0
	for _, p := range m.ports {
		if p.name == "" {
			continue
		}
		label := p.name
		if p.width != "" {
			label += " " + p.width
		}
		if p.output {
			right = append(right, label)
		} else {
			left, wide = append(left, label), max(wide, utf8.RuneCountInString(label))
		}
	}
	var b strings.Builder
	inner := utf8.RuneCountInString(m.name) + 4
	fmt.Fprintf(&b, "%*s┌%s┐\n%*s│  %s  │\n", wide+3, "", strings.Repeat("─", inner), wide+3, "", m.name)
	for i := range max(len(left), len(right)) {
		l, wall := strings.Repeat(" ", wide+3), "│"
		if i < len(left) {
			l, wall = fmt.Sprintf("%*s ──", wide, left[i]), "┤"
		}
		row := l + wall + strings.Repeat(" ", inner)
		if i < len(right) {
			row += "├── " + right[i]
		} else {
			row += "│"
		}
		fmt.Fprintln(&b, row)
	}
	fmt.Fprintf(&b, "%*s└%s┘\n", wide+3, "", strings.Repeat("─", inner))
	return b.String()
}

// cell is text in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + cell(text) + "`"
}

// table writes rows, and the remarks between them as sentences with a table of their own below.
func table(b *strings.Builder, head string, items []moduleItem, row func(p *moduleItem) string) {
	open := false
	for i := range items {
		p := &items[i]
		if p.name == "" {
			fmt.Fprintf(b, "\n%s\n", p.remark)
			open = false
			continue
		}
		if !open {
			fmt.Fprintf(b, "\n%s\n", head)
			open = true
		}
		fmt.Fprintln(b, row(p))
	}
}

// prose writes the comment of a module: sentences, and drawings as they stand.
func (m *moduleHeader) prose(b *strings.Builder) {
	drawing := false
	for i, line := range m.comment {
		if drawing != strings.HasPrefix(line, " ") && line != "" {
			fmt.Fprint(b, map[bool]string{true: "```\n\n", false: "```text\n"}[drawing])
			drawing = !drawing
		}
		if line != "" || i+1 < len(m.comment) && !drawing {
			fmt.Fprintln(b, line)
		}
	}
	if drawing {
		fmt.Fprintln(b, "```")
	}
}

// page writes the page of a module.
func (m *moduleHeader) page(users []string, measured []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", m.name)
	m.prose(&b)
	fmt.Fprintf(&b, "\n```text\n%s```\n", m.diagram())
	if len(m.parameters) > 0 {
		b.WriteString("\n## Parameters\n")
		table(&b, "| parameter | default | |\n|---|---|---|", m.parameters, func(p *moduleItem) string {
			return fmt.Sprintf("| %s | %s | %s |", code(strings.TrimSpace(p.width+" "+p.name)), code(p.value), cell(p.comment))
		})
	}
	b.WriteString("\n## Ports\n")
	table(&b, "| port | | |\n|---|---|---|", m.ports, func(p *moduleItem) string {
		return fmt.Sprintf("| %s | %s | %s |", code(strings.TrimSpace(p.width+" "+p.name)), map[bool]string{true: "output", false: "input"}[p.output], cell(p.comment))
	})
	if len(m.rules) > 0 {
		fmt.Fprintf(&b, "\n## Rules\n\nIn simulation the module asserts:\n\n")
		for _, rule := range m.rules {
			fmt.Fprintf(&b, "* `%s`\n", rule)
		}
	}
	if len(measured) > 0 {
		fmt.Fprintf(&b, "\n## Area and clock\n\nWith the default parameters, on iCE40 ([how it is measured](../synthesis.md)):\n\n| LUT4 | flip-flops | block RAMs | MHz |\n|---|---|---|---|\n| %s |\n", strings.Join(measured[1:], " | "))
	}
	fmt.Fprintf(&b, "\n## Parts\n\n%s\n%s\n\n[The file](../../%s). [All modules](README.md).\n", links("It instantiates", m.parts), links("It is a part of", users), filepath.ToSlash(strings.TrimPrefix(m.path, root+string(filepath.Separator))))
	return b.String()
}

func links(verb string, names []string) string {
	if len(names) == 0 {
		return verb + " no other module."
	}
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = fmt.Sprintf("[%s](%s.md)", name, name)
	}
	return verb + " " + strings.Join(list, ", ") + "."
}

// Each module of the library has a page, made from its header.
func TestModulesHavePages(t *testing.T) {
	var modules []*moduleHeader
	for _, pattern := range []string{"rtl/lib/*.v", "rtl/axis/lib/*.v"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			modules = append(modules, readModule(t, path))
		}
	}
	slices.SortFunc(modules, func(a, b *moduleHeader) int { return strings.Compare(a.name, b.name) })
	users := map[string][]string{}
	for _, m := range modules {
		known := m.parts[:0]
		for _, part := range m.parts {
			if slices.ContainsFunc(modules, func(o *moduleHeader) bool { return o.name == part }) {
				known = append(known, part)
				users[part] = append(users[part], m.name)
			}
		}
		m.parts = known
	}
	measured := measurements(t, modules)
	pages := map[string]string{"README.md": index(modules, measured)}
	for _, m := range modules {
		pages[m.name+".md"] = m.page(users[m.name], measured[m.name])
	}
	folder := filepath.Join(root, "docs", "modules")
	if *update {
		require.NoError(t, os.RemoveAll(folder))
		require.NoError(t, os.Mkdir(folder, 0o755))
	}
	for name, page := range pages {
		path := filepath.Join(folder, name)
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(page), 0o644))
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, page, string(text), "%s is not what the module says: go test ./tests/docs -run Modules -update", path)
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, len(pages), "a page without a module")
}

// figuresFile has a row for each module that hardware is made of: LUT4, flip-flops, block RAMs, MHz.
var figuresFile = filepath.Join(root, "docs", "data", "modules.csv")

// measurements reads the figures of modules, by name. The flag -areas measures some of them before.
func measurements(t *testing.T, modules []*moduleHeader) map[string][]string {
	text, err := os.ReadFile(figuresFile)
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	require.NoError(t, err)
	found := map[string][]string{}
	for _, row := range rows[1:] {
		found[row[0]] = row
	}
	if *areas == "" {
		return found
	}
	chosen := regexp.MustCompile(*areas)
	for _, m := range modules {
		if m.inHardware() && chosen.MatchString(m.name) {
			fresh := append([]string{m.name}, m.measure(t)...)
			require.True(t, *update || slices.Equal(fresh, found[m.name]), "%s is now %s: go test ./tests/docs -run Modules -areas . -update measures again", found[m.name], fresh)
			found[m.name] = fresh
			writeFigures(t, rows[0], modules, found)
		}
	}
	return found
}

// inHardware tells modules from those of simulations alone.
func (m *moduleHeader) inHardware() bool { return m.name != "rule" }

// measure synthesizes a module with its default parameters.
func (m *moduleHeader) measure(t *testing.T) []string {
	folders, err := filepath.Abs(filepath.Join(root, "rtl"))
	require.NoError(t, err)
	flags := fmt.Sprintf("%[1]s/lib/*.v %[1]s/axis/lib/*.v --module %[2]s", folders, m.name)
	if slices.ContainsFunc(m.ports, func(p moduleItem) bool { return p.name == "clk_i" }) {
		flags += " --seeds 1"
	} else {
		flags += " --area"
	}
	figures := synthesized(t, flags)
	if figures[1] == "0" && figures[2] == "0" {
		figures[3] = "–" // a clock of the harness alone
	}
	return figures
}

// writeFigures writes the figures as far as they are measured.
func writeFigures(t *testing.T, head []string, modules []*moduleHeader, found map[string][]string) {
	if !*update {
		return
	}
	rows := [][]string{head}
	for _, m := range modules {
		if row := found[m.name]; row != nil {
			rows = append(rows, row)
		}
	}
	var text bytes.Buffer
	require.NoError(t, csv.NewWriter(&text).WriteAll(rows))
	require.NoError(t, os.WriteFile(figuresFile, text.Bytes(), 0o644))
}

// index lists all modules.
func index(modules []*moduleHeader, measured map[string][]string) string {
	var b strings.Builder
	b.WriteString(`# The modules of the library

Each page is made from the module's header: ports with their handshake rules, parameters, asserted rules, parts. The figures are those of a module with its default parameters on
iCE40, placed with seed 1; [synthesis](../synthesis.md) says how they are measured, and has the chips of whole machines. A module without flip-flops and block RAMs has no clock.
` + "`go test ./tests/docs -run Modules -areas . -update`" + ` measures all modules again.

| module | what it is | LUT4 | flip-flops | block RAMs | MHz |
|---|---|---|---|---|---|
`)
	for _, m := range modules {
		first, _, _ := strings.Cut(strings.Join(m.comment, " "), ". ")
		first, _, _ = strings.Cut(first, ": ")
		figures := []string{"–", "–", "–", "–"}
		if row := measured[m.name]; row != nil {
			figures = row[1:]
		}
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s |\n", m.name, m.name, cell(strings.TrimSuffix(first, ".")), strings.Join(figures, " | "))
	}
	return b.String()
}

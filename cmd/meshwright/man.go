// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write a manual page for each verb into a folder",
		Long: `Writes the help of each verb as a manual page: DIR/meshwright.1, DIR/meshwright-run.1,
DIR/meshwright-plan-packets.1 … The folder DIR must be new or empty.`,
		Example: "  meshwright man pages",
		Args:    arguments(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return writeManual(cmd.Root(), args[0]) },
	}
}

// writeManual writes all pages, or none.
func writeManual(root *cobra.Command, path string) error {
	if err := input.WriteFolder(path); err != nil {
		return err
	}
	folder, err := atomicfile.CreateFolder(path)
	if err != nil {
		return err
	}
	if err := writePages(root, folder.Dir()); err != nil {
		_ = folder.Abort() // the first error counts
		return folder.Fault(err)
	}
	return folder.Commit()
}

// writePages writes the page of a verb, and those of the verbs below it.
func writePages(cmd *cobra.Command, dir string) error {
	if err := os.WriteFile(filepath.Join(dir, pageName(cmd)+".1"), []byte(manualPage(cmd)), 0o644); err != nil {
		return err
	}
	for _, below := range shownBelow(cmd) {
		if err := writePages(below, dir); err != nil {
			return err
		}
	}
	return nil
}

// shownBelow are the verbs below a verb that have pages.
func shownBelow(cmd *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() && below.Name() != "help" {
			list = append(list, below)
		}
	}
	return list
}

// pageName is the name of a verb's page, such as meshwright-plan-packets.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manual is a page in the making, in the macros of man(7).
type manual struct{ strings.Builder }

// manualPage is the help of a verb as a page.
func manualPage(cmd *cobra.Command) string {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	b := thisBuild()
	day, _, _ := strings.Cut(b.Time, "T")
	p := &manual{}
	p.macro("TH", strings.ToUpper(pageName(cmd)), "1", day, "meshwright "+b.Release, "meshwright")
	p.macro("SH", "NAME")
	p.line(pageName(cmd) + " - " + cmd.Short)
	p.macro("SH", "SYNOPSIS")
	p.macro("B", cmd.UseLine())
	p.macro("SH", "DESCRIPTION")
	p.text(helpText(cmd))
	if list := shownBelow(cmd); len(list) > 0 {
		p.macro("SH", "COMMANDS")
		for _, below := range list {
			p.entry(below.CommandPath(), below.Short)
		}
	}
	for _, s := range flagSets(cmd) {
		p.macro("SH", strings.ToUpper(string(s.group)))
		s.flags.VisitAll(func(flag *pflag.Flag) { p.entry(flagLine(flag)) })
	}
	if cmd.HasExample() {
		p.macro("SH", "EXAMPLES")
		p.verbatim(strings.Split(cmd.Example, "\n"))
	}
	p.seeAlso(cmd)
	return p.String()
}

// helpText is the longest description that a verb has.
func helpText(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

// flagLine is a flag as the help shows it: its names and value, and what it does.
func flagLine(flag *pflag.Flag) (names, usage string) {
	alone := pflag.NewFlagSet("", pflag.ContinueOnError)
	alone.AddFlag(flag)
	names, usage, _ = strings.Cut(strings.TrimSpace(alone.FlagUsages()), "   ")
	return names, usage
}

// seeAlso names the pages above and below.
func (p *manual) seeAlso(cmd *cobra.Command) {
	var names []string
	cmd.VisitParents(func(above *cobra.Command) { names = append(names, pageName(above)+"(1)") })
	for _, below := range shownBelow(cmd) {
		names = append(names, pageName(below)+"(1)")
	}
	p.macro("SH", "SEE ALSO")
	p.line(strings.Join(names, ", "))
}

// macro writes a macro with its arguments.
func (p *manual) macro(name string, arguments ...string) {
	p.WriteString("." + name)
	for _, a := range arguments {
		p.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
	}
	p.WriteString("\n")
}

// line writes a line of text. A dot or an apostrophe at its start would be a macro.
func (p *manual) line(text string) {
	text = roff(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	p.WriteString(text + "\n")
}

// entry writes a term and its explanation.
func (p *manual) entry(term, text string) {
	p.macro("TP")
	p.macro("B", term)
	p.line(strings.TrimSpace(text))
}

// text writes paragraphs. Those whose lines are indented keep their lines.
func (p *manual) text(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		if i > 0 {
			p.macro("PP")
		}
		if strings.HasPrefix(paragraph, "  ") {
			p.verbatim(lines)
			continue
		}
		for _, line := range lines {
			p.line(line)
		}
	}
}

// verbatim writes lines as they are.
func (p *manual) verbatim(lines []string) {
	p.macro("nf")
	for _, line := range lines {
		p.line(line)
	}
	p.macro("fi")
}

// roff escapes what roff would read: backslashes, hyphens that shells should get as they are, and all that is not ASCII.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

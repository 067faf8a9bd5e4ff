// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/atomicfile"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/study/chart"
	"meshwright/study/page"
	"meshwright/study/point"
	"meshwright/study/store"
	"meshwright/study/tables"
)

// reportFlags say how the results of studies are shown.
type reportFlags struct {
	study, page    string
	outputs, plots []string
	compare        string
	threshold      float64
	points         bool
	markdown, json bool
}

func newReport() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:        "report STORE.db",
		SuggestFor: []string{"table", "stats", "results"},
		Short:      "Show the results of a study as tables, plots and a page, or compare two stores",
		Long: `Shows the results that meshwright sweep has put into a store, as a table. The figures of
several repeats are their means, and ± is half the width of the mean's interval of 95 %
confidence. The plots are those that the study file asks for.

--compare shows what has changed since another store, such as that of an earlier version. The exit
code is 1 if a figure has changed by more than --threshold, if a text has changed, or if a point or a
measure has figures in only one of the stores.`,
		Example: `  meshwright report startup.db
  meshwright report startup.db --markdown
  meshwright report startup.db --plot startup.svg --page startup.html
  meshwright report new.db --compare old.db --threshold 0.01`,
		Args: cobra.MatchAll(arguments(1), noneIsTopology),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	groupStudy.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.study, "study", "", "`name` of the study, where the store has several")
		flags.StringVar(&f.compare, "compare", "", "show what has changed since another store: `FILE.db`")
		flags.Float64Var(&f.threshold, "threshold", 0, "of --compare: the greatest change that is fine, as a part of the former figure")
	})
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.points, "points", false, "show all points, also where the study asks for tables of its own")
		flags.BoolVar(&f.markdown, "markdown", false, "print the tables as Markdown")
		flags.StringArrayVarP(&f.outputs, "out", "o", nil, "write the results: `FILE`.csv, .json or .parquet, or the tables: .md or .tex, LaTeX (may be repeated)")
		flags.StringArrayVar(&f.plots, "plot", nil, "write the plots: `FILE`.svg, .png or .pdf; of several plots FILE-1, FILE-2 … (may be repeated)")
		flags.StringVar(&f.page, "page", "", "write a page with plots, table and study, which needs no other file: `FILE.html`")
	})
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, path string) error {
	if err := f.check(cmd, path); err != nil {
		return err
	}
	t, err := openTable(cmd.Context(), path, f.study)
	if err != nil {
		return err
	}
	if f.compare != "" {
		return f.runCompare(cmd, t)
	}
	if err := f.write(cmd.ErrOrStderr(), t); err != nil {
		return err
	}
	switch w := cmd.OutOrStdout(); {
	case f.json:
		return t.Write(w, ".json")
	case f.markdown:
		return t.WriteMarkup(w, ".md", f.parts(t))
	default:
		return f.print(w, t)
	}
}

// parts are the tables that are asked for.
func (f *reportFlags) parts(t *tables.Table) []tables.Part {
	if f.points {
		return []tables.Part{t.Points()}
	}
	return t.Parts()
}

// print prints the tables below a heading.
func (f *reportFlags) print(w io.Writer, t *tables.Table) error {
	for i, p := range f.parts(t) {
		clipErrors(&p)
		title := escape.Line(p.Title)
		if i == 0 {
			title = heading(t, p.Title)
		}
		if err := printCells(w, title, p.Header, lines(p.Rows)); err != nil {
			return err
		}
	}
	return nil
}

// heading is the heading of a report, with lines that a screen has room for.
func heading(t *tables.Table, first string) string {
	lines := t.Heading(first)
	for i, line := range lines {
		if lines[i] = escape.Line(line); line == t.Given() {
			lines[i] = escape.Line(clip(line, mostGiven))
		}
	}
	return strings.Join(lines, "\n")
}

// mostGiven bounds the line of what all points share, in characters.
const mostGiven = 200

// mostError bounds an error in a table, in characters.
const mostError = 100

// clipErrors shortens errors, which are whole in files.
func clipErrors(p *tables.Part) {
	column := len(p.Header) - 1
	if p.Header[column] != "error" {
		return
	}
	for _, row := range p.Rows {
		row[column] = clip(row[column], mostError)
	}
}

// check judges the flags before any work is done.
func (f *reportFlags) check(cmd *cobra.Command, path string) error {
	for _, other := range []string{"markdown", "points"} { // JSON has all points
		if err := exclusive(cmd, "json", other); err != nil {
			return err
		}
	}
	if f.compare != "" {
		if given := firstChanged(cmd, "markdown", "points", "out", "plot", "page"); given != "" {
			return input.At("--"+given, 0, "expected none", "given with --compare")
		}
	} else if cmd.Flags().Changed("threshold") {
		return input.At("--threshold", 0, "expected --compare", "given without a comparison")
	}
	if !(f.threshold >= 0) {
		return input.At("--threshold", 0, "expected at least 0", "%g", f.threshold)
	}
	var paths input.Paths
	paths.Read("the store", path)
	for _, out := range f.outputs {
		if err := paths.WriteAs(outFlag, out, tables.Formats()...); err != nil {
			return err
		}
	}
	for _, plot := range f.plots {
		if err := paths.WriteAs("--plot", plot, chart.Formats()...); err != nil {
			return err
		}
	}
	if f.page != "" {
		return paths.WriteAs("--page", f.page, ".html")
	}
	return nil
}

// write writes the files that were asked for. Plots that cannot be drawn are left out, with a note.
func (f *reportFlags) write(stderr io.Writer, t *tables.Table) error {
	for _, out := range f.outputs {
		write := func(w io.Writer) error {
			format := strings.ToLower(filepath.Ext(out))
			if tables.IsMarkup(format) {
				return t.WriteMarkup(w, format, f.parts(t))
			}
			return t.Write(w, format)
		}
		if err := atomicfile.Write(out, write); err != nil {
			return err
		}
	}
	if len(f.plots) == 0 && f.page == "" {
		return nil
	}
	charts, undrawn, err := chart.All(t)
	switch {
	case err != nil:
		return err
	case len(f.plots) > 0 && len(charts) == 0 && len(undrawn) > 0:
		return input.Locate(undrawn[0], "--plot", 0)
	case len(f.plots) > 0 && len(charts) == 0:
		return input.At("--plot", 0, "expected plots in its section report", "study %s has no plots", t.Study.Name)
	}
	for _, why := range undrawn {
		complain(stderr, fmt.Errorf("left out: %w", why))
	}
	for _, plot := range f.plots {
		extension := filepath.Ext(plot)
		for i, c := range charts {
			path := plot
			if len(charts) > 1 {
				path = strings.TrimSuffix(plot, extension) + "-" + itoa(i+1) + extension
			}
			write := func(w io.Writer) error { return c.Write(w, strings.ToLower(extension)) }
			if err := atomicfile.Write(path, write); err != nil {
				return err
			}
		}
	}
	if f.page == "" {
		return nil
	}
	return atomicfile.Write(f.page, func(w io.Writer) error { return page.Write(w, t, charts, version()) })
}

// comparedReport is the JSON of a comparison; its names are a contract.
type comparedReport struct {
	Points     int             `json:"points"`
	OnlyBefore int             `json:"points_only_before"`
	OnlyNow    int             `json:"points_only_now"`
	Before     []string        `json:"measures_only_before"`
	Now        []string        `json:"measures_only_now"`
	Threshold  float64         `json:"threshold"`
	Beyond     int             `json:"changes_beyond"`
	Changes    []comparedValue `json:"changes"`
}

type comparedValue struct {
	Point    string        `json:"point"`
	Measure  string        `json:"measure"`
	Was      *point.Figure `json:"was"`
	Is       *point.Figure `json:"is"`
	Relative *float64      `json:"relative"`
	Error    string        `json:"error,omitempty"`
}

// mostOnly bounds the points of only one store that the table names.
const mostOnly = 5

// mostChanges bounds the changes that the table shows.
const mostChanges = 20

// runCompare compares with another store.
func (f *reportFlags) runCompare(cmd *cobra.Command, now *tables.Table) error {
	before, err := openOther(cmd.Context(), f.compare, now.Study.Name)
	if err != nil {
		return err
	}
	c, err := tables.Compare(before, now)
	if err != nil {
		return input.Locate(err, "--compare", 0)
	}
	beyond := c.Beyond(f.threshold)
	print := func(w io.Writer) error { return f.printCompared(w, now, c, beyond) }
	if f.json {
		print = func(w io.Writer) error { return printJSON(w, f.comparedReport(c, beyond)) }
	}
	if err := print(cmd.OutOrStdout()); err != nil {
		return err
	}
	if beyond > 0 || c.Incomplete() {
		return errFailed
	}
	return nil
}

func (f *reportFlags) comparedReport(c *tables.Compared, beyond int) comparedReport {
	r := comparedReport{
		Points: c.Points, OnlyBefore: len(c.OnlyBefore), OnlyNow: len(c.OnlyNow),
		Before: append([]string{}, c.MeasuresBefore...), Now: append([]string{}, c.MeasuresNow...),
		Threshold: f.threshold, Beyond: beyond, Changes: []comparedValue{},
	}
	for i := range c.Changes {
		change := &c.Changes[i]
		one := comparedValue{Point: change.Point, Measure: change.Measure, Was: figureOf(&change.Was), Is: figureOf(&change.Is), Error: change.Error}
		if relative := change.Relative(); !math.IsInf(relative, 0) {
			one.Relative = &relative
		}
		r.Changes = append(r.Changes, one)
	}
	return r
}

// figureOf is a value without its interval; nil if there is none.
func figureOf(v *tables.Value) *point.Figure {
	figure := point.Figure{Number: v.Mean, Text: v.Text}
	if v.Text == "" && known(v.Mean) == nil {
		return nil
	}
	return &figure
}

func (f *reportFlags) printCompared(w io.Writer, now *tables.Table, c *tables.Compared, beyond int) error {
	var rows [][]string
	for i := range c.Changes[:min(len(c.Changes), mostChanges)] {
		change := &c.Changes[i]
		relative := "–"
		if r := change.Relative(); !math.IsInf(r, 0) {
			relative = fmt.Sprintf("%+.2f%%", 100*r)
		}
		rows = append(rows, []string{change.Point, change.Measure, change.Was.String(), change.Is.String(), relative})
	}
	if len(rows) > 0 {
		if err := printRows(w, now.Study.Name+": what has changed", []string{"point", "measure", "was", "is", "change"}, rows); err != nil {
			return err
		}
	}
	for _, only := range []struct {
		where string
		what  []string
	}{
		{"only before", c.OnlyBefore[:min(len(c.OnlyBefore), mostOnly)]}, {"only now", c.OnlyNow[:min(len(c.OnlyNow), mostOnly)]},
		{"measure only before", c.MeasuresBefore}, {"measure only now", c.MeasuresNow},
	} {
		for _, name := range only.what {
			if _, err := fmt.Fprintf(w, "%s: %s\n", only.where, escape.Line(name)); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "%s in both stores, %d only before, %d only now; %s, %d beyond the threshold\n",
		input.Count(c.Points, "point"), len(c.OnlyBefore), len(c.OnlyNow), input.Count(len(c.Changes), "change"), beyond)
	return err
}

// openTable reads the results of a study of a store; its name may be left out where there is only one.
func openTable(ctx context.Context, path, name string) (*tables.Table, error) {
	return openStudy(ctx, path, func(names []string) (int, error) {
		at := slices.Index(names, name)
		switch {
		case at >= 0:
			return at, nil
		case name != "":
			return 0, input.At("--study", 0, input.Suggest(name, names), "unknown study %q", input.Clip(name))
		case len(names) > 1:
			return 0, input.At(path, 0, "expected --study "+input.Or(names), "several studies")
		}
		return 0, nil
	})
}

// openOther reads the results to compare a study with: those of the same name, or of the only study, whatever its name.
func openOther(ctx context.Context, path, name string) (*tables.Table, error) {
	return openStudy(ctx, path, func(names []string) (int, error) {
		if at := slices.Index(names, name); at >= 0 || len(names) == 1 {
			return max(0, at), nil
		}
		return 0, input.At(path, 0, "expected a store with this study, or with one study alone; it has "+strings.Join(names, ", "), "no study %s", input.Clip(name))
	})
}

// openStudy reads the results of one of the studies of a store.
func openStudy(ctx context.Context, path string, pick func(names []string) (int, error)) (*tables.Table, error) {
	s, err := store.OpenForReading(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	studies, err := s.Studies(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range studies {
		names = append(names, studies[i].Name)
	}
	if len(names) == 0 {
		return nil, input.At(path, 0, "expected a store that meshwright sweep has written", "no study")
	}
	at, err := pick(names)
	if err != nil {
		return nil, err
	}
	return tables.Open(ctx, s, &studies[at])
}

// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/study/store"
	"meshwright/study/tables"
)

// reportFlags say how the results of studies are shown.
type reportFlags struct {
	study          string
	outputs        []string
	markdown, json bool
}

func newReport() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report STORE.db",
		Short: "Show the results of a study",
		Long: `Shows the results that meshwright sweep has put into a store, as a table. The figures of
several repeats are their means, and ± is half the width of the mean's interval of 95 %
confidence.`,
		Example: `  meshwright report startup.db
  meshwright report startup.db --markdown
  meshwright report startup.db --out startup.csv`,
		Args: arguments(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	groupStudy.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.study, "study", "", "`name` of the study, where the store has several")
	})
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.markdown, "markdown", false, "print the table as Markdown")
		flags.StringArrayVar(&f.outputs, "out", nil, "write the results: `FILE`"+strings.Join(tables.Formats(), ", ")+" (may be repeated)")
	})
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, path string) error {
	if err := exclusive(cmd, "markdown", "json"); err != nil {
		return err
	}
	var paths input.Paths
	paths.Read("the store", path)
	for _, out := range f.outputs {
		if err := paths.WriteAs("--out", out, tables.Formats()...); err != nil {
			return err
		}
	}
	t, err := openTable(cmd.Context(), path, f.study)
	if err != nil {
		return err
	}
	for _, out := range f.outputs {
		write := func(w io.Writer) error { return t.Write(w, strings.ToLower(filepath.Ext(out))) }
		if err := atomicfile.Write(out, write); err != nil {
			return err
		}
	}
	switch w := cmd.OutOrStdout(); {
	case f.json:
		return t.Write(w, ".json")
	case f.markdown:
		return t.WriteMarkdown(w)
	default:
		header, rows := t.Cells()
		return printRows(w, t.Title(), header, rows)
	}
}

// openTable reads the results of a study of a store; its name may be left out where there is only one.
func openTable(ctx context.Context, path, name string) (*tables.Table, error) {
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
		if names = append(names, studies[i].Name); studies[i].Name == name || name == "" && len(studies) == 1 {
			return tables.Open(ctx, s, &studies[i])
		}
	}
	switch {
	case len(names) == 0:
		return nil, input.At(path, 0, "expected a store that meshwright sweep has written", "no study")
	case name == "":
		return nil, input.At(path, 0, "expected --study "+input.Or(names), "several studies")
	}
	return nil, input.At("--study", 0, input.Suggest(name, names), "unknown study %q", input.Clip(name))
}

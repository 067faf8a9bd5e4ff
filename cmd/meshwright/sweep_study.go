// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/atomicfile"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/internal/teardown"
	"meshwright/study/question"
	"meshwright/study/store"
	"meshwright/study/sweep"
	"meshwright/study/tables"
)

// studyFlags describe the sweep of a study file.
type studyFlags struct {
	parameters            []string
	store, shard, points  string
	outputs, merge        []string
	schema, again, anyway bool
	slurm                 slurmFlags
	serve                 serveFlags
}

// isStudy reports whether an argument names a study file, or standard input.
func isStudy(argument string) bool {
	return argument == input.Stdin || slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(argument)))
}

func (f *studyFlags) add(cmd *cobra.Command) {
	groupStudy.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.parameters, "parameter", "P", nil, "value of a parameter of the study, `NAME=VALUE` (may be repeated)")
		flags.StringVar(&f.store, "store", "", "`FILE.db` with the results (default: the study's name, in this folder)")
		flags.StringVar(&f.shard, "shard", "", "sweep only part I of N parts of the points: `I/N`")
		flags.StringVar(&f.points, "points", "", "sweep only the points whose places, from 0, stand in `FILE`, one a line")
		flags.StringArrayVar(&f.merge, "merge", nil, "take the results of another store first: `FILE.db` (may be repeated)")
		flags.BoolVar(&f.again, "again", false, "run points again that have failed")
		flags.BoolVar(&f.anyway, "yes", false, "sweep a million points or more")
		flags.StringArrayVarP(&f.outputs, "out", "o", nil, "write the results: `FILE`.csv, .json or .parquet, or the tables: .md or .tex, LaTeX (may be repeated)")
		flags.BoolVar(&f.schema, "schema", false, "print the JSON schema of study files, and do nothing else")
	})
	f.slurm.add(cmd)
	f.serve.add(cmd)
}

// mostPoints bounds the points of a sweep without --yes.
const mostPoints = 1_000_000

// readStudy reads a study file with the parameters of the command line.
func readStudy(path string, parameters []string) (*question.Study, error) {
	given := map[string]string{}
	for _, text := range parameters {
		name, value, ok := strings.Cut(text, "=")
		if _, twice := given[name]; !ok || name == "" || twice {
			return nil, input.At("-P", 0, "expected NAME=VALUE, each name once", "%q", input.Clip(text))
		}
		given[name] = value
	}
	return question.Read(path, given)
}

// run sweeps a study file.
func (f *studyFlags) run(cmd *cobra.Command, path string, asJSON bool) (err error) {
	if err := errors.Join(f.slurm.fits(cmd), f.serve.fits(cmd)); err != nil {
		return err
	}
	q, err := readStudy(path, f.parameters)
	if err != nil {
		return err
	}
	s := &sweep.Sweep{Study: q, Version: version(), Again: f.again}
	if f.shard != "" {
		if s.Shard, err = sweep.ParseShard(f.shard); err != nil {
			return input.Locate(err, "--shard", 0)
		}
	}
	if f.points != "" {
		if s.Places, err = sweep.ReadPlaces(f.points); err != nil {
			return err
		}
	}
	if count := q.Count(); count >= mostPoints && !f.anyway {
		return input.At(path, 0, fmt.Sprintf("expected fewer than %d, or --yes", mostPoints), "a study of %d points", count)
	}
	if err := q.Valid(); err != nil {
		return err
	}
	if f.store == "" {
		f.store = filepath.Base(q.Name) + ".db"
	}
	if err := f.files(path); err != nil {
		return err
	}
	switch {
	case f.slurm.on != "":
		return f.slurm.run(cmd, f, s, asJSON)
	case f.serve.address != "":
		return f.serve.run(cmd, f, s, asJSON)
	}
	if err := f.open(cmd, s); err != nil {
		return err
	}
	defer s.Store.Close()
	ended := f.sayHowFar(cmd, s.SoFar)
	defer func() { ended(err) }()
	summary, err := s.Run(cmd.Context())
	if err != nil {
		return input.Locate(err, f.points, 0)
	}
	return f.finish(cmd, s, summary, asJSON)
}

// sayHowFar says how far a sweep is that is interrupted: when it ends by itself, or else when the process ends it, in the middle of
// a point that takes longer. So far there is nil if no point was to be run yet, since points are listed first. The returned function takes the sweep's error.
func (f *studyFlags) sayHowFar(cmd *cobra.Command, soFar func() *sweep.Summary) (ended func(error)) {
	say := sync.OnceFunc(func() {
		switch s := soFar(); {
		case s != nil:
			sayInterrupted(cmd, s.There+s.Computed, s.Points, "in "+f.store, "the same command goes on from there")
		case cmd.Context().Err() != nil:
			fmt.Fprintf(cmd.ErrOrStderr(), "meshwright: the points were still being listed, and none was run; the same command begins again\n")
		}
	})
	forget := teardown.Process.Add(say)
	return func(err error) {
		if err != nil {
			say()
		}
		forget()
	}
}

// sayInterrupted says of a verb that was interrupted how many of its points are where, and how to go on.
func sayInterrupted(cmd *cobra.Command, done, points int, where, next string) {
	if cmd.Context().Err() != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "meshwright: %s of %d %s; %s\n", input.Count(done, "point"), points, where, next)
	}
}

// open opens the store of a sweep, and merges others.
func (f *studyFlags) open(cmd *cobra.Command, s *sweep.Sweep) (err error) {
	f.sayOther(cmd)
	if s.Store, err = store.Open(cmd.Context(), f.store); err != nil {
		return err
	}
	for _, other := range f.merge {
		if err := s.Store.Merge(cmd.Context(), other); err != nil {
			return errors.Join(err, s.Store.Close())
		}
	}
	return nil
}

// sayOther says that another process has the store open: it may be a sweep that runs the same points.
func (f *studyFlags) sayOther(cmd *cobra.Command) {
	if process, ok := store.Other(f.store); ok {
		who := "another process"
		if process > 0 {
			who = "process " + itoa(process)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "meshwright: %s: %s has it open, too; points that both sweep run twice (--shard divides them)\n", escape.Line(f.store), who)
	}
}

// finish writes and prints the results of a sweep that has ended.
func (f *studyFlags) finish(cmd *cobra.Command, s *sweep.Sweep, summary *sweep.Summary, asJSON bool) error {
	if err := f.write(cmd, s); err != nil {
		return err
	}
	print := func(w io.Writer) error { return printSwept(w, s.Study, f.store, summary) }
	if asJSON {
		print = func(w io.Writer) error { return printJSON(w, newSweptReport(s.Study, f.store, summary)) }
	}
	if err := print(cmd.OutOrStdout()); err != nil {
		return err
	}
	if summary.Failed > 0 || summary.Missing > 0 {
		return errFailed
	}
	return nil
}

// files refuses names before any work is done.
func (f *studyFlags) files(path string) error {
	var paths input.Paths
	paths.Read("the study", path)
	for _, other := range f.merge {
		paths.Read("--merge", other)
	}
	if f.points != "" {
		paths.Read("--points", f.points)
	}
	if err := paths.WriteAs("--store", f.store, ".db"); err != nil {
		return err
	}
	for _, out := range f.outputs {
		if err := paths.WriteAs(outFlag, out, tables.Formats()...); err != nil {
			return err
		}
	}
	return nil
}

// write writes the files of results.
func (f *studyFlags) write(cmd *cobra.Command, s *sweep.Sweep) error {
	if len(f.outputs) == 0 {
		return nil
	}
	t, err := tables.Of(cmd.Context(), s.Study, s.Store)
	if err != nil {
		return err
	}
	t.Version = s.Version
	studies, err := s.Store.Studies(cmd.Context())
	if err != nil {
		return err
	}
	for i := range studies {
		if studies[i].Name == s.Study.Name {
			t.Machines = studies[i].Machines
		}
	}
	for _, out := range f.outputs {
		write := func(w io.Writer) error { return t.Write(w, strings.ToLower(filepath.Ext(out))) }
		if err := atomicfile.Write(out, write); err != nil {
			return err
		}
	}
	return nil
}

// sweptReport is the JSON of the sweep of a study; its names are a contract.
type sweptReport struct {
	Study    string         `json:"study"`
	Store    string         `json:"store"`
	Points   int            `json:"points"`
	There    int            `json:"points_there"`
	Computed int            `json:"points_computed"`
	Failed   int            `json:"points_failed"`
	Refused  int            `json:"points_refused"`
	Missing  int            `json:"points_missing,omitempty"`
	Failures []sweptFailure `json:"first_failures,omitempty"`
	Refusals []sweptFailure `json:"first_refusals,omitempty"`
	Version  string         `json:"version"`
}

type sweptFailure struct {
	Point map[string]string `json:"point"`
	Error string            `json:"error"`
}

func newSweptReport(q *question.Study, path string, s *sweep.Summary) sweptReport {
	r := sweptReport{Study: q.Name, Store: path, Points: s.Points, There: s.There, Computed: s.Computed, Failed: s.Failed, Refused: s.Refused, Missing: s.Missing, Version: version()}
	r.Failures, r.Refusals = sweptFailures(q, s.Failures), sweptFailures(q, s.Refusals)
	return r
}

func sweptFailures(q *question.Study, failures []sweep.Failure) (list []sweptFailure) {
	for _, failure := range failures {
		one := sweptFailure{map[string]string{}, failure.Error}
		for i, label := range failure.Labels {
			one.Point[q.Axes[i].Name] = label
		}
		list = append(list, one)
	}
	return list
}

func printSwept(w io.Writer, q *question.Study, path string, s *sweep.Summary) error {
	rows := [][]string{{"points", itoa(s.Points)}, {"were there", itoa(s.There)}, {"computed", itoa(s.Computed)}, {"failed", itoa(s.Failed)}}
	if s.Refused > 0 {
		rows = append(rows, []string{"refused", itoa(s.Refused) + ", no algorithm takes them"})
	}
	rows = append(rows, []string{"store", path})
	if s.Missing > 0 {
		rows = append(rows, []string{"missing", itoa(s.Missing)})
	}
	if err := printRows(w, q.Name, nil, rows); err != nil {
		return err
	}
	if err := printFailures(w, q, "refused", s.Refusals); err != nil {
		return err
	}
	if more := s.Refused - len(s.Refusals); more > 0 {
		if _, err := fmt.Fprintf(w, "and %s refused; the report has the reasons\n", input.Count(more, "more point")); err != nil {
			return err
		}
	}
	if err := printFailures(w, q, "FAIL", s.Failures); err != nil {
		return err
	}
	if more := s.Failed - len(s.Failures); more > 0 {
		_, err := fmt.Fprintln(w, moreFailed(more))
		return err
	}
	return nil
}

// printFailures prints a line for each point without figures.
func printFailures(w io.Writer, q *question.Study, what string, list []sweep.Failure) error {
	for _, failure := range list {
		var at []string
		for i, label := range failure.Labels {
			at = append(at, q.Axes[i].Name+" "+label)
		}
		if _, err := fmt.Fprintln(w, escape.Line(what+" "+strings.Join(at, ", ")+": "+failure.Error)); err != nil {
			return err
		}
	}
	return nil
}

// moreFailed says how many failures are not printed.
func moreFailed(count int) string {
	if count == 1 {
		return "1 more point has failed"
	}
	return itoa(count) + " more points have failed"
}

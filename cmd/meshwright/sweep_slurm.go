// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/study/question"
	"meshwright/study/slurm"
	"meshwright/study/store"
	"meshwright/study/sweep"
)

// slurmFlags describe a sweep by Slurm.
type slurmFlags struct {
	on, options                   string
	perTask                       int
	resume, status, collect, wait bool
	dry                           bool
}

// slurmFlagNames are the flags that need --on slurm.
var slurmFlagNames = []string{"points-per-task", "slurm-args", "resume", "status", "collect", "wait", "dry-run"}

// defaultPerTask is how many points a task of Slurm has at least.
const defaultPerTask = 100

func (f *slurmFlags) add(cmd *cobra.Command) {
	groupCluster.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.on, "on", "", "submit the points to a `scheduler`: slurm")
		flags.IntVar(&f.perTask, "points-per-task", defaultPerTask, "points that a task of the job array runs")
		flags.StringVar(&f.options, "slurm-args", "", "more `options` for sbatch, such as \"--partition=long --time=60\"")
		flags.BoolVar(&f.dry, "dry-run", false, "only print the scripts that sbatch would get; needs no Slurm")
		flags.BoolVar(&f.wait, "wait", false, "wait until all tasks have ended")
		flags.BoolVar(&f.status, "status", false, "only say how far the tasks are")
		flags.BoolVar(&f.collect, "collect", false, "only merge the results of the tasks that have ended")
		flags.BoolVar(&f.resume, "resume", false, "submit again what ended tasks have not run")
	})
}

// fits refuses flags that do not go together.
func (f *slurmFlags) fits(cmd *cobra.Command) error {
	switch f.on {
	case "":
		return refuse(cmd, "only --on slurm has it", "given without --on slurm", slurmFlagNames)
	case "slurm":
	default:
		return input.At("--on", 0, "expected slurm", "%q", input.Clip(f.on))
	}
	if f.perTask < 1 {
		return input.At("--points-per-task", 0, "expected at least 1", "%d", f.perTask)
	}
	if err := exclusive(cmd, "status", "collect", "resume"); err != nil {
		return err
	}
	if err := exclusive(cmd, "status", "collect", "wait"); err != nil {
		return err
	}
	for _, other := range []string{"status", "collect", "resume", "wait", "json"} {
		if err := exclusive(cmd, "dry-run", other); err != nil {
			return err
		}
	}
	return refuse(cmd, "the array runs all points", "given with --on slurm", []string{"shard", "points"})
}

// run does what the flags ask for: it submits, waits, looks or merges.
func (f *slurmFlags) run(cmd *cobra.Command, study *studyFlags, s *sweep.Sweep, asJSON bool) error {
	if f.dry {
		return f.printScripts(cmd, study, s)
	}
	if err := slurm.Here(); err != nil {
		return err
	}
	there, err := slurm.Open(study.store)
	if err != nil {
		return err
	}
	if there == nil && (f.status || f.collect || f.resume) {
		return input.At(study.store, 0, "expected meshwright sweep --on slurm before", "nothing was submitted for this store")
	}
	switch {
	case f.status:
		return f.look(cmd, study.store, s.Study, there, asJSON)
	case f.collect:
		return f.gather(cmd, study, s, there, asJSON)
	case there == nil || f.resume:
		if there, err = f.submit(cmd, study, s, there, asJSON); err != nil || there == nil {
			return err
		}
	case !f.wait:
		return input.At(study.store, 0, "expected --status, --wait or --resume", "submitted already")
	}
	if !f.wait {
		return nil
	}
	done, err := there.Wait(cmd.Context())
	if err != nil {
		sayInterrupted(cmd, done, there.Points, "done by tasks that have ended", "the others go on, and --wait waits for them again")
		return err
	}
	return f.gather(cmd, study, s, there, asJSON)
}

// submit submits the points that have no results. If all have, there is no submission. A store that is new does not stay if Slurm
// refuses the tasks.
func (f *slurmFlags) submit(cmd *cobra.Command, study *studyFlags, s *sweep.Sweep, before *slurm.Submission, asJSON bool) (*slurm.Submission, error) {
	_, missing := os.Stat(study.store)
	done, err := f.submitMissing(cmd, study, s, before, asJSON)
	if err != nil && missing != nil && done == nil && !errors.Is(err, errFailed) {
		return nil, errors.Join(err, os.Remove(study.store))
	}
	return done, err
}

func (f *slurmFlags) submitMissing(cmd *cobra.Command, study *studyFlags, s *sweep.Sweep, before *slurm.Submission, asJSON bool) (*slurm.Submission, error) {
	if err := study.open(cmd, s); err != nil {
		return nil, err
	}
	defer s.Store.Close()
	if before != nil {
		status, err := before.Collect(cmd.Context(), s.Store)
		if err != nil {
			return nil, err
		}
		if status.Live() {
			return nil, input.At(study.store, 0, "expected --wait, or scancel", "%s of the last submission are still in the queue", input.Count(status.Waiting+status.Running, "task"))
		}
	}
	tasks, summary, err := s.Plan(cmd.Context())
	if err != nil {
		return nil, err
	}
	if len(tasks) == 0 {
		if err := s.Count(cmd.Context(), summary); err != nil {
			return nil, err
		}
		return nil, study.finish(cmd, s, summary, asJSON)
	}
	if before != nil {
		if err := before.Forget(); err != nil {
			return nil, err
		}
	}
	job, err := f.job(study, s, tasks)
	if err != nil {
		return nil, err
	}
	done, err := job.Submit(cmd.Context())
	if err != nil || f.wait {
		return done, err
	}
	if asJSON {
		return done, printJSON(cmd.OutOrStdout(), newSubmittedReport(s.Study, summary, done))
	}
	return done, printSubmitted(cmd.OutOrStdout(), s.Study, summary, done)
}

// job is the job of some tasks of a sweep.
func (f *slurmFlags) job(study *studyFlags, s *sweep.Sweep, tasks []sweep.Task) (*slurm.Job, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	job := &slurm.Job{Study: s.Study, Store: study.store, Program: program, PerTask: f.perTask, Options: f.options}
	for _, t := range tasks {
		job.Places = append(job.Places, t.Place)
	}
	return job, nil
}

// printScripts prints what would be submitted. A store that is new does not stay.
func (f *slurmFlags) printScripts(cmd *cobra.Command, study *studyFlags, s *sweep.Sweep) (err error) {
	if _, missing := os.Stat(study.store); missing != nil {
		defer func() { err = errors.Join(err, os.Remove(study.store)) }()
	}
	if err := study.open(cmd, s); err != nil {
		return err
	}
	defer s.Store.Close()
	tasks, _, err := s.Plan(cmd.Context())
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		return input.At(study.store, 0, "expected points without results", "nothing to submit")
	}
	job, err := f.job(study, s, tasks)
	if err != nil {
		return err
	}
	text, err := job.Scripts()
	if err != nil {
		return err
	}
	_, err = io.WriteString(cmd.OutOrStdout(), text)
	return err
}

// gather merges the results of the tasks into the store, and prints what is in it.
func (f *slurmFlags) gather(cmd *cobra.Command, study *studyFlags, s *sweep.Sweep, there *slurm.Submission, asJSON bool) (err error) {
	if s.Store, err = store.Open(cmd.Context(), study.store); err != nil {
		return err
	}
	defer s.Store.Close()
	status, err := there.Collect(cmd.Context(), s.Store)
	if err != nil {
		return err
	}
	s.Again = false
	tasks, summary, err := s.Plan(cmd.Context())
	if err != nil {
		return err
	}
	if err := s.Count(cmd.Context(), summary); err != nil {
		return err
	}
	summary.Missing = len(tasks)
	failed := study.finish(cmd, s, summary, asJSON)
	if !asJSON {
		if err := printLost(cmd.OutOrStdout(), status); err != nil {
			return err
		}
	}
	return failed
}

// look prints how far the tasks are.
func (f *slurmFlags) look(cmd *cobra.Command, path string, q *question.Study, there *slurm.Submission, asJSON bool) error {
	status, err := there.Status(cmd.Context())
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(cmd.OutOrStdout(), newTasksReport(q, path, status))
	}
	rows := [][]string{
		{"points of the tasks", itoa(status.Points)}, {"done by tasks that have ended", itoa(status.Done)}, {"failed", itoa(status.Failed)},
		{"tasks", itoa(status.Tasks)}, {"waiting", itoa(status.Waiting)}, {"running", itoa(status.Running)}, {"whole", itoa(status.Whole)}, {"lost", itoa(len(status.Lost))},
	}
	if err := printRows(cmd.OutOrStdout(), q.Name, nil, rows); err != nil {
		return err
	}
	return printLost(cmd.OutOrStdout(), status)
}

// printLost lists the tasks that have ended before their last point.
func printLost(w io.Writer, status *slurm.Status) error {
	for _, lost := range status.Lost {
		line := fmt.Sprintf("LOST task %d (job %s): %s missing; %s: %s", lost.Task, lost.Job, input.Count(lost.Missing, "point"), lost.Log, lost.Says)
		if _, err := fmt.Fprintln(w, escape.Line(line)); err != nil {
			return err
		}
	}
	return nil
}

// printSubmitted says which jobs there are.
func printSubmitted(w io.Writer, q *question.Study, summary *sweep.Summary, s *slurm.Submission) error {
	rows := [][]string{{"points", itoa(summary.Points)}, {"were there", itoa(summary.There)}, {"submitted", itoa(s.Points)}, {"tasks", itoa(s.Tasks)}}
	for _, a := range s.Arrays {
		rows = append(rows, []string{"job " + a.Job, fmt.Sprintf("tasks %d to %d", a.First, a.First+a.Tasks-1)})
	}
	rows = append(rows, []string{"job " + s.Merge, "merges their results"}, []string{"store", s.Store})
	return printRows(w, q.Name, nil, rows)
}

// submittedReport is the JSON of a submission; its names are a contract.
type submittedReport struct {
	Study   string         `json:"study"`
	Store   string         `json:"store"`
	Points  int            `json:"points"`
	There   int            `json:"points_there"`
	Sent    int            `json:"points_submitted"`
	Tasks   int            `json:"tasks"`
	Arrays  []submittedJob `json:"arrays"`
	Merge   string         `json:"merge_job"`
	Version string         `json:"version"`
}

type submittedJob struct {
	Job   string `json:"job"`
	First int    `json:"first_task"`
	Tasks int    `json:"tasks"`
}

func newSubmittedReport(q *question.Study, summary *sweep.Summary, s *slurm.Submission) submittedReport {
	r := submittedReport{Study: q.Name, Store: s.Store, Points: summary.Points, There: summary.There, Sent: s.Points, Tasks: s.Tasks, Merge: s.Merge, Version: version()}
	for _, a := range s.Arrays {
		r.Arrays = append(r.Arrays, submittedJob{a.Job, a.First, a.Tasks})
	}
	return r
}

// tasksReport is the JSON of the state of a submission; its names are a contract.
type tasksReport struct {
	Study   string     `json:"study"`
	Store   string     `json:"store"`
	Points  int        `json:"points"`
	Done    int        `json:"points_done"`
	Failed  int        `json:"points_failed"`
	Tasks   int        `json:"tasks"`
	Waiting int        `json:"tasks_waiting"`
	Running int        `json:"tasks_running"`
	Whole   int        `json:"tasks_whole"`
	Lost    []lostTask `json:"tasks_lost"`
	Version string     `json:"version"`
}

type lostTask struct {
	Task    int    `json:"task"`
	Job     string `json:"job"`
	Missing int    `json:"points_missing"`
	Log     string `json:"log"`
	Says    string `json:"says"`
}

func newTasksReport(q *question.Study, path string, s *slurm.Status) tasksReport {
	r := tasksReport{
		Study: q.Name, Store: path, Points: s.Points, Done: s.Done, Failed: s.Failed,
		Tasks: s.Tasks, Waiting: s.Waiting, Running: s.Running, Whole: s.Whole, Lost: []lostTask{}, Version: version(),
	}
	for _, lost := range s.Lost {
		r.Lost = append(r.Lost, lostTask(lost))
	}
	return r
}

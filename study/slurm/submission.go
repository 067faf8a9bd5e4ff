// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"meshwright/internal/atomicfile"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/study/question"
	"meshwright/study/store"
	"meshwright/study/sweep"
)

// Job is what is submitted.
type Job struct {
	Study   *question.Study
	Store   string // the file
	Places  []int  // the points to run
	Program string // the file of meshwright on all nodes
	PerTask int    // points of a task, at least
	Options string // of sbatch, as in a shell
}

// Submission is what was submitted. Its JSON is that of the file.
type Submission struct {
	Store  string  `json:"store"`
	Points int     `json:"points"` // that the tasks run
	Tasks  int     `json:"tasks"`
	Arrays []Array `json:"arrays"`
	Merge  string  `json:"merge"` // the job that merges
}

// Array is a job with tasks First, First+1, …
type Array struct {
	Job   string `json:"job"`
	First int    `json:"first"` // from 1
	Tasks int    `json:"tasks"`
}

// The files of a submission.
const (
	recordName = "submission.json"
	pointsName = "points"
	mergeLog   = "merge.log"
)

func folderOf(store string) string { return store + ".slurm" }

// Open returns the last submission for a store; nil if there is none. Errors are *input.Error.
func Open(store string) (*Submission, error) {
	path := filepath.Join(folderOf(store), recordName)
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, input.Unreadable(path, err)
	}
	s := &Submission{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, input.At(path, 0, "expected what meshwright sweep --on slurm has written", "%v", err)
	}
	s.Store = store
	return s, nil
}

// Forget removes the files of a submission. What is not merged is lost.
func (s *Submission) Forget() error { return os.RemoveAll(folderOf(s.Store)) }

// Submit submits arrays of tasks, and a merge after them. If Slurm refuses one of them, none stays. Errors are the
// context's, *input.Error, or the system's.
func (j *Job) Submit(ctx context.Context) (*Submission, error) {
	options, err := words(j.Options)
	if err != nil {
		return nil, input.Locate(err, "--slurm-args", 0)
	}
	most, err := mostTasks(ctx)
	if err != nil {
		return nil, err
	}
	folder := folderOf(j.Store)
	if err := j.prepare(folder); err != nil {
		return nil, err
	}
	s := &Submission{Store: j.Store, Points: len(j.Places), Tasks: j.tasks()}
	if err := s.submit(ctx, j, most, options); err != nil {
		return nil, errors.Join(err, cancel(ctx, s.jobs()), os.RemoveAll(folder))
	}
	return s, nil
}

// prepare makes the folder with the files that the tasks read.
func (j *Job) prepare(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(j.study(), []byte(j.Study.Text), 0o666); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, pointsName), func(w io.Writer) error { return sweep.WritePlaces(w, j.Places) })
}

// study is the copy of the study. It has the study's own name, which may be the default of its key.
func (j *Job) study() string { return filepath.Join(folderOf(j.Store), j.Study.FileName()) }

func (s *Submission) submit(ctx context.Context, j *Job, most int, options []string) error {
	phase := progress.Begin(ctx, "submit tasks", s.Tasks)
	defer phase.End()
	for first := 1; first <= s.Tasks; first += most {
		a := Array{First: first, Tasks: min(most, s.Tasks-first+1)}
		var err error
		if a.Job, err = submit(ctx, j.taskScript(s.Tasks, first), j.arrayOptions(options, a.Tasks)...); err != nil {
			return err
		}
		s.Arrays = append(s.Arrays, a)
		phase.Set(first+a.Tasks-1, s.Tasks)
	}
	var err error
	if s.Merge, err = submit(ctx, j.mergeScript(), j.mergeOptions(options, s.jobs()...)...); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folderOf(s.Store), recordName), func(w io.Writer) error {
		text, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			return err
		}
		_, err = w.Write(append(text, '\n'))
		return err
	})
}

// arrayOptions are those of sbatch for an array of tasks, behind the user's.
func (j *Job) arrayOptions(options []string, tasks int) []string {
	return append(slices.Clone(options), fmt.Sprintf("--array=0-%d", tasks-1), "--job-name="+j.Study.Name, j.log("%A-%a.log"))
}

// mergeOptions are those of sbatch for the merge behind some arrays.
func (j *Job) mergeOptions(options []string, arrays ...string) []string {
	return append(slices.Clone(options), "--dependency=afterany:"+strings.Join(arrays, ":"), "--job-name="+j.Study.Name+"-merge", j.log(mergeLog))
}

func (j *Job) log(name string) string {
	return "--output=" + strings.ReplaceAll(absolute(folderOf(j.Store)), "%", "%%") + "/" + name
}

// Scripts returns what Submit would give to sbatch, each script below its command, with one array for all tasks. Nothing is written or submitted. The
// error is an *input.Error.
func (j *Job) Scripts() (string, error) {
	options, err := words(j.Options)
	if err != nil {
		return "", input.Locate(err, "--slurm-args", 0)
	}
	tasks := j.tasks()
	var b strings.Builder
	for _, one := range []struct {
		options []string
		script  string
	}{{j.arrayOptions(options, tasks), j.taskScript(tasks, 1)}, {j.mergeOptions(options, "ARRAY"), j.mergeScript()}} {
		b.WriteString("# sbatch")
		for _, option := range one.options {
			b.WriteString(" " + escape.Shell(option))
		}
		b.WriteString("\n" + one.script)
	}
	return b.String(), nil
}

// tasks is the number of tasks.
func (j *Job) tasks() int { return (len(j.Places) + j.PerTask - 1) / j.PerTask }

// jobs lists the jobs that were submitted.
func (s *Submission) jobs() []string {
	var list []string
	for _, a := range s.Arrays {
		list = append(list, a.Job)
	}
	if s.Merge != "" {
		list = append(list, s.Merge)
	}
	return list
}

// taskScript is the script of an array whose first task is number first.
func (j *Job) taskScript(tasks, first int) string {
	folder := absolute(folderOf(j.Store))
	return fmt.Sprintf(`#!/bin/sh
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-1}
task=$((SLURM_ARRAY_TASK_ID + %d))
exec %s --points %s --shard $task/%d --store %s/$task.db
`, first, j.sweep(), escape.Shell(filepath.Join(folder, pointsName)), tasks, escape.Shell(folder))
}

// mergeScript is the script of the job that merges.
func (j *Job) mergeScript() string {
	return fmt.Sprintf("#!/bin/sh\nexec %s --on slurm --collect --store %s\n", j.sweep(), escape.Shell(absolute(j.Store)))
}

// sweep is the command that sweeps the copy of the study.
func (j *Job) sweep() string {
	line := escape.Shell(j.Program) + " sweep --yes " + escape.Shell(absolute(j.study()))
	for _, name := range slices.Sorted(maps.Keys(j.Study.Parameters)) {
		line += " -P " + escape.Shell(name+"="+j.Study.Parameters[name])
	}
	return line
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// part is the store of a task.
func (s *Submission) part(task int) string {
	return filepath.Join(folderOf(s.Store), strconv.Itoa(task)+".db")
}

// place returns the job of a task, and the task's index in it.
func (s *Submission) place(task int) (job string, index int) {
	for _, a := range s.Arrays {
		if task < a.First+a.Tasks {
			return a.Job, task - a.First
		}
	}
	return "", alone
}

// size is how many points a task has.
func (s *Submission) size(task int) int {
	return sweep.Shard{Index: task, Count: s.Tasks}.Size(s.Points)
}

// Collect merges the stores of the tasks that have ended. To do it twice changes nothing.
func (s *Submission) Collect(ctx context.Context, to *store.Store) (*Status, error) {
	status, err := s.Status(ctx)
	if err != nil {
		return nil, err
	}
	phase := progress.Begin(ctx, "merge the results of tasks", len(status.readable))
	defer phase.End()
	for _, task := range status.readable {
		if err := phase.Step(); err != nil {
			return nil, err
		}
		if err := to.Merge(ctx, s.part(task)); err != nil {
			return nil, err
		}
	}
	return status, nil
}

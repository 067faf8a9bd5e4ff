// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/study/store"
)

// Status is how far a submission is. The points of a task count when the task has ended.
type Status struct {
	Points, Done, Failed           int // Failed: done, with an error instead of figures
	Tasks, Waiting, Running, Whole int
	Merging                        bool // the merge waits or runs
	Lost                           []Lost

	readable []int // tasks whose stores can be merged
}

// Lost is a task that has ended before its last point.
type Lost struct {
	Task    int
	Job     string // with the index in the array, as scontrol takes it
	Missing int    // points
	Log     string // the file
	Says    string // the last line of the log, or what is wrong with the task's store
}

// Live reports whether Slurm still has tasks, or the merge.
func (s *Status) Live() bool { return s.Waiting+s.Running > 0 || s.Merging }

// Status asks Slurm, and counts the results of the tasks that have ended.
func (s *Submission) Status(ctx context.Context) (*Status, error) {
	q, err := ask(ctx)
	if err != nil {
		return nil, err
	}
	status := &Status{Points: s.Points, Tasks: s.Tasks, Merging: len(q[s.Merge]) > 0}
	phase := progress.Begin(ctx, "look at the tasks", s.Tasks)
	defer phase.End()
	for task := 1; task <= s.Tasks; task++ {
		if err := phase.Step(); err != nil {
			return nil, err
		}
		job, index := s.place(task)
		switch q[job][index] {
		case waiting:
			status.Waiting++
		case running:
			status.Running++
		default:
			if err := s.judge(ctx, task, status); err != nil {
				return nil, err
			}
		}
	}
	return status, nil
}

// judge counts the results of a task that has ended. The error is the context's.
func (s *Submission) judge(ctx context.Context, task int, status *Status) error {
	done, failed, err := results(ctx, s.part(task))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		status.readable = append(status.readable, task)
	}
	status.Done += done
	status.Failed += failed
	missing := s.size(task) - done
	if missing <= 0 {
		status.Whole++
		return nil
	}
	job, index := s.place(task)
	lost := Lost{Task: task, Job: fmt.Sprintf("%s_%d", job, index), Missing: missing}
	lost.Log = filepath.Join(folderOf(s.Store), fmt.Sprintf("%s-%d.log", job, index))
	lost.Says = lastLine(lost.Log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		lost.Says = err.Error()
	}
	status.Lost = append(status.Lost, lost)
	return nil
}

// results counts the results in a store, and how many of them are errors.
func results(ctx context.Context, path string) (done, failed int, err error) {
	if _, err := os.Stat(path); err != nil {
		return 0, 0, err
	}
	part, err := store.OpenForReading(ctx, path)
	if err != nil {
		return 0, 0, err
	}
	ids, err := part.IDs(ctx)
	for _, bad := range ids {
		if bad {
			failed++
		}
	}
	return len(ids), failed, errors.Join(err, part.Close())
}

// lastLine is the last line of a log that is not empty.
func lastLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "no log"
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return input.Clip(strings.ToValidUTF8(last, "?"))
	}
	return "an empty log"
}

// How often Wait asks Slurm, at first and at last, and for how long Slurm may not answer.
const (
	askSoon  = 500 * time.Millisecond
	askLate  = 10 * time.Second
	longMute = 5 * time.Minute
)

// Wait waits until Slurm has no task any more, and no merge. It returns the points of the tasks that have ended, also with an
// error. The error is the context's, or Slurm's if it does not answer for minutes.
func (s *Submission) Wait(ctx context.Context) (done int, err error) {
	phase := progress.Begin(ctx, "wait for the tasks of Slurm", s.Points)
	defer phase.End()
	answered := time.Now()
	for every := askSoon; ; every = min(askLate, every*5/4) {
		q, err := ask(ctx)
		switch {
		case ctx.Err() != nil:
			return done, ctx.Err()
		case err == nil:
			answered = time.Now()
			var left, runs int
			done, left, runs = s.left(q)
			phase.Set(done, s.Points)
			phase.Describe(fmt.Sprintf("%d of %d tasks left, %d running", left, s.Tasks, runs))
			if left == 0 && len(q[s.Merge]) == 0 {
				return done, nil
			}
		case time.Since(answered) > longMute:
			return done, err
		}
		select {
		case <-ctx.Done():
			return done, ctx.Err()
		case <-time.After(every):
		}
	}
}

// left counts the points of the tasks that have ended, the tasks that have not, and those that run.
func (s *Submission) left(q queue) (points, left, runs int) {
	for task := 1; task <= s.Tasks; task++ {
		job, index := s.place(task)
		switch q[job][index] {
		case ended:
			points += s.size(task)
		case running:
			runs++
			left++
		default:
			left++
		}
	}
	return points, left, runs
}

// SPDX-License-Identifier: Apache-2.0

// Package sweep runs the points of a study on all cores, and keeps the results in a store. Points that the store has are not
// run again.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"meshwright/internal/input"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/study/point"
	"meshwright/study/question"
	"meshwright/study/store"
)

// Sweep says what is swept, and where the results go.
type Sweep struct {
	Study   *question.Study
	Store   *store.Store
	Version string // of the program, a part of every point's identity
	Places  []int  // points that are swept, by their place in the study, rising; nil: all
	Shard   Shard  // part of these points
	Again   bool   // runs points again that have failed

	Workers int // 0: one for each core
	runner  point.Runner
	planned atomic.Pointer[Summary] // by Run
	done    atomic.Int64            // points that Run has computed
	shared  atomic.Int64            // their copies, which have the same results
}

// Shard is a part of the points: every so many, from one on. The zero value is all points.
type Shard struct{ Index, Count int } // Index from 1

// ParseShard reads 2/5. The error is an *input.Error.
func ParseShard(text string) (Shard, error) {
	first, second, _ := strings.Cut(text, "/")
	index, wrongIndex := strconv.ParseUint(first, 10, 31) // digits alone
	count, wrongCount := strconv.ParseUint(second, 10, 31)
	if wrongIndex != nil || wrongCount != nil || index < 1 || count < index {
		return Shard{}, input.Errorf("expected a shard such as 1/4", "%q", input.Clip(text))
	}
	return Shard{Index: int(index), Count: int(count)}, nil
}

// has reports whether a point belongs to the shard.
func (s Shard) has(place int) bool { return s.Count == 0 || place%s.Count == s.Index-1 }

// Size returns the number of points of the shard, of so many in all.
func (s Shard) Size(points int) int {
	if s.Count == 0 {
		return points
	}
	return (points + s.Count - s.Index) / s.Count
}

// Summary counts the points of a sweep.
type Summary struct {
	Points   int
	There    int       // have a result that this sweep has not computed: from before, or of an equal point
	Computed int       // by this sweep, also those that have failed
	Failed   int       // have no figures because something went wrong; see Count
	Refused  int       // have no figures because no algorithm takes their job
	Missing  int       // neither there nor computed: what others that run them have not done
	Failures []Failure // the first ones
	Refusals []Failure // the first ones
}

// Failure is a point without figures.
type Failure struct {
	Labels []string
	Error  string
}

// mostFailures bounds the failures that a summary lists.
const mostFailures = 5

// Task is a point that is to be run.
type Task struct {
	ID       point.ID
	Place    int // in the study, from 0
	Settings point.Settings
	copies   int // further points of the sweep that are equal
}

// Run sweeps. The error is the context's, the store's, or an *input.Error; a point that fails is none. With an error the
// summary counts what is in the store by then; it is nil if no point was to be run yet.
func (s *Sweep) Run(ctx context.Context) (*Summary, error) {
	s.planned.Store(nil)
	tasks, planned, err := s.Plan(ctx)
	if err != nil {
		return nil, err
	}
	s.done.Store(0)
	s.shared.Store(0)
	s.planned.Store(planned)
	need := s.Study.Need()
	phase := progress.Begin(ctx, "sweep "+s.Study.Name, len(tasks))
	defer phase.End()
	inner := progress.With(ctx, nil)
	start := time.Now()
	workers := s.Workers
	if workers == 0 {
		workers = parallel.Workers()
	}
	err = parallel.Each(ctx, phase, workers, len(tasks), func() func(int) error {
		return func(i int) error {
			if err := s.do(inner, &tasks[i], need); err != nil {
				return err
			}
			s.shared.Add(int64(tasks[i].copies))
			rate := float64(s.done.Add(1)) / max(time.Since(start).Seconds(), 1e-3)
			phase.Describe(fmt.Sprintf("%.3g points/s", rate))
			return nil
		}
	})
	summary := s.SoFar()
	if err != nil {
		return summary, err
	}
	return summary, s.Count(ctx, summary)
}

// SoFar returns the summary of a Run that goes on; nil if no point was to be run yet. Computed counts the points that have failed, but
// Failed and Failures are not filled in. Any goroutine may call it.
func (s *Sweep) SoFar() *Summary {
	planned := s.planned.Load()
	if planned == nil {
		return nil
	}
	summary := *planned
	summary.Computed = int(s.done.Load())
	summary.There += int(s.shared.Load())
	return &summary
}

// do runs a point and keeps its result. What the context ended has no result.
func (s *Sweep) do(ctx context.Context, t *Task, need point.Need) error {
	row := store.Row{ID: t.ID, Settings: t.Settings}
	figures, err := s.runner.Run(ctx, t.Settings, need)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		row.Error = err.Error()
		var refusal *point.Refusal
		row.Refused = errors.As(err, &refusal)
	default:
		row.Figures = figures
	}
	return s.Store.Add(ctx, &row)
}

// valid refuses a sweep of nothing, or to nowhere.
func (s *Sweep) valid() error {
	switch {
	case s.Study == nil:
		return input.Errorf("expected a study", "nothing to sweep")
	case s.Store == nil:
		return input.Errorf("expected a store", "nowhere to keep results")
	}
	return nil
}

// Plan defines the study in the store, and returns the points that are to be run. The summary counts all points, and
// those that the store has; a point that is equal to one of the tasks is not there yet.
func (s *Sweep) Plan(ctx context.Context) ([]Task, *Summary, error) {
	if err := s.valid(); err != nil {
		return nil, nil, err
	}
	there, err := s.Store.IDs(ctx)
	if err != nil {
		return nil, nil, err
	}
	summary := &Summary{}
	var members []point.ID
	var tasks []Task
	has := s.selection()
	machines := map[string]string{}
	taken := map[point.ID]int{} // the place of its task in the list
	need := s.Study.Need()
	phase := progress.Begin(ctx, "list the points", s.Study.Count())
	defer phase.End()
	for p, err := range s.Study.Points() {
		if err == nil {
			err = phase.Step()
		}
		if err != nil {
			return nil, nil, err
		}
		id, err := s.runner.Identify(p.Settings, need, s.Version)
		if err != nil {
			return nil, nil, err
		}
		if err := addMachine(machines, p.Settings.MachineFile()); err != nil {
			return nil, nil, err
		}
		place := len(members)
		members = append(members, id)
		if !has(place) {
			continue
		}
		summary.Points++
		failed, known := there[id]
		if known && !(failed && s.Again) {
			summary.There++
			continue
		}
		if at, ok := taken[id]; ok {
			tasks[at].copies++
			continue
		}
		taken[id] = len(tasks)
		tasks = append(tasks, Task{ID: id, Place: place, Settings: p.Settings})
	}
	if last := len(s.Places) - 1; last >= 0 && s.Places[last] >= len(members) {
		return nil, nil, input.Errorf(fmt.Sprintf("expected places below %d, the points of the study", len(members)), "place %d", s.Places[last])
	}
	study := &store.Study{Name: s.Study.Name, File: s.Study.File, Text: s.Study.Text, Parameters: s.Study.Parameters, Version: s.Version, Machines: machines}
	return tasks, summary, s.Store.Define(ctx, study, members)
}

// addMachine adds the text of a machine file, "": none. The file has been read before.
func addMachine(machines map[string]string, file string) error {
	if _, known := machines[file]; known || file == "" {
		return nil
	}
	text, err := input.ReadFile(file)
	machines[file] = string(text)
	return err
}

// selection returns a function that reports whether a place is swept.
func (s *Sweep) selection() func(place int) bool {
	if s.Places == nil {
		return s.Shard.has
	}
	return func(place int) bool {
		i, found := slices.BinarySearch(s.Places, place)
		return found && s.Shard.has(i)
	}
}

// Count fills in what the store has in the end: the points that have failed, and those that are there although the sweep has not
// computed them.
func (s *Sweep) Count(ctx context.Context, summary *Summary) error {
	if err := s.valid(); err != nil {
		return err
	}
	rows, err := s.Store.Rows(ctx, s.Study.Name)
	if err != nil {
		return err
	}
	summary.There, summary.Failed, summary.Refused, summary.Failures, summary.Refusals = -summary.Computed, 0, 0, nil, nil
	place, has := 0, s.selection()
	for p, err := range s.Study.Points() {
		if err != nil {
			return err
		}
		r, known := rows[place]
		if known && has(place) {
			summary.There++
		}
		switch {
		case r.Error == "" || !has(place):
		case r.Refused:
			if summary.Refused++; summary.Refused <= mostFailures {
				summary.Refusals = append(summary.Refusals, Failure{p.Labels, r.Error})
			}
		default:
			if summary.Failed++; summary.Failed <= mostFailures {
				summary.Failures = append(summary.Failures, Failure{p.Labels, r.Error})
			}
		}
		place++
	}
	return nil
}

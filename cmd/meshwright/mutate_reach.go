// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"

	"meshwright/router"
	"meshwright/rtl/coverage"
)

// vectorSource are vectors, and what makes them.
type vectorSource struct {
	command string
	coverage.Vectors
}

// reachReport is what vectors reach of the library's code; its JSON names are a contract.
type reachReport struct {
	Lines    reachShare      `json:"lines"`
	Branches reachShare      `json:"branches"`
	Toggles  reachShare      `json:"toggles"`
	Vectors  []rankedVectors `json:"vectors"`
	Missed   []missedPoint   `json:"missed"`
}

// reachShare counts points of a kind; its JSON names are a contract.
type reachShare struct {
	Points  int      `json:"points"`
	Reached int      `json:"reached"`
	Share   quotient `json:"share"`
}

// rankedVectors are vectors that reach points which those before do not; their JSON names are a contract.
type rankedVectors struct {
	Command string   `json:"command"`
	Cycles  duration `json:"cycles"`
	Points  int      `json:"points"`
}

// missedPoint is a line or branch that no vectors reach; its JSON names are a contract.
type missedPoint struct {
	Kind  string `json:"kind"`
	Place string `json:"place"`
	Name  string `json:"name"`
}

// reached counts what the vectors reach: those of the run, of the run with its stress phase, and those that were tried besides.
func (f *mutateFlags) reached(ctx context.Context, what, dir string) (*reachReport, error) {
	own := []vectorSource{{what, coverage.Vectors{Dir: dir, Cycles: int(f.stressBegin)}}}
	if f.recorder.Cycles() > f.stressBegin {
		own = append(own, vectorSource{what + ", and its stress phase", coverage.Vectors{Dir: dir, Cycles: int(f.recorder.Cycles())}})
	}
	sources := append(own, f.sources...)
	list := make([]coverage.Vectors, len(sources))
	for i := range list {
		list[i] = sources[i].Vectors
	}
	points, err := coverage.Measure(ctx, dir, f.scratch, list)
	if err != nil {
		return nil, err
	}
	all := coverage.Points{}
	for _, p := range points {
		all.Add(p)
	}
	r := &reachReport{Lines: shareOf(all, coverage.Line), Branches: shareOf(all, coverage.Branch), Toggles: shareOf(all, coverage.Toggle), Missed: []missedPoint{}}
	order, fresh := coverage.Rank(list, points)
	for k, i := range order {
		r.Vectors = append(r.Vectors, rankedVectors{sources[i].command, f.outcome.time(router.Cycle(list[i].Cycles)), fresh[k]})
	}
	for _, p := range all.Missed() {
		r.Missed = append(r.Missed, missedPoint{string(p.Kind), p.String(), p.Name})
	}
	return r, nil
}

func shareOf(p coverage.Points, kind coverage.Kind) reachShare {
	points, reached := p.Count(kind)
	return reachShare{points, reached, quotient(float64(reached) / float64(points))}
}

// print prints the report; nothing if there is none.
func (r *reachReport) print(out io.Writer) error {
	if r == nil {
		return nil
	}
	var rows [][]string
	for _, s := range []struct {
		name string
		reachShare
	}{{"lines", r.Lines}, {"branches", r.Branches}, {"toggles", r.Toggles}} {
		rows = append(rows, []string{s.name, itoa(s.Points), itoa(s.Reached), fmt.Sprintf("%.1f%%", 100*float64(s.Share))})
	}
	if err := printRows(out, "code that the vectors reach", []string{"kind", "points", "reached", "share"}, rows); err != nil {
		return err
	}
	rows = nil
	for _, v := range r.Vectors {
		rows = append(rows, []string{v.Cycles.String(), itoa(v.Points), v.Command})
	}
	if err := printRows(out, "vectors, those first that reach most in the fewest cycles", []string{"cycles", "new points", "vectors"}, rows); err != nil || len(r.Missed) == 0 {
		return err
	}
	rows = nil
	for _, m := range r.Missed {
		rows = append(rows, []string{m.Kind, m.Place, m.Name})
	}
	return printRows(out, "lines and branches that no vectors reach", []string{"kind", "place", "name"}, rows)
}

// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"fmt"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/stages"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Sweep is a study over sizes: each contender on each network with blocks of
// each size, the same for all nodes.
type Sweep struct {
	Collective string
	Networks   []*topology.Topology
	Machine    machine.Machine
	Sync       bool        // with tokens
	Contenders []Contender // none: see contenders
	Bytes      []int       // of a PE's block, rising
	MostWords  int         // in the memories of all PEs, of a run in the model; with more it is predicted, without tokens by the formula
	Store      *Store      // where rows are kept
	Report     func(Progress)
}

// Progress tells how far a sweep is: the number of rows that are done, and of all rows as far
// as they are known (a network's crossovers are found on the way). Next is the row that runs
// now.
type Progress struct {
	Done, All int
	Next      Point
}

// Result has the results of a sweep.
type Result struct{ Networks []Network }

// Network has the results on one of the networks.
type Network struct {
	Topology   *topology.Topology
	Contenders []Contender
	Bytes      []int
	Rows       [][]Row // by size and contender
	Crossovers []Crossover
}

// Fastest returns the place of the contender that won at a size.
func (n *Network) Fastest(size int) int {
	best := 0
	for c, r := range n.Rows[size] {
		if r.Cycles < n.Rows[size][best].Cycles {
			best = c
		}
	}
	return best
}

// Farthest returns by which part of the time the formula is off at most.
func (n *Network) Farthest() float64 {
	worst := 0.0
	for _, row := range n.Rows {
		for _, r := range row {
			worst = max(worst, apart(float64(r.Formula), float64(r.Cycles)))
		}
	}
	return worst
}

// apart is how far a is from b, as a part of b.
func apart(a, b float64) float64 {
	if a == b {
		return 0
	}
	return max(a-b, b-a) / b
}

// Run computes the rows that are not in the store yet. Errors are *input.Error, the
// context's error, errors of the store's file, and *Failure.
func (s *Sweep) Run(ctx context.Context) (*Result, error) {
	if err := s.valid(); err != nil {
		return nil, err
	}
	r := &Result{}
	so := Progress{}
	phase := progress.Begin(ctx, "sweep "+s.Collective, 0)
	defer phase.End()
	for _, t := range s.Networks {
		n := Network{Topology: t, Contenders: s.contenders(t), Bytes: s.Bytes}
		so.All += len(n.Contenders) * len(s.Bytes)
		r.Networks = append(r.Networks, n)
	}
	for i := range r.Networks {
		w := &worker{Sweep: s, ctx: ctx, network: &r.Networks[i], progress: &so, phase: phase, known: map[formulaKey]collective.Prediction{}}
		if err := w.run(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// contenders returns the contenders of a network: the algorithms along its dimensions, and the
// baseline. Algorithms along a ring through all nodes are for another study.
func (s *Sweep) contenders(t *topology.Topology) []Contender {
	if s.Contenders != nil {
		return s.Contenders
	}
	all := []Contender{{string(stages.Vendor), ""}, {string(stages.Approach1), ""}}
	even := len(t.Dims) == 2 && t.Dims[0]%2 == 0 && t.Dims[1]%2 == 0
	if len(t.Dims) == 2 {
		all = append(all, Contender{string(stages.Torgos), ""})
	} else {
		all = append(all, Contender{string(stages.Circgos), ""})
	}
	all = append(all, Contender{string(stages.Approach2), ""})
	if even {
		all = append(all, Contender{string(stages.Approach1), stages.BlackWhite}, Contender{string(stages.Approach2), stages.BlackWhite})
	}
	return all
}

// worker sweeps one network.
type worker struct {
	*Sweep
	ctx      context.Context
	network  *Network
	progress *Progress
	phase    *progress.Phase
	known    map[formulaKey]collective.Prediction
}

type formulaKey struct {
	Contender
	flits int
}

func (w *worker) run() error {
	for _, bytes := range w.Bytes {
		row := make([]Row, len(w.network.Contenders))
		for c, contender := range w.network.Contenders {
			var err error
			if row[c], err = w.measure(contender, w.flits(bytes)); err != nil {
				return err
			}
		}
		w.network.Rows = append(w.network.Rows, row)
	}
	return w.crossovers()
}

// flits returns the flits of so many bytes.
func (w *worker) flits(bytes int) int { return (8*bytes + w.Machine.Width - 1) / w.Machine.Width }

// bytes returns the bytes of so many flits.
func (w *worker) bytes(flits float64) float64 { return flits * float64(w.Machine.Width) / 8 }

func (w *worker) job(c Contender, flits int) collective.Job {
	j := collective.Job{Topology: w.network.Topology, Machine: w.Machine, Sync: w.Sync, Start: c.Start, Seed: 1}
	j.Lengths = make([]int, j.Topology.Nodes())
	for n := range j.Lengths {
		j.Lengths[n] = flits
	}
	return j
}

// predict returns the formula's time and choice of a and b.
func (w *worker) predict(c Contender, flits int) (collective.Prediction, error) {
	key := formulaKey{c, flits}
	if f, ok := w.known[key]; ok {
		return f, nil
	}
	f, err := collective.Formula(w.Collective, c.Algorithm, w.job(c, flits))
	w.known[key] = f
	return f, err
}

// measure returns a row, from the store or run now.
func (w *worker) measure(c Contender, flits int) (Row, error) {
	if err := w.ctx.Err(); err != nil {
		return Row{}, err
	}
	p := w.point(c, flits)
	w.progress.Done++
	w.progress.All = max(w.progress.All, w.progress.Done)
	w.phase.Set(w.progress.Done-1, w.progress.All)
	w.phase.Describe(fmt.Sprintf("%s on %s, %d flits", p.Contender, p.Topology, p.Flits))
	if r, ok := w.Store.Get(p); ok {
		return r, nil
	}
	if w.Report != nil {
		w.progress.Next = p
		w.Report(*w.progress)
	}
	f, err := w.predict(c, flits)
	if err != nil {
		return Row{}, err
	}
	r := Row{Point: p, A: f.A, B: f.B, Bytes: int(w.bytes(float64(flits))), Formula: f.Formula}
	j := w.job(c, flits)
	j.A, j.B = f.A, f.B
	switch p.Source {
	case Model:
		r.Cycles, err = w.execute(p, j)
	case Predicted:
		f, err = collective.Predict(w.Collective, c.Algorithm, j)
		r.Cycles = f.Predicted
	default:
		r.Cycles = f.Formula
	}
	if err != nil {
		return Row{}, err
	}
	return r, w.Store.Add(r)
}

// point is the key of a row. Without tokens PEs send and take at once, which
// takes longer than can be predicted.
func (w *worker) point(c Contender, flits int) Point {
	p := Point{Collective: w.Collective, Topology: escape.Line(w.network.Topology.String()), Machine: w.Machine.Describe(), Sync: w.Sync, Contender: c, Flits: flits, Source: Formula}
	switch nodes := w.network.Topology.Nodes(); {
	case flits <= w.MostWords/nodes/nodes:
		p.Source = Model
	case w.Sync:
		p.Source = Predicted
	}
	return p
}

// Failure is a run that did not deliver.
type Failure struct {
	Point
	Cause error
}

// Error names the run and the cause of its failure.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s %s on %s with blocks of %d flits: %v", f.Collective, f.Contender, f.Topology, f.Flits, f.Cause)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// execute runs a job in the model.
func (w *worker) execute(p Point, j collective.Job) (router.Cycle, error) {
	plan, err := collective.Generate(w.ctx, w.Collective, p.Algorithm, j)
	if err != nil {
		return 0, err
	}
	r, err := collective.Execute(w.ctx, plan)
	if err != nil {
		return 0, err
	}
	if r.Failure != nil {
		return 0, &Failure{p, r.Failure}
	}
	return r.Cycles, nil
}

// ParseContender reads "algorithm" or "algorithm/start".
func ParseContender(text string) (Contender, error) {
	algorithm, start, found := strings.Cut(text, "/")
	if algorithm == "" || found && start == "" {
		return Contender{}, input.Errorf("expected an algorithm, or algorithm/start", "%q", text)
	}
	return Contender{algorithm, start}, nil
}

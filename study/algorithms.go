// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/progress"
	"meshwright/router"
)

// AlgorithmTime is what an algorithm makes of a job.
type AlgorithmTime struct {
	Algorithm string
	Cycles    router.Cycle // in the clock of the machine, as of a run
	Bound     router.Cycle // no algorithm takes less
	Predicted bool         // the plan says its time, exactly; otherwise it was run
	Delivered bool         // every word of every live PE arrives
	Refused   error        // the algorithm does not take the job: an *input.Error or *memory.TooLarge
}

// CompareAlgorithms plans a job by each algorithm of a collective except auto: those that deliver first, by time, those
// that refuse the job last. A plan with an exact prediction is run only if the machine has faults, since
// predictions know nothing of the faults that plans do not know. Errors other than refusals end the comparison.
func CompareAlgorithms(ctx context.Context, kind string, j plan.Job) ([]AlgorithmTime, error) {
	var list []AlgorithmTime
	phase := progress.Begin(ctx, "compare the algorithms of "+kind, 0)
	defer phase.End()
	for _, a := range collective.Table() {
		if a.Collective != kind || a.Name == collective.Auto {
			continue
		}
		phase.Describe(a.Name)
		row, err := timeAlgorithm(ctx, kind, a.Name, j)
		if err != nil {
			return nil, err
		}
		list = append(list, row)
	}
	slices.SortStableFunc(list, func(a, b AlgorithmTime) int {
		return cmp.Or(cmp.Compare(a.order(), b.order()), cmp.Compare(a.Cycles, b.Cycles))
	})
	return list, nil
}

// order puts what delivers before what does not, and that before what refuses.
func (a *AlgorithmTime) order() int {
	switch {
	case a.Refused != nil:
		return 2
	case !a.Delivered:
		return 1
	}
	return 0
}

func timeAlgorithm(ctx context.Context, kind, algorithm string, j plan.Job) (AlgorithmTime, error) {
	row := AlgorithmTime{Algorithm: algorithm}
	p, err := collective.Generate(ctx, kind, algorithm, j)
	if refusal(err) {
		row.Refused = err
		return row, nil
	}
	if err != nil {
		return row, err
	}
	row.Bound = p.LowerBound
	if p.Predicted.Exact && j.Machine.Faults == nil {
		row.Cycles, row.Predicted, row.Delivered = p.Predicted.Least, true, true
		return row, nil
	}
	r, err := collective.Execute(ctx, p)
	if refusal(err) {
		row.Refused = err
		return row, nil
	}
	if err != nil {
		return row, err
	}
	row.Cycles, row.Delivered = r.Cycles, r.Delivered
	return row, nil
}

// refusal reports whether an algorithm does not take a job.
func refusal(err error) bool {
	var unfit *input.Error
	var large *memory.TooLarge
	return errors.As(err, &unfit) || errors.As(err, &large)
}

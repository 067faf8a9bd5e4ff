// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"context"
	"fmt"
	"math"

	"meshwright/internal/input"
)

// LeastEffort and mostEffort bound the effort of a job, but for 0, which counts as 1.
const (
	LeastEffort = 0.01
	mostEffort  = 100
)

// CheckEffort refuses an effort out of bounds. The error is an *input.Error.
func CheckEffort(effort float64) error {
	if effort >= LeastEffort && effort <= mostEffort {
		return nil
	}
	return input.Errorf(EffortWants(), "effort %g", effort)
}

// EffortWants says which efforts there are.
func EffortWants() string { return fmt.Sprintf("expected %g to %d", LeastEffort, mostEffort) }

// StartSearch lets the searches of a task end when the limit of its job is over. It returns what must be called behind them. The bound is found before the time begins: most searches ask for it.
func (t *Task) StartSearch() (stop context.CancelFunc) {
	if t.Limit <= 0 {
		return func() {}
	}
	t.Bound()
	t.Search, stop = context.WithTimeout(t.Ctx, t.Limit)
	return stop
}

// Spend returns how much a search of the task may do that usually does so much: the job's effort times as much, but something.
func (t *Task) Spend(usual int) int {
	if t.Effort == 0 || t.Effort == 1 {
		return usual
	}
	return max(1, int(math.Round(t.Effort*float64(usual))))
}

// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"context"

	"meshwright/firmware/plan"
	"meshwright/schedule/bound"
)

// Bound returns a time that no plan of a job beats, and its argument; nothing is planned. The errors are those of
// [Generate] about the job.
func Bound(ctx context.Context, name string, j Job) (bound.Proven, error) {
	if err := valid(&j); err != nil {
		return bound.Proven{}, err
	}
	left, err := survivors(name, &j)
	if err != nil {
		return bound.Proven{}, err
	}
	j.Machine.Faults = nil
	a, err := find(name, "", &j, left) // of a job that no algorithm takes no bound is known
	if err != nil {
		return bound.Proven{}, err
	}
	kind, err := plan.KindOf(a.Collective)
	if err != nil {
		return bound.Proven{}, err
	}
	t, err := newTask(ctx, j, kind, left)
	if err != nil {
		return bound.Proven{}, err
	}
	return t.Bound(), nil
}

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
	kind, err := plan.KindOf(name)
	if err != nil {
		return bound.Proven{}, err
	}
	left, err := survivors(name, &j)
	if err != nil {
		return bound.Proven{}, err
	}
	t, err := newTask(ctx, j, kind, left)
	if err != nil {
		return bound.Proven{}, err
	}
	return t.Bound(), nil
}

// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"context"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// around says whether an algorithm plans around known faults.
type around uint8

// The zero value: it does not.
const (
	avoids     around = iota + 1 // it does
	avoidsOnly                   // it does; on sound networks auto takes it only where these are small
)

// survivors returns what the faults of a job's machine that plans know leave of its network; nil if
// plans know none.
func survivors(collective string, j *Job) (*topology.Survivors, error) {
	spare := router.None
	if kind, err := plan.KindOf(collective); err == nil && kind.Rooted {
		spare = j.Root
	}
	return j.Machine.Faults.Survivors(j.Topology, spare)
}

// newTask checks a job on the network that faults leave, or on all of it.
func newTask(ctx context.Context, j Job, kind plan.Kind, left *topology.Survivors) (t *plan.Task, err error) {
	if left == nil {
		t, err = plan.NewTask(ctx, j, kind)
	} else {
		t, err = plan.NewTaskAround(ctx, j, kind, left)
	}
	if err != nil {
		return nil, err
	}
	t.Measure = simulate
	return t, nil
}

// mostSound bounds the sound networks on which auto compares algorithms for known faults.
const mostSound = 64

// isFor reports whether auto may choose an algorithm for a task: around known faults, or on a sound network.
func (a *Algorithm) isFor(t *plan.Task) bool {
	if t.Whole != nil {
		return a.around != 0
	}
	return a.around != avoidsOnly || len(t.Lengths) <= mostSound
}

// forSurvivors returns the algorithm that plans around known faults: the one that find returned for a
// name, if it does.
func (a Algorithm) forSurvivors(name string, j *Job) (Algorithm, error) {
	var rows []Algorithm
	var names []string
	var switchings []machine.Switching
	for _, row := range table() {
		if row.Collective == a.Collective && row.around != 0 {
			rows, names = append(rows, row), append(names, row.Name)
			switchings = append(switchings, row.Switchings...)
		}
	}
	switch {
	case len(rows) == 0:
		return a, input.Errorf("expected no known faults", "no %s plans around known faults", a.Collective)
	case a.Name != auto && a.around == 0 && name != "":
		return a, input.Errorf("expected "+input.Or(names), "%s %s does not plan around known faults", a.Collective, a.Name)
	case !slices.Contains(switchings, j.Machine.Switching):
		slices.Sort(switchings)
		return a, noSwitching("no "+a.Collective+" plans around known faults", j.Machine.Switching, slices.Compact(switchings))
	case a.Name != auto && a.around == 0:
		return rows[len(rows)-1], nil
	}
	return a, nil
}

// PlansAround reports whether an algorithm of a collective plans around known faults on machines of a switching.
func PlansAround(collective string, s machine.Switching) bool {
	return slices.ContainsFunc(table(), func(row Algorithm) bool {
		return row.Collective == collective && row.around != 0 && slices.Contains(row.Switchings, s)
	})
}
